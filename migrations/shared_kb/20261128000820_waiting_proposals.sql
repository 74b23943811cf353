-- Every page of the console counts the proposals that wait for a reviewer. This index has no others.
create index term_proposals_waiting_idx on term_proposals (tenant_id, count desc, id desc) where status = 'open' and not unused;
