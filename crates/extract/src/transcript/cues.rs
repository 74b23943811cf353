//! Captions: WebVTT, as Teams and Zoom write it, and SubRip. Their times count from the beginning, so that no turn has one.

use super::lines::{self, Form};
use super::{Message, role};
use crate::Role;
use std::borrow::Cow;
use std::collections::HashMap;

/// What one cue, or one voice of it, says.
struct Cue<'a> {
    speaker: Option<Cow<'a, str>>,
    text: String,
}

/// What is said in captions, the cues of one speaker together; `None` if the text is none. Without a speaker a message is a sentence.
pub fn messages(text: &str) -> Option<Vec<Message>> {
    let mut written = text.lines().filter(|line| !line.trim().is_empty());
    let first = written.next()?.trim();
    let numbered = first.bytes().all(|byte| byte.is_ascii_digit());
    let is_captions = first.starts_with("WEBVTT") || is_time(first) || numbered && written.next().is_some_and(is_time);
    if !is_captions {
        return None;
    }
    let cues = cues(text);
    let names: HashMap<String, usize> = cues.iter().flatten().fold(HashMap::new(), |mut names, line| {
        if let Some(head) = lines::head(line).filter(|head| head.form != Form::Unknown) {
            *names.entry(head.speaker).or_default() += 1;
        }
        names
    });
    let is_name = |head: &lines::Head| head.form == Form::Name || names.get(&head.speaker).is_some_and(|count| *count > 1);
    let mut messages: Vec<Message> = Vec::new();
    for cue in cues.iter().flat_map(|lines| voices(lines, &is_name)) {
        let speaker = cue.speaker.unwrap_or_default();
        match messages.last_mut().filter(|last| goes_on(last, &speaker)) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(&cue.text);
            }
            None => messages.push(Message {
                role: if speaker.is_empty() { Role::Person } else { role(&speaker) },
                speaker: speaker.into_owned(),
                at: None,
                text: cue.text,
            }),
        }
    }
    Some(messages)
}

/// Whether a cue continues what was said before. One without a name may be anybody's, unless it ends a sentence that was begun.
fn goes_on(last: &Message, speaker: &str) -> bool {
    let ended = last.text.trim_end_matches(['"', '”', ')', '\'']).ends_with(['.', '!', '?', '…', '。', '！', '？']);
    if speaker.is_empty() { !ended } else { last.speaker == speaker }
}

/// "00:01:05.000 --> 00:01:11.500".
fn is_time(line: &str) -> bool {
    let clock =
        |side: &str| side.trim().split(' ').next().is_some_and(|time| time.contains(':') && time.starts_with(|c: char| c.is_ascii_digit()));
    line.split_once("-->").is_some_and(|(from, to)| clock(from) && clock(to))
}

/// The lines of each cue.
fn cues(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut cues, mut open): (Vec<Vec<&str>>, bool) = (Vec::new(), false);
    for (at, line) in lines.iter().enumerate() {
        // The number of a cue stands before its time, in some files without a blank line before it.
        let number = line.trim().bytes().all(|byte| byte.is_ascii_digit()) && lines.get(at + 1).is_some_and(|next| is_time(next));
        if is_time(line) {
            cues.push(Vec::new());
            open = true;
        } else if number || line.trim().is_empty() {
            open = false;
        } else if let Some(cue) = cues.last_mut().filter(|_| open) {
            cue.push(line);
        }
    }
    cues
}

