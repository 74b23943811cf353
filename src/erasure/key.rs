//! The key of a tenant: fingerprints that keep erased text from coming back, and signatures of reports.

use super::store;
use foundation::{Engine, Error};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use wire::{AgentId, TenantId, UserId};

/// Characters of a tenant's secret: 43 of 62 symbols are 256 bits.
const SECRET_LENGTH: usize = 43;

/// Bytes of the key. They are in the control database, where only what works before and across tenants reads them: whoever has the
/// fingerprints without the key cannot try which text makes them.
pub struct Key([u8; 64]);

impl Key {
    /// The key, if the tenant has one. Without one, nothing was erased yet.
    pub async fn find(engine: &Engine, tenant: TenantId) -> Result<Option<Self>, Error> {
        Ok(store::secret(engine.db().control.system(), tenant).await?.map(|secret| Self::new(&secret)))
    }

    /// The key, which is made if there is none. Two callers get the same one.
    pub(super) async fn find_or_make(engine: &Engine, tenant: TenantId) -> Result<Self, Error> {
        let secret = engine.clock().secret(SECRET_LENGTH);
        store::insert_secret(engine.db().control.system(), tenant, &secret, engine.clock().now()).await?;
        Self::find(engine, tenant).await?.ok_or_else(|| Error::internal("a key that was just made is not there"))
    }

    /// A block of SHA-256 that begins with the hash of the secret.
    fn new(secret: &str) -> Self {
        let mut block = [0; 64];
        block.iter_mut().zip(Sha256::digest(secret)).for_each(|(byte, of_hash)| *byte = of_hash);
        Self(block)
    }

    /// HMAC-SHA256 over what the fingerprint is of, and the parts, each with its length before it.
    fn mac(&self, what: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.0.into());
        for part in [what.as_bytes()].iter().chain(parts) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// The fingerprint of a text that an agent may not learn again: `content_hash` is the SHA-256 of the text.
    pub fn text(&self, agent: AgentId, user: Option<UserId>, content_hash: &[u8]) -> Vec<u8> {
        let user = user.map_or([0; 16], |user| user.0.into_bytes());
        self.mac("text", &[agent.0.as_bytes(), &user, content_hash]).finalize().into_bytes().to_vec()
    }

    /// The fingerprint of a user who was erased.
    pub fn user(&self, user: UserId) -> Vec<u8> {
        self.mac("user", &[user.0.as_bytes()]).finalize().into_bytes().to_vec()
    }

    /// The signature of a report, in hexadecimal digits.
    pub(super) fn signature(&self, report: &str) -> String {
        hex::encode(self.mac("report", &[report.as_bytes()]).finalize().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn fingerprints_depend_on_the_key_the_owner_and_the_text() {
        let (key, other) = (Key::new("one"), Key::new("other"));
        let (agent, user) = (AgentId(Uuid::from_u128(1)), Some(UserId(Uuid::from_u128(2))));
        let all = [
            key.text(agent, user, b"tea"),
            key.text(agent, user, b"coffee"),
            key.text(agent, None, b"tea"),
            key.text(AgentId(Uuid::from_u128(3)), user, b"tea"),
            other.text(agent, user, b"tea"),
            key.user(UserId(Uuid::from_u128(2))),
        ];
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
        assert_eq!(key.text(agent, user, b"tea"), all[0]);
        assert!(all.iter().all(|fingerprint| fingerprint.len() == 32));
        assert_ne!(key.signature("{}"), other.signature("{}"));
    }
}
