//! Erasure of a person and legal holds, from the command line. Two admins decide here, too: each is named by login.

use super::Failure;
use clap::Subcommand;
use foundation::{Engine, OpContext, identity};
use remembrancer::erasure;
use std::path::PathBuf;
use wire::{ErasureId, ErasurePreview, MentionPlace, MentionRef, NewErasure, RequestId, SignedReport, UserId, UserRef};

#[derive(Subcommand)]
pub enum Erasure {
    /// Print what an erasure would remove: rows by table, and mentions in rows of others; nothing is changed
    Preview {
        /// The person: your own reference, or the id that memories carry
        user: UserRef,
        #[arg(long)]
        tenant: String,
        /// A name to search for in rows of others; may be repeated
        #[arg(long = "name")]
        names: Vec<String>,
    },
    /// Request the erasure of a person; another admin must confirm it
    Request {
        user: UserRef,
        #[arg(long)]
        tenant: String,
        /// The login of the admin who requests it
        #[arg(long = "as", value_name = "LOGIN")]
        admin: String,
        /// Why, without the person's names
        #[arg(long)]
        reason: String,
        #[arg(long = "name")]
        names: Vec<String>,
        /// A mention to erase, too, as the preview prints it: <place>:<id>; may be repeated
        #[arg(long = "mention", value_name = "PLACE:ID")]
        mentions: Vec<MentionRef>,
    },
    /// List requests and legal holds
    List {
        #[arg(long)]
        tenant: String,
    },
    /// Confirm the request of another admin; a running server or worker carries it out
    Confirm {
        id: ErasureId,
        /// The person once more: the reference or the id
        user: UserRef,
        #[arg(long)]
        tenant: String,
        /// The login of the admin who confirms it
        #[arg(long = "as", value_name = "LOGIN")]
        admin: String,
    },
    /// Withdraw a request that nobody has confirmed
    Withdraw {
        id: ErasureId,
        #[arg(long)]
        tenant: String,
    },
    /// Print the signed report of an erasure that is done
    Report {
        id: ErasureId,
        #[arg(long)]
        tenant: String,
    },
    /// Check the signature of a report
    Verify {
        file: PathBuf,
        #[arg(long)]
        tenant: String,
    },
    /// Put a person under a legal hold: none of the person's data is erased, archived or swept
    Hold {
        user: UserRef,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        reason: String,
    },
    /// Lift a legal hold
    Lift {
        user: UserRef,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        reason: String,
    },
    /// Rewrite the tables of every tenant, so that their files keep no bytes of removed rows; each table is locked while it is rewritten
    Rewrite,
}

pub async fn run(engine: &Engine, command: Erasure) -> Result<(), Failure> {
    match command {
        Erasure::Preview { user, tenant, names } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            print_preview(&erasure::preview(engine, &ctx, &user, &names).await?);
        }
        Erasure::Request { user, tenant, admin, reason, names, mentions } => {
            let ctx = named(engine, &tenant, &admin).await?;
            let id = erasure::request(engine, &ctx, NewErasure { user, reason, names, mentions }).await?;
            println!("request {id} waits for another admin");
        }
        Erasure::List { tenant } => list(engine, &tenant).await?,
        Erasure::Confirm { id, user, tenant, admin } => {
            erasure::confirm(engine, &named(engine, &tenant, &admin).await?, id, &user).await?;
            println!("confirmed: a running server or worker will carry it out");
        }
        Erasure::Withdraw { id, tenant } => {
            erasure::withdraw(engine, &identity::open_tenant(engine, &tenant).await?, id).await?;
            println!("withdrawn");
        }
        Erasure::Report { id, tenant } => {
            let report = erasure::report(engine, &identity::open_tenant(engine, &tenant).await?, id).await?;
            println!("{}", serde_json::to_string_pretty(&report)?);
        }
        Erasure::Verify { file, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let text = std::fs::read_to_string(&file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
            let signed: SignedReport =
                serde_json::from_str(&text).map_err(|error| format!("{} is not a report: {error}", file.display()))?;
            if !erasure::verify_report(engine, &ctx, &signed).await? {
                return Err("the signature is not valid: the report was changed, or another server signed it".into());
            }
            println!("the signature is valid: this server made the report, and it was not changed");
        }
        Erasure::Hold { user, tenant, reason } => {
            let id: UserId = erasure::hold(engine, &identity::open_tenant(engine, &tenant).await?, &user, &reason).await?;
            println!("the user {id} is under a legal hold");
        }
        Erasure::Lift { user, tenant, reason } => {
            erasure::lift_hold(engine, &identity::open_tenant(engine, &tenant).await?, &user, &reason).await?;
            println!("the legal hold is lifted");
        }
        Erasure::Rewrite => {
            db::rewrite(engine.urls(), &|doing| println!("{doing}")).await?;
            println!("rewritten; backups and archives of the write-ahead log still hold the old bytes");
        }
    }
    Ok(())
}

/// The context of an admin whom the command line names.
async fn named(engine: &Engine, tenant: &str, login: &str) -> Result<OpContext, Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    let id = identity::operator_by_login(engine, &ctx, login).await?;
    Ok(identity::operator(engine, id, RequestId(engine.clock().id())).await?.0)
}

async fn list(engine: &Engine, tenant: &str) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    for request in erasure::requests(engine, &ctx).await? {
        let by = request.confirmed_by_name.map(|name| format!(", confirmed by {name}")).unwrap_or_default();
        let step = request.step.map(|step| format!(" ({step})")).unwrap_or_default();
        let user = request.user_name.unwrap_or_else(|| request.user_id.to_string());
        println!("{} {}{step}: user {user}, requested by {}{by}", request.id, request.state, request.requested_by_name);
    }
    for hold in erasure::holds(engine, &ctx).await? {
        let user = hold.user_name.unwrap_or_else(|| hold.user_id.to_string());
        println!("legal hold on user {user}, set by {}: {}", hold.set_by, hold.reason);
    }
    Ok(())
}

fn print_preview(preview: &ErasurePreview) {
    println!("user {}", preview.user_id);
    if let Some(hold) = &preview.hold {
        println!("under a legal hold, set by {}: {}", hold.set_by, hold.reason);
    }
    for table in &preview.tables {
        println!("{:>8}  {}.{}", table.rows, table.database, table.table);
    }
    for mention in &preview.mentions {
        let kept = if mention.place.is_erasable() { "" } else { " (stays: it belongs to the organisation)" };
        println!("{}{kept}  {}", mention.row(), mention.excerpt);
        if let Some(extent) = mention.extent.as_ref().filter(|extent| extent.is_divisible()) {
            let turns = MentionRef { place: MentionPlace::Turns, id: mention.id };
            println!("{turns}  instead: only {} of its {} turns", extent.naming, extent.turns);
        }
    }
    if preview.more {
        println!("there are more mentions: erase these first, or search for longer names");
    }
}
