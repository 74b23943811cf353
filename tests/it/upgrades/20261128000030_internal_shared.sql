-- An admin added a second embedding model.
update models set is_kept = true where name = 'multilingual-e5-small';
