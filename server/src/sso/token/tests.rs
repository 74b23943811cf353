use super::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;

/// The modulus of an RSA key that openssl made; nobody has its other half.
const RSA_MODULUS: &str = "\
    utMOK3hFmIiXSUc4LzaYMzKoblCY1imNEJwGyGVs5pwqQ_Z2vSyUygZxuKp3o0w9lhHPoyvuSQk0rXdvxZGlHHP7YkCNKbOviRzo3i98RZRncrViQHrFpO4G\
    gP7Z1B5kvvEkKgFhyLIeArKd5ZHpASpAqUgQ1QF_xqzGYHmETaAkje6Xt2LJE-Sq7TXLldDcX3jrBDEBzw2iTvE6-P7oKH7X5G86w9hCuBvwa1-o81ma-Tbz\
    OO9EdwERkv--IBRQtPuqQKSQzCO2LleWdMHoz5b7eemPfwbLo91QJAPo9IhHS7mIDpO6HcIEYgvRMulY9jkAxig3gJLVSwX5a8UhVQ";

/// A token that openssl signed with it.
const RSA_TOKEN: &str = "\
    eyJhbGciOiJSUzI1NiIsImtpZCI6Im9sZCJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJhdWQiOiJtZW1vcnkiLCJzdWIiOiI0NzExIiwiZXh\
    wIjoxODAwMDAwMzAwLCJpYXQiOjE4MDAwMDAwMDAsIm5vbmNlIjoibi0xIn0.oSyPi40UGaubz_DP55KhdwvUtw6zTcmOCeJwBuNXlLLXgxB8tJS0mfI8IYj\
    w_ELcKMs4xMVFMLEp1Yv29luec95k6Wvdpv-0Eu6kkcKqV9rK4njbjzAp8cJo3bS-t0I3Uda5kH5QducgINiWf7Sz-h586qlzA2AgGD_5JI8GIPu2kxUclqo\
    chBLicHIEvq7Udhq2EqSOZr84RDRza4UpiWINoedbjLPnGo_K49_6A6l3BOvrz6jVKPHr7c_xuI_Iesm0ZCcUIonmLXsczQSmW4Hi4PAxdpdKQj2bVh4mclu\
    s0mMNJieA-i_ojm0_P41IKVkl14kCh9Tdz--Cg0WsTA";

const NOW: i64 = 1_800_000_100;

fn expected() -> Expected<'static> {
    let now = DateTime::from_timestamp(NOW, 0).unwrap();
    Expected { issuer: "https://login.example", client_id: "memory", nonce: "n-1", now }
}

fn key(fields: Value) -> Key {
    serde_json::from_value(fields).unwrap()
}

/// A provider's key on the curve P-256.
struct Signer {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl Signer {
    fn new() -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
        Self { pair, random }
    }

