//! Addresses of resources: `remembrancer://memories/abcd2345`.

use std::fmt::Write;

const SCHEME: &str = "remembrancer://";

/// What an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// The memory block of a prompt.
    Block,
    /// An index page of shared knowledge, by path.
    IndexPage(String),
    /// A memory, by id or short id.
    Memory(String),
    /// A document, by id, reference or path.
    Document(String),
}

pub const MEMORY_TEMPLATE: &str = "remembrancer://memories/{memory_id}";
pub const DOCUMENT_TEMPLATE: &str = "remembrancer://documents/{+document}";

impl Name {
    /// Reads an address; `None` if it names nothing of ours.
    pub fn parse(uri: &str) -> Option<Self> {
        let (kind, name) = uri.strip_prefix(SCHEME)?.split_once('/')?;
        let name = decode(name)?;
        match kind {
            "memory" if name == "prompt" => Some(Self::Block),
            "knowledge" => Some(Self::IndexPage(name)),
            "memories" => Some(Self::Memory(name)),
            "documents" => Some(Self::Document(name)),
            _ => None,
        }
    }

    /// The address.
    pub fn uri(&self) -> String {
        match self {
            Self::Block => format!("{SCHEME}memory/prompt"),
            Self::IndexPage(path) => format!("{SCHEME}knowledge/{}", encode(path)),
            Self::Memory(id) => format!("{SCHEME}memories/{}", encode(id)),
            Self::Document(name) => format!("{SCHEME}documents/{}", encode(name)),
        }
    }
}

fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

fn decode(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_as_it_was_written() {
        let names = [
            Name::Block,
            Name::IndexPage("docs/über uns/INDEX.md".into()),
            Name::Memory("abcd2345".into()),
            Name::Document("wiki/100 %?#.md".into()),
        ];
        for name in names {
            let uri = name.uri();
            assert!(uri.is_ascii() && !uri.contains([' ', '?', '#']), "{uri}");
            assert_eq!(Name::parse(&uri), Some(name), "{uri}");
        }
        assert_eq!(Name::parse("remembrancer://documents/ADR-005"), Some(Name::Document("ADR-005".into())));
        for uri in [
            "",
            "remembrancer://",
            "remembrancer://memory/other",
            "file:///etc/passwd",
            "remembrancer://memories/%f",
            "remembrancer://memories/%ff",
        ] {
            assert_eq!(Name::parse(uri), None, "{uri}");
        }
    }
}
