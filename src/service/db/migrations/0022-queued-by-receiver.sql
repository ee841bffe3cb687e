-- The queued deliveries of a receiver: a claim skips receivers that may get no more requests, however many deliveries wait for them.
create index deliveries_queued_by_receiver on deliveries (receiver, due_at, seq) where state = 'queued';
