//! Every format whole, cut, with fields that are missing, and mixed.

use super::*;
use proptest::prelude::*;

#[test]
fn both_apis_are_read() {
    let open = r#"{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "name": "Vera", "content": [{"type": "text", "text": "I moved."}, {"type": "image_url", "image_url": {}}], "timestamp": "2026-05-03T09:12:00Z"}, {"role": "assistant", "content": null, "tool_calls": []}]}"#;
    let read = messages(open).unwrap().unwrap().messages;
    assert_eq!(
        read.iter().map(|one| (one.speaker.as_str(), one.role, one.text.as_str())).collect::<Vec<_>>(),
        [("system", Role::Machine, "Be kind."), ("Vera", Role::Person, "I moved.")]
    );
    assert_eq!(read[1].at.unwrap().at.to_rfc3339(), "2026-05-03T09:12:00+00:00");
    let blocks = r#"[{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "42"}]}, {"type": "text", "text": "Thanks"}]}]"#;
    let read = messages(blocks).unwrap().unwrap().messages;
    assert_eq!(read.iter().map(|one| (one.role, one.text.as_str())).collect::<Vec<_>>(), [(Role::Machine, "42"), (Role::Person, "Thanks")]);
    let lines = "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"assistant\", \"content\": \"b\"}\n";
    assert_eq!(messages(lines).unwrap().unwrap().messages.len(), 2);
}

#[test]
fn what_is_no_list_of_messages_is_not_read() {
    assert_eq!(messages("[2026-05-03 09:12] Vera: hi"), Ok(None));
    assert_eq!(messages("{curly} braces"), Ok(None));
    assert!(matches!(messages("[]"), Err(ReadError::Shape(_))));
    let long = format!("[{{\"role\": \"{}\", \"content\": \"a\"}}]", "x".repeat(81));
    assert!(matches!(messages(&long), Err(ReadError::Shape(message)) if message.contains("81 bytes")));
}

/// The texts of the messages, and how many entries were left out.
fn texts(text: &str) -> (Vec<String>, usize) {
    let list = messages(text).unwrap().unwrap();
    (list.messages.into_iter().map(|message| message.text).collect(), list.skipped)
}

#[test]
fn one_bad_message_does_not_cost_the_others() {
    let says = |text: &str| format!("{{\"role\": \"user\", \"content\": \"{text}\"}}");
    let good = (vec!["a".to_owned(), "b".to_owned()], 1);
    for bad in ["7", "{\"role\": 3}", "{\"content\": \"c\"}", "{\"role\": \"user\", \"content\": {\"x\": 1}}"] {
        assert_eq!(texts(&format!("[{}, {bad}, {}]", says("a"), says("b"))), good, "{bad}");
        assert_eq!(texts(&format!("{}\n{bad}\n{}\n", says("a"), says("b"))), good, "{bad}");
        assert_eq!(texts(&format!("{{\"messages\": [{}, {bad}, {}]}}", says("a"), says("b"))), good, "{bad}");
    }
    // What is no JSON ends at the comma, or at the end of its line.
    for bad in ["{\"role\": \"user\", \"content\": oops}", "{\"role\": \"user\" \"content\"}", "{\"a\": [1, 2}]"] {
        assert_eq!(texts(&format!("[{}, {bad}, {}]", says("a"), says("b"))).0.first().map(String::as_str), Some("a"), "{bad}");
        assert_eq!(texts(&format!("{}\n{bad}\n{}\n", says("a"), says("b"))), good, "{bad}");
    }
    assert_eq!(texts(&format!("[{}, {}, {{\"role\": \"us", says("a"), says("b"))), good, "a file that was cut");
    assert!(matches!(messages("[{\"role\": 3}, {\"role\": 4}]"), Err(ReadError::Shape(why)) if why.starts_with("message 1: ")));
}

