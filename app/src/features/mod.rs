//! One module for each thing the console shows: what its pages read and its forms do (`api`), and its pages.

pub mod agents;
pub mod audit;
pub mod capture;
pub mod clients;
pub mod contexts;
pub mod erasure;
pub mod expectations;
pub mod inbox;
pub mod knowledge;
pub mod lifecycle;
pub mod memories;
pub mod model;
pub mod overview;
pub mod people;
pub mod places;
pub mod projects;
pub mod prompts;
pub mod quality;
pub mod recall;
pub mod search;
pub mod session;
pub mod sessions;
pub mod usage;
pub mod views;
pub mod vocabulary;
pub mod webhooks;
