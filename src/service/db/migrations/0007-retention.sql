-- Stored data goes when its time is over, or when somebody asks.

alter table bots
  -- When the next try to delete it is due; null while the bot is not over, and when nothing is left.
  add column delete_at timestamptz,
  -- Since then nothing of it can be read, whether or not all of it is gone.
  add column erased_at timestamptz,
  -- What was deleted so far.
  add column deleted_objects integer not null default 0;
create index bots_to_delete on bots (delete_at) where delete_at is not null;

update bots set erased_at = now() where status = 'MediaExpired';
update bots set delete_at = ended_at + make_interval(secs => (spec->>'retentionHours')::double precision * 3600)
  where ended_at is not null and status <> 'MediaExpired';
