-- When work of the workspace was last claimed from a queue of work after the call: workspaces take turns.
create table media_turns (
  queue text not null check (queue in ('recordings', 'transcriptions')),
  workspace_id text not null,
  taken_at timestamptz not null,
  primary key (queue, workspace_id)
);
