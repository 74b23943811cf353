//! Passwords of operators: argon2id, off the async threads.

use crate::error::Error;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::failed("argon2 failed")(error)
}

/// A PHC string of the password, with a salt of its own.
pub async fn hash(password: String) -> Result<String, Error> {
    let hashed = move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string());
    tokio::task::spawn_blocking(hashed).await.map_err(broken)?.map_err(broken)
}

/// Whether the password is the one that was hashed. Without a hash the same work is done for nothing.
pub async fn verify(password: String, hash: Option<String>) -> Result<bool, Error> {
    let verified = move || match hash {
        Some(hash) => {
            let parsed = PasswordHash::new(&hash).map_err(broken)?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
        }
        None => Argon2::default().hash_password(password.as_bytes()).map(|_| false).map_err(broken),
    };
    tokio::task::spawn_blocking(verified).await.map_err(broken)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_verifies_against_its_own_hash_only() {
        let hashed = hash("correct horse battery".into()).await.unwrap();
        assert!(hashed.starts_with("$argon2id$"));
        assert!(verify("correct horse battery".into(), Some(hashed.clone())).await.unwrap());
        assert!(!verify("wrong horse battery".into(), Some(hashed)).await.unwrap());
        assert!(!verify("anything".into(), None).await.unwrap());
    }
}
