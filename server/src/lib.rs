pub mod console;
pub mod sessions;
