-- A chat model may also judge the narratives of an evaluation.
alter table usage_ledger drop constraint usage_ledger_purpose_check;
alter table usage_ledger add constraint usage_ledger_purpose_check
    check (purpose in ('embedding', 'extraction', 'condensation', 'synthesis', 'evaluation'));
