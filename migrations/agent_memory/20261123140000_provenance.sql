-- A change may come from elsewhere than the memory does: a correction made in a chat of a fact that was said in a document. The version's
-- `source` says where the change came from. This says where the memory itself was said, if that is another place.
alter table agent_memory_versions add column provenance jsonb;