#[test]
fn characters_that_cannot_be_stored_are_replaced() {
    for (written, stored) in [
        ("a\\u0000b", "a\u{fffd}b"),
        ("a\\ud83db", "a\u{fffd}b"),
        ("a\\udc00\\ud83d", "a\u{fffd}\u{fffd}"),
        ("\\ud83d\\ud83e\\uded6", "\u{fffd}🫖"),
        ("\\ud83e\\uded6", "🫖"),
        ("\\\\ud83d", "\\ud83d"),
        ("a\tb", "a\tb"),
        ("a\nb", "a\nb"),
    ] {
        let list = format!("[{{\"role\": \"user\", \"name\": \"V\\u0000\", \"content\": \"{written}\"}}]");
        let read = messages(&list).unwrap().unwrap();
        assert_eq!((read.messages[0].text.as_str(), read.skipped), (stored, 0), "{written}");
        assert_eq!(read.messages[0].speaker, "V\u{fffd}");
    }
}

proptest! {
    #[test]
    fn a_list_with_anything_in_it_is_read_or_refused(text in "(\\[|\\]|\\{|\\}|,|:|\"|\\\\|\\\\ud83d|\\\\udc00|role|content|\"role\": \"user\", |\\PC|\n){0,40}") {
        if let Ok(Some(list)) = messages(&format!("[{{\"role\": \"user\", \"content\": \"a\"}}, {text}]")) {
            prop_assert!(list.messages.iter().all(|message| !message.text.contains('\0')));
        }
    }
}

/// The messages of a text, each as "role speaker time: text", and how many entries were left out.
fn read_lines(text: &str) -> (Vec<String>, usize) {
    let list = messages(text).unwrap_or_else(|error| panic!("{error}: {text}")).unwrap();
    let line = |one: &Message| {
        let role = match one.role {
            Role::Person => "person",
            Role::Assistant => "assistant",
            Role::Machine => "machine",
        };
        let at = one.at.map_or_else(|| "-".into(), |said| said.at.to_utc().format("%T").to_string());
        format!("{role} {} {at}: {}", one.speaker, one.text)
    };
    (list.messages.iter().map(line).collect(), list.skipped)
}

fn expect(name: &str, source: &str, skipped: usize, lines: &[&str]) {
    let (read, left_out) = read_lines(source);
    assert_eq!((read.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), left_out), (lines, skipped), "{name}");
}

const CHATGPT: &str = r#"[{"title": "Moving", "create_time": 1777799530.0, "mapping": {
    "root": {"id": "root", "message": null, "parent": null, "children": ["a"]},
    "a": {"id": "a", "message": {"author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}, "metadata": {"is_visually_hidden_from_conversation": true}}, "parent": "root", "children": ["b", "old"]},
    "b": {"id": "b", "message": {"author": {"role": "user", "name": null}, "create_time": 1777799530.5, "content": {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "I moved to Basel."]}, "recipient": "all"}, "parent": "a", "children": ["c"]},
    "c": {"id": "c", "message": {"author": {"role": "assistant"}, "create_time": 1777799531.0, "content": {"content_type": "code", "text": "search('Basel')"}, "recipient": "python"}, "parent": "b", "children": ["d"]},
    "d": {"id": "d", "message": {"author": {"role": "tool", "name": "python"}, "create_time": 1777799532.0, "content": {"content_type": "execution_output", "text": "42"}, "recipient": "all"}, "parent": "c", "children": ["e"]},
    "e": {"id": "e", "message": {"author": {"role": "assistant"}, "create_time": 1777799535.0, "content": {"content_type": "text", "parts": ["Noted."]}, "recipient": "all"}, "parent": "d", "children": []},
    "old": {"id": "old", "message": {"author": {"role": "user"}, "create_time": 1777799529.0, "content": {"content_type": "text", "parts": ["Asked before."]}}, "parent": "a", "children": []}
}, "current_node": "e"}]"#;
const CHATGPT_LINES: &[&str] = &[
    "machine Conversation 09:12:10: Moving",
    "person user 09:12:10: I moved to Basel.",
    "machine python 09:12:12: 42",
    "assistant assistant 09:12:15: Noted.",
];
const CLAUDE: &str = r#"[{"uuid": "1", "name": "Moving", "created_at": "2026-05-03T09:12:00Z", "account": {"uuid": "2"}, "chat_messages": [
    {"uuid": "3", "text": "I moved.", "content": [{"type": "text", "text": "I moved to Basel."}], "sender": "human", "created_at": "2026-05-03T09:12:10.123456Z", "attachments": [], "files": []},
    {"uuid": "4", "text": "This block is not supported.", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "save", "input": {}}, {"type": "tool_result", "content": [{"type": "text", "text": "42"}]}, {"type": "text", "text": "Noted."}], "sender": "assistant", "created_at": "2026-05-03T09:12:15Z"},
    {"uuid": "5", "text": "Thanks.", "sender": "human", "created_at": "2026-05-03T09:13:00Z"},
    {"uuid": "6", "text": "", "content": [], "sender": "human", "created_at": "2026-05-03T09:14:00Z"}]}]"#;
