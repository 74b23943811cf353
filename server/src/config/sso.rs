//! The settings of the identity provider with which operators sign in.

use super::values::{List, truth};
use super::{InvalidVariable, host_of};
use crate::sso::Options;
use clap::{ArgAction, Args};
use std::path::PathBuf;
use wire::{OperatorRole, is_slug};

/// A group of the provider, and the role in an organisation that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRole {
    pub group: String,
    /// The slug of the organisation.
    pub organisation: String,
    pub role: OperatorRole,
}

/// The settings of sign-in with an identity provider, part of [`super::Config`].
#[derive(Args, Clone)]
pub struct Sso {
    /// Address of an OpenID Connect provider with which operators sign in, exactly as the provider writes it; without it, operators sign in
    /// with passwords
    #[arg(long, env = "OIDC_ISSUER", value_parser = issuer, help_heading = "Sign-in")]
    pub oidc_issuer: Option<String>,
    /// Id under which the provider knows this server; OIDC_ISSUER needs it
    #[arg(long, env = "OIDC_CLIENT_ID")]
    pub oidc_client_id: Option<String>,
    /// Secret that the provider gave to this server; without it and the next one, the server is a public client
    #[arg(long, env = "OIDC_CLIENT_SECRET", hide_env_values = true)]
    pub oidc_client_secret: Option<String>,
    /// File with the secret, read at the start
    #[arg(long, env = "OIDC_CLIENT_SECRET_FILE")]
    pub oidc_client_secret_file: Option<PathBuf>,
    /// Groups of the provider with the role that each gives, as group=organisation:role, separated by commas; OIDC_ISSUER needs it
    #[arg(long, env = "OIDC_ROLES", value_parser = group_roles)]
    pub oidc_roles: Option<List<GroupRole>>,
    /// Claim of the ID token that holds the groups of a person; dots lead into objects, as in realm_access.roles
    #[arg(long, env = "OIDC_GROUPS_CLAIM", default_value = "groups")]
    pub oidc_groups_claim: String,
    /// Scopes that the server asks for, separated by blanks
    #[arg(long, env = "OIDC_SCOPES", default_value = "openid profile email")]
    pub oidc_scopes: String,
    /// Name of the provider on the button «Sign in with …»
    #[arg(long, env = "OIDC_NAME", default_value = "SSO")]
    pub oidc_name: String,
    /// Whether the provider is the only way to sign in: passwords and one-time links open no session then
    #[arg(long, env = "OIDC_ONLY", default_value = "false", action = ArgAction::Set, value_parser = truth)]
    pub oidc_only: bool,
    /// Whether the server reaches the provider at private and loopback addresses, too, and over http: for a provider inside your network
    #[arg(long, env = "OIDC_PRIVATE_ADDRESSES", default_value = "false", action = ArgAction::Set, value_parser = truth)]
    pub oidc_private_addresses: bool,
}

impl Sso {
    /// The provider, if there is one.
    pub fn provider(&self) -> Option<Options> {
        Some(Options {
            name: self.oidc_name.clone(),
            issuer: self.oidc_issuer.clone()?,
            client_id: self.oidc_client_id.clone()?,
            client_secret: self.oidc_client_secret.clone(),
            scopes: self.oidc_scopes.clone(),
            groups_claim: self.oidc_groups_claim.clone(),
            roles: self.oidc_roles.clone()?,
            allow_private: self.oidc_private_addresses,
        })
    }

    /// Reads the file of the secret, and checks what one value alone does not show.
    ///
    /// # Errors
    /// The first variable that is missing or does not go with the others, and what it may be.
    pub(super) fn check(mut self) -> Result<Self, InvalidVariable> {
        let needed = |name: &str, is_set: bool, what: &str| match is_set {
            true => Ok(()),
            false => Err(InvalidVariable::new(name, "", format!("must be {what}, because OIDC_ISSUER is set"))),
        };
        if let Some(issuer) = &self.oidc_issuer {
            needed("OIDC_CLIENT_ID", self.oidc_client_id.is_some(), "the id of this server at the provider")?;
            needed("OIDC_ROLES", self.oidc_roles.is_some(), "the roles of groups, as group=organisation:role")?;
            if issuer.starts_with("http://") && !self.oidc_private_addresses {
                let expected = "must be https://, unless OIDC_PRIVATE_ADDRESSES is true";
                return Err(InvalidVariable::new("OIDC_ISSUER", issuer, expected));
            }
            if !self.oidc_scopes.split_whitespace().any(|scope| scope == "openid") {
                let expected = "must name the scope openid: without it the provider sends no ID token";
                return Err(InvalidVariable::new("OIDC_SCOPES", &self.oidc_scopes, expected));
            }
        } else if self.oidc_only {
            return Err(InvalidVariable::new(
                "OIDC_ONLY",
                "true",
                "must be false, because OIDC_ISSUER is not set and nobody could sign in",
            ));
        }
        if let Some(file) = &self.oidc_client_secret_file {
            let secret = std::fs::read_to_string(file).map_err(|error| {
                let expected = format!("must be the path of a file that can be read ({error})");
                InvalidVariable::new("OIDC_CLIENT_SECRET_FILE", &file.to_string_lossy(), expected)
            })?;
            self.oidc_client_secret = Some(secret.trim().to_owned());
        }
        if self.oidc_client_secret.as_ref().is_some_and(|secret| secret.trim().is_empty()) {
            let name = if self.oidc_client_secret_file.is_some() { "OIDC_CLIENT_SECRET_FILE" } else { "OIDC_CLIENT_SECRET" };
            return Err(InvalidVariable::new(name, "…", "must hold a secret; a public client sets none"));
        }
        Ok(self)
    }
}

fn issuer(text: &str) -> Result<String, &'static str> {
    let url = host_of(text).filter(|_| !text.contains(['?', '#'])).map(|_| text.to_owned());
    url.ok_or("must be https:// with a host and no query, as in https://login.example.org")
}

fn group_roles(text: &str) -> Result<List<GroupRole>, &'static str> {
    const MUST: &str = "must be group=organisation:role, separated by commas, with the roles viewer, operator, reviewer and admin";
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return Err(MUST);
    }
    parts.into_iter().map(|part| group_role(part).ok_or(MUST)).collect()
}

/// A group may have any character but a comma: the last equals sign ends it.
fn group_role(text: &str) -> Option<GroupRole> {
    let (group, given) = text.rsplit_once('=')?;
    let (organisation, role) = given.split_once(':')?;
    let (group, organisation) = (group.trim(), organisation.trim());
    let role = role.trim().parse().ok()?;
    (!group.is_empty() && is_slug(organisation)).then(|| GroupRole { group: group.to_owned(), organisation: organisation.to_owned(), role })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_roles_in_organisations() {
        let given = |group: &str, organisation: &str, role| GroupRole { group: group.into(), organisation: organisation.into(), role };
        let expected = vec![given("/staff", "acme", OperatorRole::Viewer), given("cn=heads", "acme-two", OperatorRole::Admin)];
        assert_eq!(group_roles(" /staff=acme:viewer , cn=heads = acme-two : admin,").unwrap(), expected);
        for wrong in ["", ",", "staff", "staff=viewer", "staff=acme:queen", "=acme:viewer", "staff=Acme Inc:viewer", "a=b:viewer,c"] {
            assert!(group_roles(wrong).is_err(), "{wrong}");
        }
    }
}
