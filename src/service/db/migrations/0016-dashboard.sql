-- People who sign in to the dashboard. A person is a user of each of their workspaces.
create table people (
  id text primary key,
  -- In lower case.
  email text not null unique,
  name text not null,
  -- argon2id, in the form of the PHC.
  password text not null,
  created_at timestamptz not null
);

alter table users
  -- Null: a user that only keys and calendars belong to.
  add column person_id text references people,
  add column role text not null default 'owner' check (role in ('owner', 'member', 'viewer'));
create unique index users_of_person on users (person_id, workspace_id) where person_id is not null;

create table sessions (
  id text primary key,
  -- Of the cookie, which only the browser has.
  digest bytea not null unique,
  person_id text not null references people,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_by_person on sessions (person_id);

-- A link that makes a person a user of a workspace, once.
create table invitations (
  id text primary key,
  workspace_id text not null references workspaces,
  -- Null: the set-up link, whose holder says who they are.
  email text,
  role text not null check (role in ('owner', 'member', 'viewer')),
  digest bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index invitations_by_workspace on invitations (workspace_id);

alter table api_keys
  -- The last characters, by which its owner knows it again.
  add column hint text,
  -- To the minute.
  add column last_used_at timestamptz;
create index api_keys_by_workspace on api_keys (workspace_id);
