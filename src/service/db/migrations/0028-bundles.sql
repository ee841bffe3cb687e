-- Whether a node reads recordings whose tracks share objects. The default is true of a node whose version is older than the column.
-- While such a node lives, recordings are stored file by file.

alter table nodes add column reads_bundles boolean not null default false;
