-- The app by which bots of a workspace identify themselves to Microsoft Teams. The secret is sealed.

alter table workspaces
  add column teams_bot_tenant text,
  add column teams_bot_client_id text,
  add column teams_bot_client_secret bytea;
