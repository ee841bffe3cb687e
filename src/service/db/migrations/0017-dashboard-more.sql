-- Failed sign-ins of the dashboard, counted for all nodes. Unlogged: after a crash the count begins anew.
create unlogged table failed_sign_ins (
  -- An address of the network, or an e-mail address.
  name text primary key,
  count integer not null,
  until timestamptz not null
);

-- Names that people gave to the speakers of a recording.
create table speaker_names (
  bot_id text not null references bots,
  speaker_id text not null,
  name text not null,
  primary key (bot_id, speaker_id)
);

alter table workspaces
  -- How long media is kept where a bot does not say; null: the default of the service.
  add column retention_hours double precision check (retention_hours between 1 and 87600);
