-- Who holds a bot, when it was away, and what must not be repeated when it comes back.

alter table bots
  -- Since when the bot has lost its session; null while it has one, and before its first.
  add column lost_at timestamptz,
  -- The node that held it last, and may still have a part of its recording.
  add column recorded_by text,
  add column greeted_at timestamptz;

-- From here on node_id says who holds the bot now: null while it waits for a seat.
update bots set recorded_by = node_id;
update bots set node_id = null where launch_at is null or status = 'Scheduled';

-- Bots that wait, or are scheduled, by workspace: those of one with a long queue must not hide those of another.
create index bots_waiting on bots (workspace_id, launch_at, id) where node_id is null and launch_at is not null;
create index bots_lost on bots (workspace_id, launch_at, id) where lost_at is not null and node_id is null and launch_at is not null;
create index bots_claimed on bots (workspace_id) where node_id is not null and launch_at is not null;

-- One row per lost session.
create table absences (
  bot_id text not null references bots on delete cascade,
  from_at timestamptz not null,
  -- Null while the bot is away.
  to_at timestamptz,
  reason text not null,
  -- Whether it counts towards the losses after which a bot is given up.
  counts boolean not null,
  primary key (bot_id, from_at)
);

alter table participants
  -- What the sessions before that of spoken_fence have counted.
  add column spoken_before_ms bigint not null default 0,
  add column spoken_fence integer not null default 0;
update participants set spoken_before_ms = speaking_ms;

-- Seats that became free in the last ten minutes: how long a waiting bot may expect to wait.
alter table nodes add column freed_seats integer not null default 0;