const CLAUDE_LINES: &[&str] = &[
    "machine Conversation 09:12:00: Moving",
    "person human 09:12:10: I moved to Basel.",
    "machine tool 09:12:15: 42",
    "assistant assistant 09:12:15: Noted.",
    "person human 09:13:00: Thanks.",
];
const SLACK: &str = r#"[
    {"type": "message", "subtype": "channel_join", "ts": "1777799000.000100", "user": "U1", "text": "<@U1> has joined the channel"},
    {"type": "message", "user": "U1", "user_profile": {"real_name": "Vera Lind", "display_name": "vera"}, "ts": "1777799530.000000", "text": "I moved to Basel."},
    {"type": "message", "user": "U2", "user_profile": {"real_name": "Idris Lind"}, "ts": "1777799582.000000", "text": "Thanks, <@U1> &amp; <@U9>.", "blocks": [{"type": "rich_text", "elements": []}]},
    {"type": "message", "user": "U1", "ts": "1777799590.000000", "text": "Mina helps."},
    {"type": "message", "user": "U1", "ts": "1777799591.000000", "text": "", "files": [{"id": "F1"}]},
    {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "ci", "ts": "1777799600.000200", "text": "Build 4711 passed"}]"#;
const SLACK_LINES: &[&str] = &[
    "person Vera Lind 09:12:10: I moved to Basel.",
    "person Idris Lind 09:13:02: Thanks, Vera Lind & <@U9>.",
    "person Vera Lind 09:13:10: Mina helps.",
    "assistant ci 09:13:20: Build 4711 passed",
];
const DISCORD: &str = r#"{"guild": {"id": "1", "name": "Harbour"}, "channel": {"id": "2", "name": "general"}, "messages": [
    {"id": "3", "type": "GuildMemberJoin", "timestamp": "2026-05-03T09:12:00+00:00", "content": "Joined the server.", "author": {"id": "4", "name": "vera", "nickname": "Vera", "isBot": false, "roles": []}},
    {"id": "5", "type": "Default", "timestamp": "2026-05-03T11:12:10.25+02:00", "content": "I moved to Basel.", "author": {"id": "4", "name": "vera", "nickname": "Vera", "isBot": false, "roles": []}, "attachments": []},
    {"id": "6", "type": "Reply", "timestamp": "2026-05-03T09:13:00+00:00", "content": "Really?", "author": {"id": "7", "name": "idris", "isBot": false}, "reactions": [{"count": 1}]},
    {"id": "8", "type": "Default", "timestamp": "2026-05-03T09:13:05+00:00", "content": "", "author": {"id": "7", "name": "idris", "isBot": false}},
    {"id": "9", "type": "Default", "timestamp": "2026-05-03T09:13:10+00:00", "content": "Noted.", "author": {"id": "8", "name": "helper", "isBot": true}}], "messageCount": 5}"#;
