-- Who was in a bot's meeting, and what was written there.

create table participants (
  bot_id text not null references bots on delete cascade,
  -- The platform's own id of the person.
  id text not null,
  name text not null,
  is_host boolean not null,
  microphone_on boolean not null,
  camera_on boolean not null,
  joined_at timestamptz not null,
  -- Null while the person is there.
  left_at timestamptz,
  speaking_ms bigint not null default 0,
  updated_at timestamptz not null,
  primary key (bot_id, id)
);

create table chat_messages (
  seq bigint generated always as identity primary key,
  bot_id text not null references bots on delete cascade,
  participant_id text not null,
  name text not null,
  text text not null,
  at timestamptz not null
);
create index chat_messages_by_bot on chat_messages (bot_id, seq);