/// What a cue says, by speaker.
fn voices<'a>(lines: &[&'a str], is_name: &dyn Fn(&lines::Head) -> bool) -> Vec<Cue<'a>> {
    let mut cues: Vec<Cue> = Vec::new();
    for line in lines {
        let voiced = voiced(line);
        let tagged = voiced.iter().any(|(name, _)| name.is_some());
        for (name, text) in voiced {
            let head = lines::head(&text).filter(|head| !tagged && is_name(head));
            let (name, text) = match head {
                Some(head) => (Some(head.speaker.into()), text.get(head.body..).unwrap_or_default().to_owned()),
                None => (name, text),
            };
            let text = text.trim_start_matches(['>', ' ']).trim_end();
            match cues.last_mut().filter(|_| name.is_none() && !tagged) {
                _ if text.is_empty() => {}
                Some(cue) => {
                    cue.text.push(' ');
                    cue.text.push_str(text);
                }
                None => cues.push(Cue { speaker: name, text: text.to_owned() }),
            }
        }
    }
    cues
}

/// The pieces of a line by the name of their tag `<v Vera>`, without tags.
fn voiced(line: &str) -> Vec<(Option<Cow<'_, str>>, String)> {
    let (mut pieces, mut name, mut text, mut rest) = (Vec::new(), None, String::new(), line);
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let Some((tag, after)) = after.split_once('>') else {
            text.push('<');
            rest = after;
            break;
        };
        if let Some((_, voice)) = tag.split_once(' ').filter(|(kind, _)| *kind == "v" || kind.starts_with("v.")) {
            pieces.push((name.replace(plain(voice.trim())), std::mem::take(&mut text)));
        }
        rest = after;
    }
    text.push_str(rest);
    pieces.push((name, text));
    pieces.retain(|(_, text)| !text.trim().is_empty());
    pieces.iter_mut().for_each(|(_, text)| *text = plain(text.trim()).into_owned());
    pieces
}

/// The text of character references.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", ""), ("&amp;", "&")];
    Cow::Owned(marks.iter().fold(text.to_owned(), |text, (name, mark)| text.replace(name, mark)))
}

#[cfg(test)]
mod tests {
    use crate::transcript::read;

    /// Speaker and words of each turn.
    fn turns(text: &str) -> Vec<(Option<String>, String)> {
        let read = read(text.as_bytes()).unwrap();
        assert!(read.turns.iter().all(|turn| turn.at.is_none() && read.text.get(turn.start..turn.end) == Some(&turn.text)));
        read.turns.into_iter().map(|turn| (turn.speaker, turn.text)).collect()
    }

    fn by(name: &str, text: &str) -> (Option<String>, String) {
        (Some(name).filter(|name| !name.is_empty()).map(str::to_owned), text.to_owned())
    }

    #[test]
    fn captions_are_turns_by_speaker() {
        let teams = "WEBVTT\n\nead811ac-0\n00:00:05.000 --> 00:00:07.500\n<v Vera Lind>I moved to</v>\n\n\
                     ead811ac-1\n00:00:08.000 --> 00:00:09.000 align:start\n<v Vera Lind>Basel &amp; I <i>like</i> it.</v>\n\n\
                     00:01:05.000 --> 00:01:07.000\n<v Idris>Nice.</v> <v Vera Lind>Yes.\n";
        assert_eq!(turns(teams), [by("Vera Lind", "I moved to Basel & I like it."), by("Idris", "Nice."), by("Vera Lind", "Yes.")]);
        let zoom = "WEBVTT - A call\n\nNOTE\nVera: no text\n\n1\n00:00:05.000 --> 00:00:07.500\nvera: I moved to\nBasel.\n\n\
                    2\n00:00:08.000 --> 00:00:09.500\nvera: I like it.\n";
        assert_eq!(turns(zoom), [by("vera", "I moved to Basel. I like it.")]);
        let srt = "\u{feff}1\r\n00:00:05,000 --> 00:00:07,500\r\nVera: I moved to\r\n\r\n2\r\n00:00:08,000 --> 00:00:09,500\r\nBasel.\r\n\
                   3\r\n00:00:10,000 --> 00:00:11,000\r\nReally?\r\n\r\n4\r\n00:00:12,000 --> 00:00:13,000\r\nYes.\r\n";
        assert_eq!(turns(srt), [by("Vera", "I moved to Basel."), by("", "Really?"), by("", "Yes.")]);
    }
}