const DISCORD_LINES: &[&str] = &[
    "machine Conversation -: general",
    "person Vera 09:12:10: I moved to Basel.",
    "person idris 09:13:00: Really?",
    "assistant helper 09:13:10: Noted.",
];
const TELEGRAM: &str = r#"{"name": "Harbour", "type": "private_group", "id": 1, "messages": [
    {"id": 1, "type": "service", "date": "2026-05-03T11:12:00", "date_unixtime": "1777799520", "actor": "Vera Lind", "action": "phone_call", "text": ""},
    {"id": 2, "type": "message", "date": "2026-05-03T11:12:10", "date_unixtime": "1777799530", "from": "Vera Lind", "from_id": "user1", "text": ["I moved to ", {"type": "bold", "text": "Basel"}, "."], "text_entities": [{"type": "plain", "text": "I moved to "}]},
    {"id": 3, "type": "message", "date": "2026-05-03T11:13:00", "date_unixtime": "1777799580", "from": "Idris", "from_id": "user2", "forwarded_from": "Mina", "text": "I am at sea."},
    {"id": 4, "type": "message", "date": "2026-05-03T11:13:01", "date_unixtime": "1777799581", "from": null, "from_id": "user3", "text": "Hello."},
    {"id": 5, "type": "message", "date": "2026-05-03T11:13:02", "date_unixtime": "1777799582", "from": "Idris", "photo": "a.jpg", "text": ""}]}"#;
const TELEGRAM_LINES: &[&str] = &[
    "machine Conversation -: Harbour",
    "person Vera Lind 09:12:10: I moved to Basel.",
    "person Mina 09:13:00: I am at sea.",
    "person  09:13:01: Hello.",
];
const RESPONSES: &str = r#"{"model": "gpt-5", "input": "I moved to Basel.", "output": [
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c", "name": "save", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "42"},
    {"type": "function_call_output", "call_id": "d", "output": [{"type": "input_text", "text": "43"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Noted.", "annotations": []}]}]}"#;
const RESPONSES_LINES: &[&str] = &[
    "person user -: I moved to Basel.",
    "machine tool -: save {}",
    "machine tool -: 42",
    "machine tool -: 43",
    "assistant assistant -: Noted.",
];
const CHAT: &str = r#"{"model": "gpt-5", "messages": [
    {"role": "developer", "content": "Be kind."},
    {"role": "user", "name": "Vera", "content": [{"type": "text", "text": "I moved to Basel."}, {"type": "input_audio", "input_audio": {"data": "AA"}}]},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "save", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "42"},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}, {"type": "tool_use", "name": "save", "input": {}}]}]}"#;
const CHAT_LINES: &[&str] =
    &["machine developer -: Be kind.", "person Vera -: I moved to Basel.", "machine tool -: 42", "assistant assistant -: Noted."];
const GEMINI: &str = r#"{"contents": [
    {"role": "user", "parts": [{"text": "I moved to Basel."}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}]},
    {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "Noted."}, {"functionCall": {"name": "save", "args": {"city": "Basel"}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "save", "response": {"result": 42}}}]}]}"#;
