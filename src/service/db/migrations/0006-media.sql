-- What is made of a recording after the call.

alter table bots
  -- When the next try to make it is due; null when nothing is to be made. A worker that dies gives the bot back at this moment.
  add column process_at timestamptz,
  add column process_tries integer not null default 0,
  -- Seconds and files that were delivered.
  add column delivered jsonb;
create index bots_to_process on bots (process_at) where process_at is not null;

create table artefacts (
  bot_id text not null references bots on delete cascade,
  kind text not null check (kind in ('audio', 'video', 'audio_stream', 'video_stream', 'screen_stream', 'speaker_timeline')),
  position integer not null,
  -- Of the object in the store.
  key text not null,
  -- Length, size, codec and whose it is.
  facts jsonb not null,
  created_at timestamptz not null,
  primary key (bot_id, kind, position)
);
