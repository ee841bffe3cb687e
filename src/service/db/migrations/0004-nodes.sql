-- The nodes that hold bots, and where a bot's commands go.

create table nodes (
  id text primary key,
  -- Where its internal endpoint is, and the key that opens it.
  address text not null,
  key text not null,
  seats integer not null,
  free_seats integer not null,
  started_at timestamptz not null,
  -- Renewed while the node lives; one that is past it is not asked.
  alive_until timestamptz not null
);

-- Who claimed the bot last.
alter table bots add column node_id text;