    fn published(&self, id: &str) -> Value {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        json!({ "kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "x": x, "y": y })
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.pair.sign(&self.random, signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }
}

fn header() -> Value {
    json!({ "alg": "ES256", "kid": "now" })
}

/// Good claims with some in place of others; `null` leaves one out.
fn claims(changes: Value) -> Value {
    let mut claims = json!({
        "iss": "https://login.example", "aud": "memory", "sub": "4711", "exp": NOW + 300, "iat": NOW, "nonce": "n-1",
        "groups": ["staff", "heads"], "realm_access": { "roles": ["staff"] }, "name": " ", "email": "vera@acme.example",
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

#[test]
fn a_token_says_who_somebody_is() {
    let signer = Signer::new();
    let keys = [key(signer.published("old")), key(signer.published("now"))];
    for header in [header(), json!({ "alg": "ES256" })] {
        let said = verify(&signer.sign(&header, &claims(json!({}))), &keys, &expected()).unwrap();
        assert_eq!(said.subject, "4711");
        assert_eq!((said.first(&["name", "email"]), said.first(&["groups", "none"])), (Some("vera@acme.example"), None));
        assert_eq!(
            (said.texts("groups"), said.texts("realm_access.roles")),
            (Some(vec!["staff".into(), "heads".into()]), Some(vec!["staff".to_owned()]))
        );
        assert_eq!((said.texts("realm_access.none"), said.texts("groups.0"), said.texts("exp")), (None, None, None));
    }
    let whole = claims(json!({ "realm_access.roles": "whole", "aud": ["other", "memory"], "azp": "memory" }));
    let said = verify(&signer.sign(&header(), &whole), &keys, &expected()).unwrap();
    assert_eq!(said.texts("realm_access.roles"), Some(vec!["whole".to_owned()]), "a claim with the whole name comes first");
}

#[test]
fn a_token_with_other_claims_proves_nothing() {
    let signer = Signer::new();
    let keys = [key(signer.published("now"))];
    for (changes, flaw) in [
        (json!({ "iss": "https://login.example/" }), Flaw::Issuer),
        (json!({ "iss": null }), Flaw::Issuer),
        (json!({ "aud": "other" }), Flaw::Audience),
        (json!({ "aud": [] }), Flaw::Audience),
        (json!({ "aud": ["memory", "other"] }), Flaw::Audience),
        (json!({ "azp": "other" }), Flaw::Audience),
        (json!({ "exp": NOW - 60 }), Flaw::Expired),
        (json!({ "exp": null }), Flaw::Expired),
        (json!({ "exp": "9999999999" }), Flaw::Expired),
        (json!({ "iat": null }), Flaw::Undated),
        (json!({ "iat": NOW + 61 }), Flaw::Future),
        (json!({ "nbf": NOW + 61 }), Flaw::Future),
        (json!({ "nonce": "n-2" }), Flaw::Nonce),
        (json!({ "nonce": null }), Flaw::Nonce),
        (json!({ "sub": "" }), Flaw::Subject),
        (json!({ "sub": 4711 }), Flaw::Subject),
        (json!({ "sub": "s".repeat(256) }), Flaw::Subject),
    ] {
        assert_eq!(verify(&signer.sign(&header(), &claims(changes.clone())), &keys, &expected()).unwrap_err(), flaw, "{changes}");
    }
    for changes in [json!({ "exp": NOW - 59 }), json!({ "iat": NOW + 60 }), json!({ "aud": ["memory"] })] {
        assert!(verify(&signer.sign(&header(), &claims(changes.clone())), &keys, &expected()).is_ok(), "{changes}");
    }
}

#[test]
fn only_a_published_key_signs_and_only_in_its_own_way() {
    let (signer, stranger) = (Signer::new(), Signer::new());
    let keys = [key(signer.published("now"))];
    let refused = |token: &str| verify(token, &keys, &expected()).unwrap_err();
    let good = signer.sign(&header(), &claims(json!({})));
    assert_eq!(refused(&stranger.sign(&header(), &claims(json!({})))), Flaw::Signature);
    for (header, flaw) in [
        (json!({ "alg": "ES256", "kid": "next" }), Flaw::UnknownKey),
        (json!({ "alg": "RS256", "kid": "now" }), Flaw::UnknownKey),
        (json!({ "alg": "none", "kid": "now" }), Flaw::Algorithm),
        (json!({ "alg": "HS256", "kid": "now" }), Flaw::Algorithm),
        (json!({ "alg": "es256", "kid": "now" }), Flaw::Algorithm),
        (json!({ "alg": "ES256", "kid": "now", "crit": ["b64"] }), Flaw::Form),
        (json!({ "kid": "now" }), Flaw::Form),
    ] {
        assert_eq!(refused(&signer.sign(&header, &claims(json!({})))), flaw, "{header}");
    }
    let (signed, _) = good.rsplit_once('.').unwrap();
    for (token, flaw) in [
        (String::new(), Flaw::Form),
        (signed.to_owned(), Flaw::Form),
        (format!("{good}.more"), Flaw::Signature),
        (format!("{signed}."), Flaw::Signature),
        (format!("{signed}.{}", URL_SAFE_NO_PAD.encode([0_u8; 64])), Flaw::Signature),
    ] {
        assert_eq!(refused(&token), flaw, "{token}");
    }
    for (field, value) in [("use", "enc"), ("alg", "RS256"), ("kty", "oct")] {
        let mut other = signer.published("now");
        other[field] = value.into();
        assert_eq!(verify(&good, &[key(other)], &expected()).unwrap_err(), Flaw::UnknownKey, "{field}");
    }
}

#[test]
fn a_token_of_openssl_is_verified() {
    let rsa = |modulus: &str| key(json!({ "kty": "RSA", "kid": "old", "alg": "RS256", "n": modulus, "e": "AQAB" }));
    assert_eq!(verify(RSA_TOKEN, &[rsa(RSA_MODULUS)], &expected()).unwrap().subject, "4711");
    // Some providers write the number with a zero before it.
    let padded = URL_SAFE_NO_PAD.encode([&[0_u8][..], &bytes(RSA_MODULUS).unwrap()].concat());
    assert!(verify(RSA_TOKEN, &[rsa(&padded)], &expected()).is_ok());
    let other = URL_SAFE_NO_PAD.encode([7_u8; 256]);
    for modulus in ["", "AQAB", &other] {
        assert_eq!(verify(RSA_TOKEN, &[rsa(modulus)], &expected()).unwrap_err(), Flaw::Signature, "{modulus}");
    }
    let late = Expected { now: DateTime::from_timestamp(1_800_000_360, 0).unwrap(), ..expected() };
    assert_eq!(verify(RSA_TOKEN, &[rsa(RSA_MODULUS)], &late).unwrap_err(), Flaw::Expired);
}
