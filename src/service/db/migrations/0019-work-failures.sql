-- Failures of post-call work, apart from its claims: a claim also ends with a killed or stopped process, which is no fault of the work.

alter table bots add column process_failures integer not null default 0;
-- Replaces transcriptions.tries, which older versions count.
alter table transcriptions add column failures integer not null default 0;
