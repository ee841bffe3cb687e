-- Planned hand-overs: a node joins a meeting beside the holder of the bot, and takes the bot over by this claim once it is in.
create table successions (
  bot_id text primary key references bots (id) on delete cascade,
  node_id text not null,
  fence int not null,
  -- When the hand-over has failed.
  ends_at timestamptz not null
);
