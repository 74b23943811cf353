//! `remembrancer`: the server and its command line.

use server::cli::is_hook;
use std::process::ExitCode;
use tokio::runtime::Builder;

fn main() -> ExitCode {
    // No thread is started for the runtime of a hook: where the system gives none, it would fail.
    let mut builder = if is_hook() { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    let runtime = match builder.enable_all().build() {
        Ok(runtime) => runtime,
        Err(_) if is_hook() => return ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("remembrancer: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(server::cli::run());
    // A model that is still computing must not hold up the exit.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    match result {
        Ok(status) => status,
        Err(error) => {
            eprintln!("remembrancer: {error}");
            ExitCode::FAILURE
        }
    }
}
