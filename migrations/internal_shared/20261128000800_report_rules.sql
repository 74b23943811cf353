-- When the rules for words change, the words of older actions and steps are cut again. The indexes lead to such rows, also when there are none.
alter table actions
    -- the version of the rules that cut its words (crates/words/src/stems/)
    add column word_rules smallint not null default 1;
alter table workflow_steps
    add column word_rules smallint not null default 1;
create index actions_rules_idx on actions (tenant_id, word_rules) where searchable;
create index workflow_steps_rules_idx on workflow_steps (tenant_id, word_rules) where searchable;

grant update (word_rules) on actions, workflow_steps to rmb_app;
grant delete on action_terms, workflow_step_terms to rmb_app;
