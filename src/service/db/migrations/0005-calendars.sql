-- Calendars: who is connected, a mirror of their events, and which bot serves which occurrence.

create table calendar_connections (
  id text primary key,
  workspace_id text not null references workspaces,
  user_id text not null references users,
  provider text not null check (provider in ('google', 'outlook')),
  email text not null,
  -- Client id, client secret and refresh token; sealed.
  secret bytea not null,
  state text not null check (state in ('connected', 'revoked', 'disconnected')),
  -- The provider's reason, where the last sync failed.
  last_error text,
  -- What its bots are like, unless an event or auto-scheduling says otherwise.
  bot_config json not null,
  -- A connection is its own queue. Null while it is synced: what is written here meanwhile makes it due again.
  next_sync_at timestamptz,
  -- Whoever syncs it has it until then, and gives it back by dying.
  claimed_until timestamptz,
  -- Raised by every claim: a write that carries an older one changes nothing.
  fence integer not null default 0,
  failures integer not null default 0,
  synced_at timestamptz,
  -- Up to which start its events have been looked at for bots; null: none has.
  planned_until timestamptz,
  created_at timestamptz not null,
  unique (user_id, provider, email)
);
create index calendar_connections_due on calendar_connections (next_sync_at) where next_sync_at is not null;
create index calendar_connections_claimed on calendar_connections (claimed_until) where claimed_until is not null;

create table calendars (
  id text primary key,
  connection_id text not null references calendar_connections on delete cascade,
  -- The provider's own id.
  platform_id text not null,
  summary text not null,
  is_primary boolean not null,
  -- Somebody else's calendar can be read, but sends no bots by itself.
  is_own boolean not null,
  time_zone text not null,
  -- Where the next incremental read goes on; null: everything is read.
  sync_token text,
  -- What the provider expanded: reads go on incrementally until this is too near.
  window_until timestamptz,
  -- Counts full reads: a row of an older one was not seen again.
  run integer not null default 0,
  channel_id text,
  channel_resource text,
  channel_digest bytea,
  channel_until timestamptz,
  created_at timestamptz not null,
  unique (connection_id, platform_id)
);
create unique index calendars_by_channel on calendars (channel_id) where channel_id is not null;

create table calendar_events (
  id text primary key,
  -- Its connection's: bots belong to the workspace, events to the user.
  workspace_id text not null,
  user_id text not null,
  calendar_id text not null references calendars on delete cascade,
  platform_id text not null,
  ical_uid text,
  kind text not null check (kind in ('single', 'master', 'occurrence')),
  master_platform_id text,
  original_start timestamptz,
  -- Made by us from its master's rule, not sent by the provider.
  is_derived boolean not null,
  -- The same in every calendar that has a copy.
  occurrence_key text not null,
  title text not null,
  start_at timestamptz not null,
  end_at timestamptz not null,
  is_all_day boolean not null,
  time_zone text not null,
  recurrence text[] not null,
  recurring_enabled boolean not null default true,
  -- How far a master's rule has been expanded.
  expanded_until timestamptz,
  is_deleted boolean not null,
  is_declined boolean not null,
  meeting_url text,
  meeting_platform text,
  -- Platform and meeting id; null where no bot can go.
  meeting_key text,
  -- At the provider: of two copies the newer one is right.
  changed_at timestamptz not null,
  raw json not null,
  run integer not null,
  -- What the user said about a bot for this event, or for all of a master's: newer words replace older ones.
  wish text check (wish in ('bot', 'none')),
  wished_at timestamptz,
  wish_config json,
  -- A master's wish goes no further than this original start.
  wish_from timestamptz,
  wish_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (calendar_id, platform_id)
);
create index calendar_events_by_start on calendar_events (user_id, start_at, id);
create index calendar_events_by_meeting on calendar_events (workspace_id, meeting_key, start_at) where meeting_key is not null;
create index calendar_events_by_occurrence on calendar_events (workspace_id, occurrence_key);
create index calendar_events_by_master on calendar_events (calendar_id, master_platform_id) where master_platform_id is not null;
create index calendar_events_to_plan on calendar_events (calendar_id, start_at, id) where meeting_key is not null and kind <> 'master';
create index calendar_events_to_expand on calendar_events (calendar_id, expanded_until) where kind = 'master' and not is_deleted;

-- Which bot serves which occurrence. Once per occurrence and once per meeting and start: the two indexes hold whatever races.
create table calendar_schedules (
  id text primary key,
  workspace_id text not null,
  event_id text not null,
  occurrence_key text not null,
  meeting_key text not null,
  start_at timestamptz not null,
  bot_id text not null references bots on delete cascade,
  created_at timestamptz not null,
  -- Set when the occurrence no longer has this bot.
  released_at timestamptz
);
create unique index calendar_schedules_one_per_occurrence on calendar_schedules (workspace_id, occurrence_key) where released_at is null;
create unique index calendar_schedules_one_per_meeting on calendar_schedules (workspace_id, meeting_key, start_at) where released_at is null;
create index calendar_schedules_by_bot on calendar_schedules (bot_id);
create index calendar_schedules_by_start on calendar_schedules (workspace_id, start_at) where released_at is null;

create table calendar_settings (
  user_id text primary key references users,
  auto_schedule boolean not null,
  default_bot_config json not null,
  updated_at timestamptz not null
);
