-- A deduplication_key may have 2,000 characters, more than a row of an index holds: the index has its digest.

-- convert_to is not marked immutable because an encoding can be redefined; UTF8 cannot.
create function deduplication_digest(key text) returns bytea
  language sql immutable strict parallel safe
  as $$ select sha256(convert_to(key, 'UTF8')) $$;

drop index bots_by_deduplication_key;
create unique index bots_by_deduplication_key on bots (workspace_id, deduplication_digest(deduplication_key))
  where deduplication_key is not null;
