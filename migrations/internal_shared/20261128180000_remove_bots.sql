-- Admins remove chat bots, with the bindings of their chats.
grant delete on bots to rmb_system;
