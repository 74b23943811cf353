-- The document of a leaf goes with it, whoever deletes the leaf.
create function drop_leaf_documents() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    delete from profile_documents d where d.tenant_id = old.tenant_id and d.agent_id = old.agent_id and d.origin_id = old.id;
    return null;
end
$$;
revoke execute on function drop_leaf_documents from public;
create trigger profile_leaves_documents after delete on profile_leaves for each row execute function drop_leaf_documents();
