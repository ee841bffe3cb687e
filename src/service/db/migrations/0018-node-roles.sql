-- What each node does. The defaults are true of a node whose version is older than these columns.

alter table nodes
  add column roles text[] not null default '{api,fleet,media,delivery,calendar}',
  -- True: the node takes no new bots and stops when its last bot has left or is handed over.
  add column draining boolean not null default false,
  add column version text not null default '';
