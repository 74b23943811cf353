//! The accounts of the people who sign in to the console: invited, changed, signed out and removed.

mod api;
mod detail;
mod link;
mod list;
mod password;
mod roles;

pub use detail::AccountPage;
pub use list::AccountsPage;
pub use password::PasswordPage;
