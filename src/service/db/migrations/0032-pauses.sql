-- The last pause or resumption of a bot's recording, for its next session: the recording itself is uploaded every few seconds only.
alter table bots add column is_paused boolean not null default false;
alter table bots add column pause_changed_at timestamptz;
