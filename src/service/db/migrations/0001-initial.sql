-- Accounts, bots, and the outbox that tells the world about them.

create table workspaces (
  id text primary key,
  name text not null,
  -- The sum of the workspace's credit entries, kept beside them in the same transaction.
  balance numeric(30, 6) not null default 0,
  zoom_sdk_key text,
  zoom_sdk_secret bytea,
  created_at timestamptz not null
);

create table users (
  id text primary key,
  workspace_id text not null references workspaces,
  email text not null,
  is_admin boolean not null default false,
  created_at timestamptz not null,
  unique (workspace_id, email)
);

create table api_keys (
  id text primary key,
  workspace_id text not null references workspaces,
  -- Null: a service key, which belongs to no user.
  user_id text references users,
  name text not null,
  -- The key itself is shown once and never stored.
  digest bytea not null unique,
  created_at timestamptz not null,
  revoked_at timestamptz
);

-- Money in and money out, never changed afterwards.
create table credit_entries (
  id text primary key,
  workspace_id text not null references workspaces,
  kind text not null check (kind in ('grant', 'usage', 'refund')),
  amount numeric(30, 6) not null,
  bot_id text,
  bot_seconds integer,
  created_at timestamptz not null
);
create index credit_entries_by_workspace on credit_entries (workspace_id, created_at);
-- A bot's time is charged once, whatever is repeated after a crash.
create unique index credit_entries_once_per_bot on credit_entries (bot_id, kind) where bot_id is not null;

create table login_domains (
  platform text not null,
  domain text not null,
  workspace_id text not null references workspaces,
  name text,
  login_mode text not null check (login_mode in ('always', 'if_required')),
  created_at timestamptz not null,
  primary key (platform, domain)
);
create index login_domains_by_workspace on login_domains (workspace_id, platform);

create table logins (
  id text primary key,
  platform text not null,
  domain text not null,
  workspace_id text not null references workspaces,
  email text not null,
  -- Password, or private key and certificate; sealed.
  secret bytea not null,
  is_active boolean not null default true,
  last_error text,
  created_at timestamptz not null,
  foreign key (platform, domain) references login_domains on delete cascade,
  unique (platform, domain, email)
);

create table bots (
  id text primary key,
  -- Of the key that asked. Not checked again: every creation would lock the workspace's one row, and workspaces are never deleted.
  workspace_id text not null,
  platform text not null,
  -- The meeting's own identity, whatever the link looked like.
  meeting_id text not null,
  meeting_url text not null,
  name text not null,
  status text not null,
  message text not null,
  error_reason text,
  created_at timestamptz not null,
  join_at timestamptz,
  started_at timestamptz,
  in_meeting_at timestamptz,
  ended_at timestamptz,
  -- When dispatch should next look at this bot; null once there is nothing left to start.
  launch_at timestamptz,
  -- Raised by every claim: a write that carries an older one changes nothing.
  fence integer not null default 0,
  idempotency_key text,
  deduplication_key text,
  callback_url text,
  transcript_id text,
  login_id text references logins on delete set null,
  -- json, not jsonb: it is echoed as it came.
  custom_attributes json not null,
  timeline jsonb not null,
  evidence jsonb not null default '[]',
  request json not null,
  spec json not null
);
create unique index bots_by_idempotency_key on bots (workspace_id, idempotency_key) where idempotency_key is not null;
create unique index bots_by_deduplication_key on bots (workspace_id, deduplication_key) where deduplication_key is not null;
create unique index bots_by_transcript on bots (transcript_id) where transcript_id is not null;
create index bots_newest_first on bots (workspace_id, created_at desc, id desc);
create index bots_due on bots (launch_at) where launch_at is not null;
create index bots_scheduled on bots (workspace_id, join_at, id) where status = 'Scheduled';
create index bots_by_login on bots (login_id) where login_id is not null;
create index bots_running on bots (workspace_id) where status in
  ('Joining', 'InWaitingRoom', 'InMeeting', 'RecordingPermissionAllowed', 'RecordingPermissionDenied', 'Leaving');

-- Custom attributes as search terms: each is a hash of workspace, name and value. A term's bots lie newest first, so a filtered
-- page is a short walk along one term that looks into the others. No reference to bots: their rows are never deleted.
create table bot_terms (
  term bigint not null,
  created_at timestamptz not null,
  bot_id text not null
);
create unique index bot_terms_newest_first on bot_terms (term, created_at desc, bot_id desc);

-- What happened, in the words that are sent. Written in the transaction of the change it reports.
create table events (
  id text primary key,
  seq bigint generated always as identity,
  -- Its bot's: not checked again, for this is written as often as anything.
  workspace_id text not null,
  bot_id text not null references bots on delete cascade,
  name text not null,
  body text not null,
  created_at timestamptz not null
);

-- One event to one receiver: queue and log in one.
create table deliveries (
  seq bigint generated always as identity primary key,
  event_id text not null references events on delete cascade,
  workspace_id text not null,
  bot_id text not null,
  url text not null,
  -- Where it goes, without the query: receivers share nothing but this table.
  receiver text not null,
  state text not null default 'queued' check (state in ('queued', 'sending', 'delivered', 'failed')),
  due_at timestamptz not null,
  attempts integer not null default 0,
  -- A sender that died gives its deliveries back at this moment.
  claimed_until timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index deliveries_due on deliveries (due_at, seq) where state = 'queued';
create index deliveries_open on deliveries (bot_id, receiver, seq) where state in ('queued', 'sending');
create index deliveries_claimed on deliveries (claimed_until) where state = 'sending';
create index deliveries_by_workspace on deliveries (workspace_id, seq desc);
create index deliveries_by_bot on deliveries (bot_id, seq desc);

create table delivery_attempts (
  delivery_seq bigint not null references deliveries on delete cascade,
  number integer not null,
  at timestamptz not null,
  duration_ms integer not null,
  -- The receiver's answer; null when there was none.
  http_status integer,
  answer_head text,
  error text,
  primary key (delivery_seq, number)
);
