alter table retrievals
    -- memories and passages that the context gave, besides those of the search also what always applies; null: a recall, or not counted
    add column given integer;
