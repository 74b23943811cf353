-- The rankings weigh a cosine alike for every model: what lay between the models was the weight of a text's length.
alter table models drop column meaning_weight;