const GEMINI_LINES: &[&str] = &[
    "person user -: I moved to Basel.",
    "assistant model -: Noted.",
    "machine tool -: save {\"city\":\"Basel\"}",
    "machine tool -: {\"result\":42}",
];
const CLAUDE_CODE: &str = r#"{"type": "summary", "summary": "Moving", "leafUuid": "1"}
{"type": "file-history-snapshot", "messageId": "2", "snapshot": {}}
{"type": "user", "isSidechain": false, "message": {"role": "user", "content": "I moved to Basel."}, "uuid": "3", "timestamp": "2026-05-03T09:12:10.000Z", "sessionId": "s"}
{"type": "user", "isSidechain": false, "isMeta": true, "message": {"role": "user", "content": "Caveat: …"}, "uuid": "4", "timestamp": "2026-05-03T09:12:11.000Z"}
{"type": "user", "isSidechain": false, "message": {"role": "user", "content": "<command-name>/clear</command-name>"}, "uuid": "5", "timestamp": "2026-05-03T09:12:12.000Z"}
{"type": "assistant", "isSidechain": false, "message": {"role": "assistant", "content": [{"type": "text", "text": "Noted."}, {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}, "uuid": "6", "timestamp": "2026-05-03T09:12:15.000Z"}
{"type": "user", "isSidechain": false, "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a.txt"}]}, "uuid": "7", "timestamp": "2026-05-03T09:12:16.000Z"}
{"type": "user", "isSidechain": false, "message": {"role": "user", "content": [{"type": "text", "text": "<system-reminder>Be brief.</system-reminder>"}, {"type": "text", "text": "I love <b>tea</b>."}]}, "uuid": "8", "timestamp": "2026-05-03T09:12:17.000Z"}
{"type": "user", "isSidechain": true, "message": {"role": "user", "content": "Explore the code."}, "uuid": "9", "timestamp": "2026-05-03T09:12:18.000Z"}
{"type": "system", "subtype": "turn_duration", "content": "done", "uuid": "10", "timestamp": "2026-05-03T09:12:19.000Z"}
"#;
const CLAUDE_CODE_LINES: &[&str] = &[
    "person user 09:12:10: I moved to Basel.",
    "machine system 09:12:12: <command-name>/clear</command-name>",
    "assistant assistant 09:12:15: Noted.",
    "machine tool 09:12:16: a.txt",
    "machine system 09:12:17: <system-reminder>Be brief.</system-reminder>",
    "person user 09:12:17: I love <b>tea</b>.",
];
const CODEX: &str = r##"{"timestamp": "2026-05-03T09:12:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/x", "instructions": null}}
{"timestamp": "2026-05-03T09:12:01Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"}]}}
{"timestamp": "2026-05-03T09:12:10Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nI moved to Basel.\n"}]}}
{"timestamp": "2026-05-03T09:12:10Z", "type": "event_msg", "payload": {"type": "user_message", "message": "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nI moved to Basel.\n", "images": []}}
{"timestamp": "2026-05-03T09:12:11Z", "type": "turn_context", "payload": {"cwd": "/x", "model": "gpt-5"}}
{"timestamp": "2026-05-03T09:12:12Z", "type": "response_item", "payload": {"type": "reasoning", "summary": []}}
{"timestamp": "2026-05-03T09:12:13Z", "type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c"}}
{"timestamp": "2026-05-03T09:12:14Z", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "a.txt"}}
{"timestamp": "2026-05-03T09:12:15Z", "type": "event_msg", "payload": {"type": "token_count", "info": {}}}
{"timestamp": "2026-05-03T09:12:16Z", "type": "event_msg", "payload": {"type": "agent_message", "message": "Noted."}}
{"timestamp": "2026-05-03T09:12:16Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Noted."}]}}
"##;
const CODEX_LINES: &[&str] = &[
    "machine system 09:12:01: <environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
    "person user 09:12:10: I moved to Basel.",
    "machine tool 09:12:13: shell {\"command\":[\"ls\"]}",
    "machine tool 09:12:14: a.txt",
    "assistant assistant 09:12:16: Noted.",
];
const FORMATS: &[(&str, &str, &[&str])] = &[
    ("ChatGPT", CHATGPT, CHATGPT_LINES),
    ("Claude", CLAUDE, CLAUDE_LINES),
    ("Slack", SLACK, SLACK_LINES),
    ("Discord", DISCORD, DISCORD_LINES),
    ("Telegram", TELEGRAM, TELEGRAM_LINES),
    ("Responses", RESPONSES, RESPONSES_LINES),
    ("chat", CHAT, CHAT_LINES),
    ("Gemini", GEMINI, GEMINI_LINES),
    ("Claude Code", CLAUDE_CODE, CLAUDE_CODE_LINES),
    ("Codex", CODEX, CODEX_LINES),
];

