-- Waiting bots and leases, each by time. In one index a look for the next due bot passed the leases of all running bots, which end within
-- seconds, and a look for a lapsed lease passed the whole queue.

create index bots_next_due on bots (launch_at) where node_id is null and launch_at is not null;
create index bots_leases on bots (launch_at) where node_id is not null and launch_at is not null;
drop index bots_due;
