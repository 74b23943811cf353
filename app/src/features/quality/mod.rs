//! Quality: what answers use of memory, observations, the growth of profiles, corrections and repeated questions.

mod api;
mod chart;
mod measures;
mod page;

pub use page::QualityPage;
