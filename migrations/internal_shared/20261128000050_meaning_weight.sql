-- How much a cosine counts beside words in the rankings hybrid and hybrid_decay (docs/models.md).
alter table models add column meaning_weight double precision not null default 1 check (meaning_weight > 0);
update models set meaning_weight = 1.5 where name = 'multilingual-e5-small';
