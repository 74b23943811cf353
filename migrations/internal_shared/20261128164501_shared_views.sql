-- A saved view can be shared with the organisation: others see it, and a pinned one is a link above the list for everybody. It still
-- belongs to the operator who saved it.
alter table saved_views
    add column sharing text not null default 'private' constraint saved_views_sharing_check
        check (sharing in ('private', 'shared', 'pinned'));
create index saved_views_shared_idx on saved_views (tenant_id, page) where sharing <> 'private';
grant update (sharing) on saved_views to rmb_app;
