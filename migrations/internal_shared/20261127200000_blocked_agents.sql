-- The keys of a blocked agent are refused. Its memories stay, and unblocking it makes the same keys work again.
alter table agents add column blocked_at timestamptz;
grant update (blocked_at) on agents to rmb_system;
