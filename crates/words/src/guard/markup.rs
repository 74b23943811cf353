//! Text that readers do not see and models do: invisible characters, changed direction, hidden markup, the syntax of tool calls.

use super::view::View;

/// Beginnings of markup that hides text or runs something, in lower case, with what a reviewer reads.
#[rustfmt::skip]
const HIDDEN: &[(&str, &str)] = &[
    ("<!--", "an HTML comment"), ("<script", "a script"), ("<iframe", "an embedded page"), ("javascript:", "a script address"),
    ("data:text/", "a data address"), ("data:application/", "a data address"), (";base64,", "a data address"),
    ("display:none", "hidden markup"), ("display: none", "hidden markup"), ("visibility:hidden", "hidden markup"),
    ("font-size:0", "hidden markup"), ("onerror=", "a script in an attribute"),
];
/// Marks with which models separate roles and call tools.
const CALLS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|start_header_id|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<tool_call",
    "</tool_call",
    "<function_call",
    "<invoke",
    "<tool_use",
    "<system>",
    "</system>",
    "<instructions>",
    "</instructions>",
    "<instruction>",
    "</context>",
    "</prompt>",
    "<prompt>",
    "</user>",
    "</user_input>",
    "</document>",
    "</memories>",
    "<admin>",
    "<|eot_id|>",
    "<|begin_of_text|>",
    "[system](",
    "[assistant](",
    "](#instructions)",
    "\"tool_calls\"",
    "\"tool_use\"",
    "\"function_call\"",
    "```tool_code",
];
/// The longest flag that is spelled with invisible letters.
const FLAG: usize = 7;
/// Zero-width characters that may be an accident of copying.
const STRAY: usize = 2;

/// Why the text may say more than it shows.
pub fn reasons(text: &str) -> Vec<String> {
    let lower = View::new(text).text().to_ascii_lowercase();
    let mut reasons: Vec<String> = Vec::new();
    if let Some((_, what)) = HIDDEN.iter().find(|(mark, _)| lower.contains(mark)) {
        reasons.push(format!("It contains {what}, which readers may not see."));
    }
    if CALLS.iter().any(|mark| lower.contains(mark)) {
        reasons.push("It contains the syntax of a tool call or of a model's roles.".into());
    }
    if invisible(text) {
        reasons.push("It contains invisible characters.".into());
    }
    if overrides(text) {
        reasons.push("It contains characters that change the direction of the text.".into());
    }
    reasons
}

/// Whether letters are hidden: tag characters outside a flag, hidden variation selectors, or several zero-width characters.
fn invisible(text: &str) -> bool {
    let (mut stray, mut flag) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '\u{1f3f4}' => flag = FLAG,
            '\u{e0000}'..='\u{e007f}' if flag > 0 => flag -= 1,
            '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' => return true,
            _ if is_zero_width(c) && !(c == '\u{feff}' && at == 0) => stray += 1,
            _ => flag = 0,
        }
    }
    stray > STRAY
}

/// Characters without width that no script needs. Joiners (U+200C, U+200D) are part of Persian and of emoji.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' | '\u{00ad}')
}

/// Whether the direction is forced, or set apart in a text that is written from left to right only.
fn overrides(text: &str) -> bool {
    let right_to_left = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let forced = text.contains(['\u{202d}', '\u{202e}']);
    let set_apart = text.contains(['\u{202a}', '\u{202b}', '\u{2066}', '\u{2067}', '\u{2068}']);
    forced || (set_apart && !text.contains(right_to_left))
}
