-- Runs of speech recognition over what a bot recorded. What they heard lies in the store.

create table transcriptions (
  id text primary key,
  bot_id text not null references bots on delete cascade,
  provider text not null,
  options jsonb not null,
  status text not null check (status in ('Processing', 'Success', 'Failed')),
  -- The provider's own reason.
  error text,
  words integer not null default 0,
  -- Where a run that somebody asked for is told; null: where the bot's news go.
  callback_url text,
  -- The bot is done when this run is over.
  completes_bot boolean not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- A run is its own queue: when its next try is due, and null when it is over. A worker that dies gives it back at this moment.
  due_at timestamptz,
  tries integer not null default 0
);
create index transcriptions_due on transcriptions (due_at) where due_at is not null;
create index transcriptions_by_bot on transcriptions (bot_id, created_at);
