#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod audit_chain;
mod bulk;
mod concurrency;
mod contract;
mod embedded;
mod forget;
mod identity;
mod knowledge;
mod late;
mod links;
mod lists;
mod migrations;
mod outage;
mod recall;
mod recall_log;
mod recall_meaning;
mod recall_order;
mod records;
mod remember;
mod remember_refused;
mod review;
mod silence;
mod support;
mod tenancy;
mod tenancy_roles;
mod vocabulary;
