//! How `search_my_memories` ranks: the weights of the organisation, and the documents that are relevant to each agent.

mod api;
mod input;
mod page;
mod tried;

pub use page::SearchPolicyPage;
