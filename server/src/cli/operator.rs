//! Operators and the links that people use once, from the command line.

use super::Failure;
use super::identity::minute;
use crate::config::Config;
use clap::{Args, Subcommand};
use foundation::{Engine, OpContext, identity};
use wire::{INVITATION_HOURS, InvitationId, MadeInvitation, NewInvitation, OperatorId, OperatorRole, OperatorSettings};

/// Characters of a generated password: 20 of 62 symbols are 119 bits.
const PASSWORD_LENGTH: usize = 20;

#[derive(Args)]
pub struct NewOperator {
    /// The name for signing in
    login: String,
    #[arg(long)]
    tenant: String,
    #[arg(long)]
    name: String,
    /// Roles of the operator, separated by commas: viewer, operator, reviewer, admin
    #[arg(long, value_delimiter = ',', default_value = "viewer")]
    roles: Vec<OperatorRole>,
}

#[derive(Subcommand)]
pub enum Operator {
    /// Create an operator and print a password once
    Create {
        #[command(flatten)]
        operator: NewOperator,
    },
    /// List operators with their roles
    List {
        #[arg(long)]
        tenant: String,
    },
    /// Invite a person with a one-time link, and print it once; the person chooses the password
    Invite {
        #[command(flatten)]
        operator: NewOperator,
        /// Hours for which the link is valid
        #[arg(long, default_value_t = INVITATION_HOURS)]
        hours: u32,
    },
    /// List the links that nobody has used yet
    Invitations {
        #[arg(long)]
        tenant: String,
    },
    /// Withdraw a link that nobody has used yet
    Withdraw {
        id: InvitationId,
        #[arg(long)]
        tenant: String,
    },
    /// Print a one-time link with which an operator chooses a new password
    ResetLink {
        login: String,
        #[arg(long)]
        tenant: String,
        /// Hours for which the link is valid
        #[arg(long, default_value_t = INVITATION_HOURS)]
        hours: u32,
    },
    /// Give an operator a new password, print it once, and end the operator's sessions
    ResetPassword { login: String },
    /// Change the name that people read
    Rename {
        login: String,
        name: String,
        #[arg(long)]
        tenant: String,
    },
    /// End an operator's sessions, and the access of clients that the operator let in
    EndSessions {
        login: String,
        #[arg(long)]
        tenant: String,
    },
    /// Detach an operator from the identity at the provider, and end the sessions; for 72 hours, the first sign-in there under the same login
    /// gets the account
    Detach {
        login: String,
        #[arg(long)]
        tenant: String,
    },
    /// Replace an operator's roles, and end the operator's sessions
    SetRoles {
        login: String,
        /// Roles of the operator, separated by commas
        #[arg(value_delimiter = ',', required = true)]
        roles: Vec<OperatorRole>,
        #[arg(long)]
        tenant: String,
    },
    /// End an operator's access and sessions at once; the last admin stays
    Disable {
        login: String,
        #[arg(long)]
        tenant: String,
    },
    /// Give a disabled operator access again, with the roles and the password from before
    Restore {
        login: String,
        #[arg(long)]
        tenant: String,
    },
}

/// Prints a link that was just made, with the id of its invitation.
fn print_link(config: &Config, made: MadeInvitation) {
    let MadeInvitation { invitation, link } = made;
    println!("invitation {} valid until {}", invitation.id, minute(invitation.expires_at));
    println!("{}{}", config.public_url, link.unwrap_or_default());
    if !config.has_public_url() {
        println!("PUBLIC_URL is not set, so the link has the address of LISTEN_ADDR: set PUBLIC_URL if people use another one");
    }
}

/// The tenant of an operator, and the operator's id.
async fn open_operator(engine: &Engine, tenant: &str, login: &str) -> Result<(OpContext, OperatorId), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    let id = identity::operator_by_login(engine, &ctx, login).await?;
    Ok((ctx, id))
}

pub async fn operator(engine: &Engine, config: &Config, command: Operator) -> Result<(), Failure> {
    match command {
        Operator::Create { operator: NewOperator { login, tenant, name, roles } } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let password = engine.clock().secret(PASSWORD_LENGTH);
            identity::create_operator(engine, &ctx, &login, &name, &password, &roles).await?;
            println!("{login}\n{password}");
        }
        Operator::ResetPassword { login } => {
            let password = engine.clock().secret(PASSWORD_LENGTH);
            identity::reset_password(engine, &login, &password).await?;
            println!("{login}\n{password}");
        }
        Operator::SetRoles { login, roles, tenant } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            identity::change_operator(engine, &ctx, id, OperatorSettings { name: None, roles: Some(roles) }).await?;
            println!("{login} has these roles");
        }
        Operator::Disable { login, tenant } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            identity::disable_operator(engine, &ctx, id).await?;
            println!("{login} is disabled");
        }
        Operator::Restore { login, tenant } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            identity::restore_operator(engine, &ctx, id).await?;
            println!("{login} has access again");
        }
        Operator::List { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            for operator in identity::list_operators(engine, &ctx).await? {
                let roles: Vec<&str> = operator.roles.iter().map(|role| role.as_str()).collect();
                let state = operator.disabled_at.map_or_else(String::new, |at| format!(", disabled since {}", minute(at)));
                let way = operator.issuer.map_or_else(String::new, |issuer| format!(", signs in with {issuer}"));
                println!("operator {} {}: {}{way}{state}", operator.login, roles.join(","), operator.name);
            }
        }
        Operator::Invite { operator: NewOperator { login, tenant, name, roles }, hours } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            print_link(config, identity::invite(engine, &ctx, NewInvitation { login, name, roles, hours }).await?);
        }
        Operator::Invitations { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            for one in identity::list_invitations(engine, &ctx).await? {
                println!("invitation {} {} {} by {}, valid until {}", one.id, one.kind, one.login, one.created_by, minute(one.expires_at));
            }
        }
        Operator::Withdraw { id, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::withdraw_invitation(engine, &ctx, id).await?;
            println!("the link is withdrawn");
        }
        Operator::ResetLink { login, tenant, hours } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            print_link(config, identity::offer_password(engine, &ctx, id, hours).await?);
        }
        Operator::Rename { login, name, tenant } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            identity::change_operator(engine, &ctx, id, OperatorSettings { name: Some(name), roles: None }).await?;
            println!("{login} has a new name");
        }
        Operator::EndSessions { login, tenant } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            identity::end_sessions(engine, &ctx, id).await?;
            println!("the sessions of {login} have ended");
        }
        Operator::Detach { login, tenant } => {
            let (ctx, id) = open_operator(engine, &tenant, &login).await?;
            let until = identity::detach_identity(engine, &ctx, id).await?.attach_until;
            let until = until.map(minute).unwrap_or_default();
            println!("{login} is detached: until {until}, the first sign-in at the provider under this login gets the account");
        }
    }
    Ok(())
}
