-- Words are cut again after their rules have changed.
grant update (word_rules) on chunks to rmb_app;
