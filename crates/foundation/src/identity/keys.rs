//! API keys: `rmb_<prefix>_<secret>`. The prefix finds the row, a SHA-256 of the whole key proves it.

use sha2::{Digest, Sha256};

/// Characters of the public part.
pub const PREFIX_LENGTH: usize = 12;
/// Characters of the secret part: 43 of 62 symbols are 256 bits, which is why a fast hash is enough.
pub const SECRET_LENGTH: usize = 43;

/// The prefix of something that has the form of a key.
pub fn prefix_of(key: &str) -> Option<&str> {
    let (prefix, secret) = key.strip_prefix("rmb_")?.split_once('_')?;
    let plain = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain(prefix, PREFIX_LENGTH) && plain(secret, SECRET_LENGTH)).then_some(prefix)
}

/// SHA-256 of a whole key, or of a session's id.
pub fn hash(key: &str) -> Vec<u8> {
    Sha256::digest(key).to_vec()
}

/// Compares two hashes in a time that does not depend on where they differ.
pub fn same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_keys_have_a_prefix() {
        let key = format!("rmb_{}_{}", "a".repeat(PREFIX_LENGTH), "b".repeat(SECRET_LENGTH));
        assert_eq!(prefix_of(&key), Some("aaaaaaaaaaaa"));
        for bad in ["", "rmb_", "rmb_a_b", "sk_aaaaaaaaaaaa_b", &key[1..], &key[..key.len() - 1], &key.replace('b', "-")] {
            assert_eq!(prefix_of(bad), None, "{bad}");
        }
        assert!(same(&hash(&key), &hash(&key)));
        assert!(!same(&hash(&key), &hash("other")));
    }
}