#[test]
fn exports_of_every_program_are_read() {
    for (name, source, lines) in FORMATS {
        expect(name, source, 0, lines);
    }
    // One conversation alone, and answers of the APIs.
    let one = CHATGPT.trim_start_matches('[').trim_end_matches(']');
    expect("one", one, 0, CHATGPT_LINES);
    expect(
        "choices",
        r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Noted."}}]}"#,
        0,
        &["assistant assistant -: Noted."],
    );
    expect(
        "candidates",
        r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "Noted."}]}}]}"#,
        0,
        &["assistant model -: Noted."],
    );
    let items =
        r#"[{"role": "user", "content": [{"type": "input_text", "text": "I moved."}]}, {"type": "function_call_output", "output": "42"}]"#;
    expect("items", items, 0, &["person user -: I moved.", "machine tool -: 42"]);
}

#[test]
fn conversations_of_a_file_are_read_one_after_another() {
    let all = format!(
        r#"{{"about": "x", "chats": {{"about": "y", "list": [{TELEGRAM}, {{"type": "saved_messages", "id": 2, "messages": [{{"id": 1, "type": "message", "from": "Vera", "text": "Tea."}}]}}]}}}}"#
    );
    let lines = [TELEGRAM_LINES, &["machine Conversation -: Untitled", "person Vera -: Tea."]].concat();
    expect("all chats", &all, 0, &lines);
    // A conversation in which nobody says anything has no title either.
    let talk = |title: &str, words: &str| format!(r#"{{"name": "{title}", "chat_messages": [{{"sender": "human", "text": "{words}"}}]}}"#);
    let several = format!("[{}, {}, {}]", talk("Moving", "a"), talk("Empty", ""), talk("Tea", "b"));
    let lines = ["machine Conversation -: Moving", "person human -: a", "machine Conversation -: Tea", "person human -: b"];
    expect("several", &several, 0, &lines);
}

#[test]
fn the_path_of_a_conversation_ends() {
    let node = |id: &str, parent: &str, at: u32| {
        format!(
            r#""{id}": {{"parent": "{parent}", "message": {{"author": {{"role": "user"}}, "create_time": {at}, "content": {{"parts": ["{id}"]}}}}}}"#
        )
    };
    let tree = |nodes: [String; 3], current: &str| format!(r#"{{"mapping": {{{}}}, "current_node": "{current}"}}"#, nodes.join(", "));
    // A circle, a parent that is not there, and a current node that is not there: the newest end is.
    assert_eq!(texts(&tree([node("a", "c", 1), node("b", "a", 2), node("c", "b", 3)], "c")).0, ["a", "b", "c"]);
    assert_eq!(texts(&tree([node("a", "gone", 1), node("b", "a", 2), node("c", "b", 3)], "c")).0, ["a", "b", "c"]);
    assert_eq!(texts(&tree([node("a", "gone", 1), node("b", "a", 3), node("c", "a", 2)], "gone")).0, ["a", "b"]);
}

#[test]
fn a_file_that_was_cut_says_nothing_that_the_whole_one_does_not() {
    for (name, source, lines) in FORMATS {
        let mut most = 0;
        for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
            if !matches!(messages(&source[..end]), Ok(Some(_))) {
                continue;
            }
            let (read, _) = read_lines(&source[..end]);
            for line in &read {
                assert!(lines.contains(&line.as_str()), "{name}, {end} bytes: {line}");
            }
            most = most.max(read.len());
        }
        assert!(most + 2 >= lines.len(), "{name}: at most {most} messages of {}", lines.len());
    }
}

#[test]
fn a_cut_message_is_counted() {
    let cut = r#"{"name": "Harbour", "messages": [{"type": "message", "from": "Vera", "text": "a"}, {"type": "message", "from": "Idris", "text": ["b", {"type": "bold", "text": "c"}"#;
    expect("one object", cut, 1, &["machine Conversation -: Harbour", "person Vera -: a"]);
    let lines = "{\"sender\": \"human\", \"text\": \"a\"}\n{\"sender\": \"human\", \"content\": [{\"type\": \"text\", \"text\": \"b\"}";
    expect("lines", lines, 1, &["person human -: a"]);
}

#[test]
fn a_message_without_half_its_fields_is_nobody_else_s() {
    for (entry, line) in [
        (r#"{"author": null, "content": {"content_type": "text", "parts": ["a"]}}"#, "person  -: a"),
        (r#"{"author": {"role": "assistant"}, "content": {"parts": ["a"]}}"#, "assistant assistant -: a"),
        (r#"{"uuid": "1", "text": "a", "created_at": "2026-05-03T09:12:10Z"}"#, "person  09:12:10: a"),
        (r#"{"sender": "assistant", "text": "a", "content": "?"}"#, "assistant assistant -: a"),
        (r#"{"type": "message", "ts": "1777799530", "text": "a"}"#, "person  09:12:10: a"),
        (r#"{"type": "message", "user": "U7", "text": "a"}"#, "person U7 -: a"),
        (r#"{"type": "message", "bot_id": "B1", "ts": "soon", "text": "a"}"#, "assistant  -: a"),
        (r#"{"type": "Default", "content": "a"}"#, "person  -: a"),
        (r#"{"author": {"name": " ", "nickname": 3}, "content": "a"}"#, "person  -: a"),
        (r#"{"type": "message", "date": "2026-05-03T09:12:10", "text": "a"}"#, "person  09:12:10: a"),
        (r#"{"from": "Vera", "from_id": "user1", "text": "a"}"#, "person Vera -: a"),
        (r#"{"from": "Vera", "from_id": "user1", "forwarded_from": null, "text": "a"}"#, "person  -: a"),
        (r#"{"parts": [{"text": "a"}]}"#, "person  -: a"),
        (r#"{"type": "assistant", "uuid": "1", "message": {"content": "a"}}"#, "assistant assistant -: a"),
    ] {
        expect(entry, &format!("[{entry}]"), 0, &[line]);
    }
}

#[test]
fn what_cannot_be_read_is_counted_and_the_rest_is_read() {
    for bad in [
        r#"{"author": {"role": "user"}, "content": "a"}"#,
        r#"{"author": {"role": "user"}, "content": {"content_type": "text", "parts": "b"}}"#,
        r#"{"sender": "human", "text": 3}"#,
        r#"{"type": "message", "user": "U1", "text": {}}"#,
        r#"{"type": "Default", "author": {}, "content": []}"#,
        r#"{"type": "message", "from": "Vera", "text": [3]}"#,
        r#"{"role": "user", "parts": [3]}"#,
        r#"{"type": "user", "uuid": "1", "message": "a"}"#,
        r#"{"type": "event_msg", "payload": {"type": "user_message", "message": 3}}"#,
        r#"{"type": "response_item", "payload": []}"#,
        r#"{"nothing": "known"}"#,
    ] {
        for (name, good, lines) in FORMATS.iter().filter(|(_, source, _)| source.starts_with('[')) {
            let all = format!("[{bad}, {}", &good[1..]);
            expect(&format!("{name} after {bad}"), &all, 1, lines);
        }
    }
}

#[test]
fn a_file_may_mix_formats() {
    // One file after another, as `cat` does it: each is read as if it were alone.
    let several = [SLACK, RESPONSES, CODEX, CLAUDE_CODE, GEMINI];
    let lines = [SLACK_LINES, RESPONSES_LINES, CODEX_LINES, CLAUDE_CODE_LINES, GEMINI_LINES];
    expect("one after another", &several.join("\n"), 0, &lines.concat());
    let list = format!("[{}]", [CHATGPT, SLACK, DISCORD, CLAUDE].join(", "));
    expect(
        "one list",
        &format!("[{{\"role\": \"user\", \"content\": \"a\"}}, {}", &list[1..]),
        0,
        &[&["person user -: a"][..], CHATGPT_LINES, SLACK_LINES, DISCORD_LINES, CLAUDE_LINES].concat(),
    );
}

#[test]
fn a_log_of_codex_is_not_read_twice() {
    let item = |role: &str, text: &str| {
        format!(
            r#"{{"type": "response_item", "payload": {{"type": "message", "role": "{role}", "content": [{{"type": "input_text", "text": "{text}"}}]}}}}"#
        )
    };
    let event = |text: &str| format!(r#"{{"type": "event_msg", "payload": {{"type": "user_message", "message": "{text}"}}}}"#);
    let older = [item("user", "# AGENTS.md instructions for /x"), item("user", "I moved."), item("assistant", "Noted.")].join("\n");
    expect(
        "without events",
        &older,
        0,
        &["machine system -: # AGENTS.md instructions for /x", "person user -: I moved.", "assistant assistant -: Noted."],
    );
    let newer =
        [item("user", "I live in the cloud."), item("user", "I moved."), event("I moved."), item("assistant", "I moved.")].join("\n");
    expect(
        "with events",
        &newer,
        0,
        &["machine system -: I live in the cloud.", "person user -: I moved.", "assistant assistant -: I moved."],
    );
}

#[test]
fn other_files_are_refused_by_name() {
    for (source, name, recipe) in [
        (r#"[{"id": "U1", "team_id": "T1", "name": "vera", "profile": {"real_name": "Vera Lind"}}]"#, "users.json", "2026-05-03.json"),
        (r#"[{"id": "C1", "name": "general", "creator": "U1", "members": []}]"#, "channels.json", "2026-05-03.json"),
        (r#"[{"uuid": "1", "full_name": "Vera Lind", "email_address": "vera@example.org"}]"#, "Claude export", "conversations.json"),
        (r#"{"cells": [], "nbformat": 4}"#, "Jupyter notebook", "note"),
        (
            "{\"type\": \"entity\", \"name\": \"Vera\", \"entityType\": \"person\", \"observations\": [\"Moved\"]}\n{\"type\": \"relation\"}",
            "MCP memory server",
            "sentence",
        ),
    ] {
        let error = messages(source).unwrap_err();
        assert!(matches!(error, ReadError::Foreign { .. }), "{error:?}");
        assert!(error.to_string().contains(name) && error.to_string().contains(recipe), "{error}");
    }
    let error = messages(r#"{"type": "FeatureCollection", "features": []}"#).unwrap_err().to_string();
    assert!(error.contains(r#"[{"role": "user", "name": "Vera", "content": "I moved."}]"#), "{error}");
}

/// JSON of the fields and words that the readers look at, put together at random.
fn anything() -> impl Strategy<Value = Value> {
    #[rustfmt::skip]
    const FIELDS: &[&str] = &[
        "actor", "args", "arguments", "author", "bot_id", "candidates", "chat_messages", "chats", "choices", "content", "content_type", "contents",
        "created_at", "current_node", "date_unixtime", "forwarded_from", "from", "functionCall", "functionResponse", "input", "isBot", "isMeta",
        "list", "mapping", "message", "messages", "metadata", "model", "name", "nickname", "output", "parent", "parts", "payload", "recipient",
        "response", "role", "sender", "subtype", "text", "title", "ts", "type", "user", "user_profile", "uuid",
    ];
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "", " ", "\0", "1777799530", "2026-05-03T09:12:10Z", "<@U1|a> <b> <", "<environment_context>", "Default", "Reply", "a", "agent_message", "all",
        "assistant", "channel_join", "event_msg", "function_call", "function_call_output", "message", "response_item", "service", "summary", "text",
        "thought", "tool_result", "user", "user_message", "ä🫖",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(WORDS).prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let fields = proptest::collection::vec((proptest::sample::select(FIELDS).prop_map(str::to_owned), inner.clone()), 0..7);
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::Array),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect()))
        ]
    })
}

proptest! {
    #[test]
    fn anything_that_looks_like_an_export_is_read_or_refused(value in anything(), end in any::<proptest::sample::Index>()) {
        for source in [value.to_string(), format!("[{{}}, {value}]")] {
            let cut: String = source.chars().take(end.index(source.len())).collect();
            for text in [source, cut] {
                if let Ok(Some(list)) = messages(&text) {
                    prop_assert!(list.messages.iter().all(|one| !one.text.trim().is_empty() && !one.text.contains('\0')), "{}", text);
                }
            }
        }
    }
}
