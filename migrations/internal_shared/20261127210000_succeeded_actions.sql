-- Whether an action succeeded, if the agent said so: a context suggests actions that did.
alter table actions add column succeeded boolean;
