-- A search of the log by a part of the question reads every row, and nine tenths of a row are the candidates in it. From now on, what is long
-- is kept beside the row once the row is over 2 kB, until it is as short as this, so that such a search reads a fifth of the pages. Rows from
-- before stay as they are until the log's retention takes them.
alter table retrievals set (toast_tuple_target = 512);
