-- A value sealed with SECRET_KEY: a start with another key is noticed before it does anything.
create table secret_check (
  only_row boolean primary key default true check (only_row),
  sealed bytea not null,
  made_at timestamptz not null
);
