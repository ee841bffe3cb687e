-- Claims of post-call work without an outcome: the process of the claim ended during the work. Work that ends its process each time is given up.

alter table bots add column process_unfinished integer not null default 0;
-- When the recording was given up, and can be tried again by an operator. Its segments are kept until retention.
alter table bots add column process_given_up_at timestamptz;
alter table transcriptions add column unfinished integer not null default 0;
