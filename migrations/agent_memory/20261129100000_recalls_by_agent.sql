-- The last recall of each agent is on the page of agents. Without the tenant in this index, the planner preferred the index of the tenant's
-- whole log, and an agent that never asked cost a look at every recall of the others.
drop index retrievals_agent_at_idx;
create index retrievals_agent_at_idx on retrievals (agent_id, at desc) include (tenant_id);
