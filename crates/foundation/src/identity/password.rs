//! Passwords of operators: argon2id, off the async threads.

use crate::error::Error;
use crate::heavy::off_thread;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

/// Passwords that are hashed at once: each takes 19 MiB and a processor.
static TURNS: Semaphore = Semaphore::const_new(4);

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::failed("argon2 failed")(error)
}

/// A PHC string of the password, with a salt of its own.
pub async fn hash(password: String) -> Result<String, Error> {
    let hashed = move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string());
    in_turn(hashed).await?.map_err(broken)
}

async fn in_turn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let turn = TURNS.acquire().await.map_err(broken)?;
    off_thread(move || {
        // A caller that goes away does not end the work, so the work holds the turn.
        let _turn = turn;
        work()
    })
    .await
}

/// Whether the password is the one that was hashed. Without a hash it does the same work and returns false.
pub async fn verify(password: String, hash: Option<String>) -> Result<bool, Error> {
    let verified = move || match hash {
        Some(hash) => {
            let parsed = PasswordHash::new(&hash).map_err(broken)?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
        }
        None => Argon2::default().hash_password(password.as_bytes()).map(|_| false).map_err(broken),
    };
    in_turn(verified).await?
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

    #[tokio::test]
    async fn few_passwords_are_worked_on_at_once() {
        let taken = TURNS.acquire_many(4).await.unwrap();
        let waiting = tokio::spawn(verify("anything".into(), None));
        for _ in 0..3 {
            tokio::task::spawn_blocking(|| Argon2::default().hash_password(b"as much work").is_ok()).await.unwrap();
        }
        assert!(!waiting.is_finished(), "a fifth waits");
        drop(taken);
        assert!(!waiting.await.unwrap().unwrap());
    }
}
