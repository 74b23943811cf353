use super::*;
use std::io::Cursor;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/fixtures/hosts/", $name))
    };
}

fn filter(names: &dyn Fn(&str) -> bool) -> Filter<'_> {
    Filter { names, calls: BTreeSet::new() }
}

fn read(text: &str) -> Window {
    lines(&mut Cursor::new(text), &mut filter(&|_| false)).unwrap()
}

fn texts(said: &[Said]) -> Vec<(Role, &str)> {
    said.iter().map(|one| (one.role, one.text.as_str())).collect()
}

const CLAUDE_CODE: &str = fixture!("claude-code/session.jsonl");

#[test]
fn a_session_of_claude_code_is_its_prompts_answers_and_evidence() {
    let window = read(CLAUDE_CODE);
    assert_eq!(
        texts(&window.said),
        [
            (Role::Person, "I moved the staging database of the harbour service to port 5544 on 12 November 2026."),
            (Role::Assistant, "I will change the settings."),
            (Role::Machine, "port = 5432"),
            (Role::Machine, "MODE=quiet"),
            (Role::Person, "I prefer to test every release of the harbour service on Tuesday before we ship it."),
        ]
    );
    let first = &window.said[0];
    assert_eq!(first.id.as_deref(), Some("00000000-0000-4000-8000-000000000002"));
    assert_eq!(first.at.unwrap().to_rfc3339(), "2026-11-12T09:00:05+00:00");
    assert_eq!(window.skipped, 0);
}

#[test]
fn a_line_that_is_cut_is_read_when_it_is_complete() {
    let window = read(CLAUDE_CODE);
    let (whole, cut) = CLAUDE_CODE.rsplit_once('\n').unwrap();
    assert!(window.ended && !cut.is_empty());
    assert_eq!(window.bytes as usize, whole.len() + 1);
    let rest = format!("{cut}age\":{{\"role\":\"user\",\"content\":\"Mina is on call.\"}}}}");
    let next = read(&rest);
    assert_eq!(texts(&next.said), [(Role::Person, "Mina is on call.")]);
    assert_eq!(next.bytes as usize, rest.len());
}

#[test]
fn a_session_of_codex_has_each_message_once() {
    // Later versions give an id to each message.
    let (earlier, later) = (read(fixture!("codex/session.jsonl")).said, read(fixture!("codex/session-items.jsonl")).said);
    for said in [&earlier, &later] {
        assert_eq!(
            texts(said),
            [
                (Role::Person, "Mina grafts the pear trees on 3 March 2027."),
                (Role::Machine, "exec_command {\"cmd\":\"cat calendar.md\"}"),
                (Role::Machine, "3 March: pears"),
                (Role::Assistant, "The calendar has it."),
            ]
        );
    }
    let ids: Vec<&str> = later.iter().filter_map(|one| one.id.as_deref()).collect();
    assert_eq!(ids, ["msg_3", "fc_1", "fco_1", "msg_4"]);
}

#[test]
fn other_hosts_say_the_same() {
    const FERRY: &str = "The ferry to Lindau leaves at 07:40 from pier 3.";
    let gemini = document(&mut Cursor::new(fixture!("gemini/session.json")), &mut filter(&|_| false)).unwrap();
    let gemini_lines = read(fixture!("gemini/session.jsonl")).said;
    let stop: Value = serde_json::from_str(fixture!("opencode/stop.json")).unwrap();
    let open_code = messages(stop["messages"].as_array().unwrap().clone(), &mut filter(&|_| false));
    let (cursor, copilot) = (read(fixture!("cursor/session.jsonl")).said, read(fixture!("copilot/session.jsonl")).said);
    let mut without_tools = Vec::new();
    for said in [&gemini.said, &gemini_lines, &open_code, &copilot] {
        assert!(texts(said).contains(&(Role::Machine, "07:40 Lindau")), "{said:?}");
        assert!(said.iter().all(|one| one.id.is_some() && one.at.is_some()), "{said:?}");
        without_tools.push(said.iter().filter(|one| one.role != Role::Machine).cloned().collect::<Vec<_>>());
    }
    without_tools.push(cursor);
    for said in without_tools {
        assert_eq!(texts(&said), [(Role::Person, FERRY), (Role::Assistant, "Noted.")]);
    }
}

