//! Clients of OAuth that do not register: the id of such a client is the address of a document in which it describes itself
//! (draft-ietf-oauth-client-id-metadata-document).

use super::keys;
use super::model::OauthClient;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::intake::Admitted;
use crate::outbound::Fault;
use std::time::Duration;
use uuid::{Builder, Uuid};
use wire::oauth::{CLIENT_NAME_MAX, ClientDocument, NO_REDIRECT, document_host, is_redirect};

/// Most bytes of a document.
const DOCUMENT_MAX: usize = 64 * 1024;
/// When an operator may try again if many documents are being fetched.
const WAIT: Duration = Duration::from_secs(5);

/// The client that the document at an address describes. A document is fetched again after some minutes.
///
/// # Errors
/// `Invalid` for an address that cannot be fetched, and for a document that is not one of this client; `Busy` if many are being fetched.
pub(super) async fn client(engine: &Engine, address: &str) -> Result<OauthClient, Error> {
    let documents = engine.client_documents();
    let document = match documents.get(address).await {
        Some(known) => known,
        None => {
            let document = check(address, engine.outbound().json(address, DOCUMENT_MAX).await.map_err(refused)?)?;
            documents.insert(address.to_owned(), document.clone()).await;
            document
        }
    };
    let ClientDocument { client_name: name, redirect_uris, .. } = document;
    Ok(OauthClient { id: id(address), name, redirect_uris, host: document_host(address).map(str::to_owned) })
}

/// The id that stands for an address in the database.
pub(super) fn id(address: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&keys::hash(address)[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

fn refused(fault: Fault) -> Error {
    match fault {
        Fault::Busy => Error::Busy { reason: "many documents of clients are being fetched", wait: WAIT },
        fault => Error::invalid("client_id", fault.to_string()),
    }
}

/// A document that its client may use here, with those of its redirect addresses that are allowed.
fn check(address: &str, document: ClientDocument) -> Result<ClientDocument, Error> {
    let client_name = Admitted::text("name", document.client_name)?.into_inner();
    // Clients list addresses for other servers, too.
    let redirect_uris: Vec<String> = document.redirect_uris.into_iter().filter(|uri| is_redirect(uri)).collect();
    Checks::default()
        .that(document.client_id == address, "client_id in the document", "must be the address of the document")
        .text("client_name in the document", &client_name, CLIENT_NAME_MAX)
        .that(!redirect_uris.is_empty(), "redirect_uris in the document", NO_REDIRECT)
        .that(
            document.token_endpoint_auth_method.as_deref().is_none_or(|method| method == "none"),
            "token_endpoint_auth_method in the document",
            "must be none: every client of this server is a public one",
        )
        .done()?;
    redirect_uris.iter().try_for_each(|uri| Admitted::id("redirect_uris in the document", uri).map(drop))?;
    Ok(ClientDocument { client_name, redirect_uris, ..document })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://claude.example/client.json";

    fn document() -> ClientDocument {
        ClientDocument {
            client_id: ADDRESS.into(),
            client_name: "Claude".into(),
            redirect_uris: vec!["claude://callback".into(), "http://127.0.0.1/callback".into()],
            token_endpoint_auth_method: None,
        }
    }

    #[test]
    fn a_document_describes_a_public_client_at_its_own_address() {
        assert_eq!(check(ADDRESS, document()).unwrap().redirect_uris, ["http://127.0.0.1/callback"]);
        assert!(check(ADDRESS, ClientDocument { token_endpoint_auth_method: Some("none".into()), ..document() }).is_ok());
        for (bad, field) in [
            (ClientDocument { client_id: "https://claude.example/other.json".into(), ..document() }, "client_id"),
            (ClientDocument { client_id: String::new(), ..document() }, "client_id"),
            (ClientDocument { client_name: " ".into(), ..document() }, "client_name"),
            (ClientDocument { client_name: "x".repeat(101), ..document() }, "client_name"),
            (ClientDocument { redirect_uris: vec![], ..document() }, "redirect_uris"),
            (ClientDocument { redirect_uris: vec!["http://claude.example/".into()], ..document() }, "redirect_uris"),
            (ClientDocument { token_endpoint_auth_method: Some("private_key_jwt".into()), ..document() }, "token_endpoint_auth_method"),
        ] {
            let error = check(ADDRESS, bad).unwrap_err();
            assert_eq!(error.fields().iter().map(|field| field.field.as_str()).collect::<Vec<_>>(), [format!("{field} in the document")]);
        }
    }

    #[test]
    fn an_address_has_an_id_of_its_own() {
        assert_eq!(id(ADDRESS), id(ADDRESS));
        assert_ne!(id(ADDRESS), id("https://claude.example/other.json"));
        assert_eq!(id(ADDRESS).get_version_num(), 8, "no registration has it");
    }
}
