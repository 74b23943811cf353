-- Policies compare columns with settings and hold no sub-query, so that tables can be distributed. A statement that names a tenant makes
-- the comparison once.
do $$
declare
    policy record;
begin
    for policy in select tablename, policyname from pg_policies where schemaname = 'public' and 'rmb_app' = any (roles)
    loop
        execute format($p$alter policy %I on %I using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid)$p$, policy.policyname,
            policy.tablename);
    end loop;
end
$$;

-- The texts of audit rows have one home, the log, where they can be erased.
update outbox set payload = '{}' where destination = 'audit' and delivered_at is not null;
