-- Condensing turns by a chat model is paid for like extraction; and whether the context log keeps the texts of an agent.
alter table usage_ledger drop constraint usage_ledger_purpose_check;
alter table usage_ledger add constraint usage_ledger_purpose_check check (purpose in ('embedding', 'extraction', 'condensation'));

alter table agents add column keeps_context_texts boolean not null default true;
grant update (keeps_context_texts) on agents to rmb_system;
