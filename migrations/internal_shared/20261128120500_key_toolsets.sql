-- The sets of tools that the Model Context Protocol lists for a key, besides `core`. Keys from before list every tool, as they did.
alter table api_keys
    add column toolsets text[] not null default '{all}' constraint api_keys_toolsets_check
        check (toolsets <@ array['core', 'capture', 'knowledge', 'vocabulary', 'profile', 'all']);
alter table api_keys alter column toolsets set default '{}';

grant select (toolsets) on api_keys to rmb_app;
grant update (toolsets) on api_keys to rmb_system;
