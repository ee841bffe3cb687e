-- A node that cannot renew keeps its bots while every node that it knows cannot either.

-- When the node joined the fleet, or joined again after its row had lapsed.
alter table nodes add column joined_at timestamptz not null default now();
-- The node asks all nodes that joined before. Null: it asks none, and leaves when its lease is over.
alter table nodes add column knows timestamptz;
-- How long it stays without the database at most.
alter table nodes add column outage_seconds int not null default 0;
