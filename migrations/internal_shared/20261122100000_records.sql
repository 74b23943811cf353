-- How eagerly an agent writes, and the chats through which people reach what it remembers of them.

-- aggressive: store, do not ask. confirming: ask before something new is stored.
alter table agents add column discipline text not null default 'aggressive'
    constraint agents_discipline_check check (discipline in ('aggressive', 'confirming'));
grant update (discipline) on agents to rmb_system;

-- A bot speaks with one key of one agent. Whoever calls its webhook shows the secret, of which only the hash is kept.
create table bots (
    tenant_id   uuid        not null,
    id          uuid        not null,
    platform    text        not null constraint bots_platform_check check (platform in ('telegram')),
    name        text        not null,
    key_id      uuid        not null,
    secret_hash bytea       not null,
    created_at  timestamptz not null,
    constraint bots_pkey primary key (tenant_id, id),
    constraint bots_id_key unique (id),
    constraint bots_key_fkey foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
);
-- Whom a chat belongs to. A chat that is not here is answered with help and nothing else.
create table bot_chats (
    tenant_id  uuid        not null,
    bot_id     uuid        not null,
    chat_id    text        not null,
    user_id    uuid        not null,
    created_at timestamptz not null,
    constraint bot_chats_pkey primary key (tenant_id, bot_id, chat_id),
    constraint bot_chats_bot_fkey foreign key (tenant_id, bot_id) references bots (tenant_id, id)
);

alter table bots      enable row level security;
alter table bot_chats enable row level security;
create policy bots_app         on bots      to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
create policy bot_chats_app    on bot_chats to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
create policy bots_system      on bots      to rmb_system using (true);
create policy bot_chats_system on bot_chats to rmb_system using (true);
grant select on bots, bot_chats to rmb_app;
grant select, insert on bots to rmb_system;
grant select, insert, update, delete on bot_chats to rmb_system;
