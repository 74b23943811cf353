//! `remembrancer`: the server and its command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
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
