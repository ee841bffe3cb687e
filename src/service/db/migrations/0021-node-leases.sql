-- A node holds its bots by one lease in its own row. Null: it holds none, or each of them by the bot's own lease.

alter table nodes add column holds_until timestamptz;

-- The bots of a node. An ended bot keeps its node, but has no lease.
create index bots_of_node on bots (node_id) where node_id is not null and launch_at is not null;
