//! The embedding models of the server, and how many texts of the organisation have a vector of each. The page changes nothing: a model is
//! that of all organisations, and whoever runs the server changes it on the command line.

mod api;
mod commands;
mod page;

pub use page::ModelPage;
