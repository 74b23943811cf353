//! The media type of bytes that are not text. Pure.

/// What stands at the beginning of a file, and its type.
const BEGINNINGS: [(&[u8], &str); 12] = [
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
];

/// The type by the beginning of the bytes, or `application/octet-stream`.
pub fn guess(bytes: &[u8]) -> &'static str {
    match bytes.get(8..12) {
        Some(b"WEBP") if bytes.starts_with(b"RIFF") => return "image/webp",
        Some(b"WAVE") if bytes.starts_with(b"RIFF") => return "audio/wav",
        _ if bytes.get(4..8) == Some(b"ftyp") => return "video/mp4",
        _ => {}
    }
    BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning)).map_or("application/octet-stream", |(_, name)| name)
}

/// Whether a text is a media type: `type/subtype`, without parameters (RFC 6838).
pub fn is_valid(text: &str) -> bool {
    let name = |part: &str| {
        let first = part.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        first && part.len() <= 127 && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    text.split_once('/').is_some_and(|(kind, subtype)| name(kind) && name(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_how_they_begin() {
        assert_eq!(guess(b"%PDF-1.7\n\0"), "application/pdf");
        assert_eq!(guess(b"RIFF\0\0\0\0WEBPVP8 "), "image/webp");
        assert_eq!(guess(b"\0\0\0\x20ftypisom"), "video/mp4");
        assert_eq!(guess(b"\0\x01"), "application/octet-stream");
        assert_eq!(guess(b""), "application/octet-stream");
    }

    #[test]
    fn a_media_type_has_two_names() {
        for valid in ["application/pdf", "image/svg+xml", "application/vnd.oasis.opendocument.text"] {
            assert!(is_valid(valid), "{valid}");
        }
        for wrong in ["", "pdf", "application/", "/pdf", "text/plain; charset=utf-8", "a b/c", "../etc/passwd", "text/pl\u{e4}in"] {
            assert!(!is_valid(wrong), "{wrong}");
        }
    }
}
