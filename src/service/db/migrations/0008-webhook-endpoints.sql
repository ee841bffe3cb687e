-- A workspace's own receivers, and its events in an order that can be fetched.

create table webhook_endpoints (
  id text primary key,
  workspace_id text not null references workspaces,
  url text not null,
  description text,
  -- Names, or * for all of them.
  events text[] not null,
  -- Whether an answer outside 2xx is tried again, as silence is.
  retry text not null check (retry in ('none', 'standard')),
  -- Of its signatures; sealed.
  secret bytea not null,
  -- The first of the tries that have failed in a row; null when the last one was received.
  failing_since timestamptz,
  -- Null: it is told.
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_endpoints_by_workspace on webhook_endpoints (workspace_id);

alter table events
  -- Null: it is about an endpoint.
  alter column bot_id drop not null,
  -- Its place in the workspace's feed, given when the feed is read. An order of writing would not do: what is written first may be
  -- committed last, and a reader who had gone past its place would never see it.
  add column position bigint;
create index events_unplaced on events (workspace_id, seq) where position is null;
create unique index events_in_feed on events (workspace_id, position) where position is not null;
-- What they hold of people goes when the bot's data goes.
create index events_of_people on events (bot_id) where name like 'participant_events.%';

create table event_feeds (
  workspace_id text primary key,
  -- The last place that was given.
  position bigint not null
);

alter table deliveries
  -- Null: an address that came with the bot, which gets no signature. No reference: the log outlives the endpoint.
  -- An endpoint is its own receiver, wherever it is at the moment of a try.
  -- The bot_id of a test is its endpoint's id: it waits behind nothing else.
  add column endpoint_id text;
create index deliveries_by_endpoint on deliveries (endpoint_id, seq desc) where endpoint_id is not null;
create index deliveries_by_event on deliveries (event_id);
