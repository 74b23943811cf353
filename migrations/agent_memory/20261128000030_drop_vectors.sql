-- The vectors of an embedding model that the installation no longer keeps are deleted; a memory's own could be deleted before.
grant delete on profile_embeddings_384, profile_embeddings_1536 to rmb_operator;
