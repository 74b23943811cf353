//! Slack's export: the messages of a channel and a day, `{type: message, user, text, ts}`.

use super::{File, Object, Reading, Role, message, moment, string, text};
use std::collections::HashMap;

/// Subtypes in which somebody says something; the others tell of joins, topics and the like.
const SAID: &[&str] = &["bot_message", "file_comment", "file_share", "me_message", "reply_broadcast", "thread_broadcast"];

/// Whether an entry is one of a channel.
pub fn knows(entry: &Object) -> bool {
    let of_slack = ["ts", "user", "user_profile", "bot_id", "client_msg_id"].iter().any(|field| entry.contains_key(*field));
    !entry.contains_key("role") && string(entry, &["type"]) == Some("message") && of_slack
}

/// The id of somebody who speaks, and the name that comes with the message.
pub fn named(entry: &Object) -> Option<(&str, &str)> {
    Some((string(entry, &["user"]).filter(|_| knows(entry))?, of_profile(entry)?))
}

fn of_profile(entry: &Object) -> Option<&str> {
    string(entry.get("user_profile")?.as_object()?, &["real_name", "display_name", "name"])
}

/// What a message says.
pub fn read(entry: &Object, file: &File) -> Reading {
    let subtype = string(entry, &["subtype"]);
    if subtype.is_some_and(|subtype| !SAID.contains(&subtype)) {
        return Ok(Vec::new());
    }
    let is_bot = subtype == Some("bot_message") || string(entry, &["bot_id"]).is_some();
    let of_bot = || entry.get("bot_profile").filter(|_| is_bot).and_then(|bot| string(bot.as_object()?, &["name"]));
    let of_user = || {
        let user = string(entry, &["user"])?;
        Some(file.names.get(user).copied().unwrap_or(user))
    };
    let own = string(entry, &["username"]).filter(|_| is_bot).or_else(of_bot);
    let speaker = own.or_else(|| of_profile(entry)).or_else(of_user).or_else(|| string(entry, &["username"]));
    let role = if is_bot { Role::Assistant } else { Role::Person };
    Ok(vec![message(speaker.unwrap_or_default(), role, moment::of(entry), words(text(entry, "text")?, &file.names))])
}

/// A text as people see it: with names and addresses instead of marks.
fn words(text: &str, names: &HashMap<&str, &str>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    // Without a further `>` there is no mark: the rest is not searched again.
    while let Some((before, (mark, after))) = rest.split_once('<').and_then(|(before, after)| Some((before, after.split_once('>')?))) {
        out.push_str(before);
        out.push_str(&shown(mark, names));
        rest = after;
    }
    out.push_str(rest);
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// A mark in angle brackets, as people see it: `@U01`, `#C01|general`, `!here`, `https://example.org|label`.
fn shown(mark: &str, names: &HashMap<&str, &str>) -> String {
    let (target, label) = mark.split_once('|').unwrap_or((mark, ""));
    let (kind, id) = target.split_at(target.chars().next().map_or(0, char::len_utf8));
    match kind {
        "@" => {
            names.get(id).map_or_else(|| if label.is_empty() { format!("<{mark}>") } else { label.to_owned() }, |name| (*name).to_owned())
        }
        "#" if !label.is_empty() => format!("#{label}"),
        "!" if !label.is_empty() => label.to_owned(),
        "!" => format!("@{id}"),
        "#" => format!("<{mark}>"),
        _ if label.is_empty() => target.to_owned(),
        _ if target.ends_with(label) => label.to_owned(),
        _ => format!("{label} ({target})"),
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use std::collections::HashMap;

    #[test]
    fn marks_are_read_as_people_see_them() {
        let names = HashMap::from([("U1", "Vera Lind")]);
        for (written, seen) in [
            ("Thanks, <@U1>.", "Thanks, Vera Lind."),
            ("<@U1|vera> and <@U2|idris>", "Vera Lind and idris"),
            ("<@U3> in <#C1|harbour>", "<@U3> in #harbour"),
            ("<!here> 2 &lt; 3 &amp;amp; 4", "@here 2 < 3 &amp; 4"),
            ("<https://example.org|the plan> <https://example.org>", "the plan (https://example.org) https://example.org"),
            ("<mailto:mina@example.org|mina@example.org>", "mina@example.org"),
            ("a < b <<<", "a < b <<<"),
            ("<>", ""),
        ] {
            assert_eq!(words(written, &names), seen, "{written}");
        }
    }
}
