//! The shared vocabulary: the review queue, the terms and the decisions.

mod api;
mod change;
mod decide;
mod decisions;
mod edit;
mod effect;
mod focus;
mod input;
mod new;
mod review;
mod similar;
mod table;
mod term;
mod term_names;
mod terms;
mod undo;
mod verdicts;
mod words;

pub use change::ChangePage;
pub use decide::DecidePage;
pub use decisions::DecisionsPage;
pub use new::NewTermPage;
pub use review::ReviewPage;
pub use term::TermPage;
pub use term_names::TermNames;
pub use terms::TermsPage;
pub use undo::UndoPage;
pub use words::names;
