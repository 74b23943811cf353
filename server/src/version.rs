//! Which program this is: its version, and the commit and day of a release.

/// The version, which `Cargo.toml` of the workspace names.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit of a release; `make release` sets it.
pub const COMMIT: Option<&str> = option_env!("REMEMBRANCER_COMMIT");
/// The day of that commit, as in 2026-11-28.
pub const DATE: Option<&str> = option_env!("REMEMBRANCER_DATE");

/// All of it in one line, as `remembrancer --version` prints it.
pub fn line() -> String {
    match (COMMIT, DATE) {
        (Some(commit), Some(date)) => format!("{VERSION} ({commit}, {date})"),
        _ => format!("{VERSION} (development build)"),
    }
}
