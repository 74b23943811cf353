-- Knowledge is found by words and by meaning, now and as of a moment.

-- What divided a document into chunks: the version of the rules and the model whose tokens were counted. The next ingestion of a file that
-- was divided otherwise divides it again. Rows from before this column were divided by characters.
alter table documents add column chunking text not null default '';
alter table documents alter column chunking drop default;

-- Which other documents carry a reference: a citation names the collection where there are several.
create index documents_reference_idx on documents (tenant_id, reference) where reference is not null;

-- When a chunk could be found by its meaning. Null: before this column, taken for always.
alter table chunk_embeddings_384 add column embedded_at timestamptz;
alter table chunk_embeddings_1536 add column embedded_at timestamptz;
