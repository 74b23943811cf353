-- Attachments whose bytes are not text: kept with their media type, and never read. Such a source has no content.
alter table sources
    add column media_type text,
    add column bytes      bytea;
