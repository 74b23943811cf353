//! All SQL of erasure. What removes rows runs in the role `rmb_eraser`, which sees the rows of one tenant.

mod memories;
mod mentions;
mod requests;
mod shared;
mod turns;

pub use db::of_user::{count, delete, ids_of, tables};
pub use foundation::identity::store::erasure::{
    Known, count_texts, erase_ledger, erase_texts_about, erase_texts_naming, erase_user, known, revoke_keys,
};
pub use memories::{
    Doomed, OF_MEMORY, TO_MEMORY, contradicted_by, delete_memories, delete_orphaned_jobs, doomed, erased, hashes_of_versions, memories_of,
    put_fingerprints, strip_forms,
};
pub use mentions::{
    MentionRow, PLACES, Place, delete_leaves, delete_reports, delete_retrievals, delete_sources, delete_where, find, lock_sources, owners,
};
pub use requests::{
    NewRequest, Stored, begin_step, confirm, expire, finish, hold_of, holds, insert_hold, insert_request, insert_secret, is_waiting,
    lift_hold, list, lock_request, post_job, put_found, report, request, secret, unfinished, withdraw,
};
pub use shared::{delete_phrases, empty_decisions, phrases_of};
pub use turns::{Places, delete_quotes, derived, erased_by, put_redacted, texts};
