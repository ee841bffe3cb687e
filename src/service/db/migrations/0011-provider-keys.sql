-- A workspace's own keys of speech vendors: used for its bots instead of the server's.

create table provider_keys (
  workspace_id text not null references workspaces on delete cascade,
  vendor text not null,
  secret bytea not null,
  updated_at timestamptz not null,
  primary key (workspace_id, vendor)
);
