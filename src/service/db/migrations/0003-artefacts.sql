-- What a bot keeps of its meeting beside its recording: pictures of the page, and who came, went and changed.

-- Raised when the bot's data is deleted: a link that was given out before opens nothing any more.
alter table bots add column deletion_epoch integer not null default 0;

-- The host showed them out, and they have not come back.
alter table participants add column removed boolean not null default false;

create table screenshots (
  bot_id text not null references bots on delete cascade,
  at timestamptz not null,
  -- Of the object in the store.
  key text not null,
  primary key (bot_id, at)
);

-- Everything a person was told to be, in order. The last row of each is how they were last seen.
create table participant_events (
  seq bigint generated always as identity primary key,
  bot_id text not null references bots on delete cascade,
  action text not null check (action in ('join', 'leave', 'update')),
  participant_id text not null,
  name text not null,
  is_host boolean not null,
  microphone_on boolean not null,
  camera_on boolean not null,
  at timestamptz not null
);
create index participant_events_by_bot on participant_events (bot_id, participant_id, seq);
