-- Nothing uses a proposed phrase any more.
update term_proposals set unused = true where normal = 'gantry crane';
