//! The token of a form: the proof that a form was rendered for the session that sends it. A form that somebody smuggles into a page has none.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tower_sessions::session::Id;

/// The name of the field that holds the token. It is the first field of its form: the server reads no further to find it.
pub const FORM_TOKEN: &str = "form_token";

/// The token of the form that `session` sends to the path `action`, as 64 hexadecimal digits.
pub fn form_token(session: Id, action: &str) -> String {
    hex::encode(mac(session, action).finalize().into_bytes())
}

/// Whether `token` is the token of that form, compared in constant time.
pub fn is_form_token(session: Id, action: &str, token: &[u8]) -> bool {
    hex::decode(token).is_ok_and(|bytes| mac(session, action).verify_slice(&bytes).is_ok())
}

/// The id of a session is known to its browser and to the server alone, and the token does not tell it.
fn mac(session: Id, action: &str) -> Hmac<Sha256> {
    // Its bytes as the cookie has them, in a key of one block.
    let mut key = [0; 64];
    key.iter_mut().zip(session.0.to_le_bytes()).for_each(|(to, byte)| *to = byte);
    let mut mac = Hmac::<Sha256>::new(&key.into());
    mac.update(b"form ");
    mac.update(action.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_that_of_one_form_of_one_session() {
        let (vera, idris) = (Id(1), Id(2));
        let token = form_token(vera, "/console/api/decide_pair");
        assert!(is_form_token(vera, "/console/api/decide_pair", token.as_bytes()));
        assert!(!is_form_token(idris, "/console/api/decide_pair", token.as_bytes()), "another session");
        assert!(!is_form_token(vera, "/console/api/delete_memories", token.as_bytes()), "another form");
        for wrong in [&token[..62], &token[1..], "", &format!("{token}00"), &"+1".repeat(32), &"é".repeat(32)] {
            assert!(!is_form_token(vera, "/console/api/decide_pair", wrong.as_bytes()), "{wrong}");
        }
    }
}
