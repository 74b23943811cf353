pub mod api;
#[cfg(feature = "engine")]
pub mod db;
#[cfg(feature = "engine")]
pub mod providers;
