//! All SQL of erasure. What removes rows runs in the role `rmb_eraser`, which sees the rows of one tenant.

mod erased;
mod memories;
mod mentions;
mod requests;
mod turns;

pub use db::of_user::{count, delete, delete_orphaned_jobs, delete_reports, delete_retrievals, delete_where, ids_of, strip_forms, tables};
pub use erased::erased_by;
pub use foundation::identity::store::erasure::{
    Known, count_texts, erase_ledger, erase_texts_about, erase_texts_naming, erase_user, known, revoke_keys,
};
pub use foundation::terms::store::erasure::{delete_phrases, empty_decisions, phrases_of};
pub use memories::{
    Doomed, OF_MEMORY, TO_MEMORY, contradicted_by, delete_memories, doomed, erased, hashes_of_versions, memories_of, put_fingerprints,
};
pub use mentions::{MentionRow, PLACES, Place, delete_sources, find, lock_sources, owners};
pub use requests::{
    NewRequest, Stored, begin_step, confirm, expire, finish, hold_of, holds, insert_hold, insert_request, insert_secret, is_waiting,
    lift_hold, list, lock_request, post_job, put_found, report, request, secret, unfinished, withdraw,
};
pub use turns::{Places, count_leaves, delete_leaves, delete_quotes, derived, mark_erased, put_redacted, texts};
