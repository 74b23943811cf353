-- The vectors of an embedding model that the installation no longer keeps are deleted.
grant delete on chunk_embeddings_384, chunk_embeddings_1536 to rmb_app;
