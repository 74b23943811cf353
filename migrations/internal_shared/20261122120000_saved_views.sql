-- What an operator looks at again and again: a page of the console with its filters, under a name. It belongs to the operator, not to the
-- tenant: row-level security keeps tenants apart, the statements keep operators apart.
create table saved_views (
    tenant_id   uuid        not null,
    id          uuid        not null,
    operator_id uuid        not null,
    -- which list: `memories`, …
    page        text        not null,
    name        text        not null constraint saved_views_name_check check (char_length(name) between 1 and 64),
    -- the query string of the page, without the question mark
    query       text        not null constraint saved_views_query_check check (char_length(query) <= 2000),
    created_at  timestamptz not null,
    constraint saved_views_pkey primary key (tenant_id, id),
    constraint saved_views_tenant_id_operator_id_page_name_key unique (tenant_id, operator_id, page, name),
    constraint saved_views_operator_fkey foreign key (tenant_id, operator_id) references operators (tenant_id, id)
);

alter table saved_views enable row level security;
create policy saved_views_app on saved_views to rmb_app
    using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));

grant select, insert, delete on saved_views to rmb_app;
grant update (name) on saved_views to rmb_app;