#[test]
fn what_hooks_add_to_a_prompt_of_gemini_is_not_captured() {
    let parts =
        ["Which port?", "<hook_context>&lt;remembrancer-memory&gt;\nMemories", "&lt;remembrancer-memory&gt;", "\n<remembrancer-memory>"];
    let parts = parts.map(|text| serde_json::json!({ "text": text }));
    let entry = serde_json::json!({ "id": "m1", "type": "user", "content": parts });
    assert_eq!(texts(&messages(vec![entry], &mut filter(&|_| false))), [(Role::Person, "Which port?")]);
}

#[test]
fn words_behind_what_a_hook_answered_are_the_persons() {
    assert_eq!(own_words("<hook_context>&lt;/hook_context&gt; a</hook_context>\n\nWhich port?"), "Which port?");
    assert_eq!(own_words("<hook_context>never ends"), "");
    assert_eq!(own_words("Why <hook_context>x</hook_context>?"), "Why <hook_context>x</hook_context>?");
}

#[test]
fn a_prompt_that_opencode_quotes_is_the_persons_words() {
    let said = |role: &str, text: &str| {
        let part = serde_json::json!({ "type": "text", "text": text });
        let entry = serde_json::json!({ "info": { "id": "m1", "role": role }, "parts": [part] });
        messages(vec![entry], &mut filter(&|_| false)).remove(0).text
    };
    assert_eq!(said("user", "\"Vera says \\\"quay\\\" here.\""), "Vera says \"quay\" here.");
    for (role, text) in [("user", "\"quay\" and \"pier\""), ("user", "7"), ("assistant", "\"Quay.\"")] {
        assert_eq!(said(role, text), text);
    }
}

#[test]
fn what_must_not_be_kept_goes_with_the_answers_of_tools() {
    let names = |text: &str| text.contains("secrets/") || text.contains("Tuesday");
    let (mut withheld, mut input) = (filter(&names), Cursor::new(CLAUDE_CODE));
    let said = lines(&mut input, &mut withheld).unwrap().said;
    assert!(texts(&said).contains(&(Role::Machine, "port = 5432")), "{said:?}");
    assert!(!said.iter().any(|one| one.text.contains("MODE") || one.text.contains("Tuesday")), "{said:?}");
    assert_eq!(withheld.calls.iter().collect::<Vec<_>>(), ["toolu_2"]);

    let answer = CLAUDE_CODE.lines().find(|line| line.contains("MODE=quiet")).unwrap();
    assert!(lines(&mut Cursor::new(answer), &mut withheld).unwrap().said.is_empty());
}

#[test]
fn long_lines_are_skipped_and_long_sessions_read_in_parts() {
    let line = |text: &str| format!("{{\"type\":\"user\",\"uuid\":\"u\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n");
    let long = line(&"x".repeat(LINE_MAX as usize));
    let window = read(&(long.clone() + &line("Vera")));
    assert_eq!((window.skipped, window.bytes), (1, long.len() as u64));
    assert!(!window.ended);

    let half = line(&"y".repeat(WINDOW as usize / 2));
    let mut input = Cursor::new(half.repeat(5));
    let (mut parts, mut said) = (0, 0);
    loop {
        let window = lines(&mut input, &mut filter(&|_| false)).unwrap();
        (parts, said) = (parts + 1, said + window.said.len());
        if window.ended {
            break;
        }
    }
    assert_eq!((parts, said), (3, 5));
    let output = "z".repeat(EVIDENCE_MAX * 2);
    let result = format!(
        "{{\"type\":\"user\",\"uuid\":\"u\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"content\":\"{output}\"}}]}}}}\n"
    );
    assert!(read(&result).said[0].text.len() < EVIDENCE_MAX + 16);
}

#[test]
fn what_is_no_session_says_nothing() {
    for text in ["", "\n\n", "7\n", "no JSON\n", "{\"type\":\"user\"}\n", "{\"type\":\"user\",\"message\":3}\n", "[{}]\n", "{\"\u{1}\n"] {
        assert!(read(text).said.is_empty(), "{text:?}");
    }
    assert!(document(&mut Cursor::new("{\"messages\": [{\"id\""), &mut filter(&|_| false)).is_err());
    assert!(document(&mut Cursor::new("{}"), &mut filter(&|_| false)).is_err());
}
