//! docs/configuration.md and the options of `serve`: that they are the settings of [`Config`](crate::config::Config).

use super::{Cli, Command};
use clap::{CommandFactory, Parser};
use std::path::Path;
use std::time::Duration;

const INTRODUCTION: &str = "# Configuration

Every command reads these settings from environment variables; an empty variable counts as unset.
Only the commands for [coding agents](coding-agents.md) do not, `hook`, `connect`, `import-sessions`
and `mcp --mine`: they run in the environment of the program that somebody works on.
`remembrancer serve` also takes each setting as an option, which wins over the variable:
`--shutdown-seconds 30` for `SHUTDOWN_SECONDS`. Keep secrets in variables: other users of the
machine can read command lines. A wrong value stops the start with a sentence that names the
variable and says what it must be.

This page is made from `server/src/config.rs`, as `remembrancer serve --help` is.
";

fn page() -> String {
    let (mut page, mut last) = (INTRODUCTION.to_owned(), String::new());
    for command in Cli::command().get_subcommands() {
        for arg in command.get_arguments() {
            let Some(name) = arg.get_env() else { continue };
            let options = || format!("Options of `remembrancer {}`", command.get_name());
            let heading = arg.get_help_heading().map_or_else(options, str::to_owned);
            if heading != last {
                page += &format!("\n## {heading}\n\n| variable | meaning | default |\n|---|---|---|\n");
            }
            last = heading;
            // One that depends on the machine is described in words.
            let default = arg.get_default_values().first().filter(|_| !arg.is_hide_default_value_set());
            let default = default.map_or_else(String::new, |default| format!("`{}`", default.display()));
            page += &format!("| `{}` | {} | {default} |\n", name.display(), arg.get_help().cloned().unwrap_or_default());
        }
    }
    page
}

#[test]
fn the_page_is_the_one_in_the_repository() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
    let now = page();
    if std::env::var_os("UPDATE_CONFIGURATION").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let changed = now.lines().zip(kept.lines()).find(|(now, kept)| now != kept);
    let update = "UPDATE_CONFIGURATION=1 cargo test -p server --lib configuration";
    assert!(now == kept, "the settings changed; look at the difference and keep it: {update}\nfirst: {changed:?}");
}

#[test]
fn help_names_every_setting_with_its_limit_and_shows_no_secret() {
    let mut root = Cli::command();
    let serve = root.find_subcommand_mut("serve").unwrap();
    let secrets: Vec<_> = serve.get_arguments().filter(|arg| arg.is_hide_env_values_set()).filter_map(|arg| arg.get_env()).collect();
    let urls = ["DATABASE_URL", "AGENT_MEMORY_DATABASE_URL", "SHARED_KB_DATABASE_URL", "INTERNAL_SHARED_DATABASE_URL"];
    let logins = ["APP_DATABASE_URL", "SYSTEM_DATABASE_URL"];
    let replicas = urls.map(|url| format!("READ_{url}"));
    let replicas: Vec<&str> = replicas.iter().map(String::as_str).collect();
    assert_eq!(secrets, [&urls[..], &logins[..], &replicas[..], &["OPENAI_BASE_URL", "OPENAI_API_KEY", "OIDC_CLIENT_SECRET"]].concat());
    // Where the lines of the help break is of no interest.
    let help = serve.render_help().to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["--max-connections <VALUE>", "(must be a whole number above 0) [env: MAX_CONNECTIONS=", "[default: 512]", "Limits:"] {
        assert!(help.contains(words), "{words}: {help}");
    }
}

#[test]
fn an_option_wins_and_a_wrong_one_is_named_with_what_it_may_be() {
    let parse = |value: &str| Cli::try_parse_from(["remembrancer", "serve", "--session-days", value]);
    let Command::Serve(options) = parse("2").ok().unwrap().command else { panic!("serve is a command") };
    assert_eq!(options.config.session_age, Duration::from_secs(2 * 24 * 60 * 60));
    let refused = parse("0").err().unwrap().to_string();
    assert!(refused.contains("--session-days") && refused.contains("must be a whole number above 0"), "{refused}");
}
