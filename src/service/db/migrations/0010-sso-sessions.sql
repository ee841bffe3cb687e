-- A bot's browser at our sign-in page: whoever holds its secret is signed in as the login. Rows, so that any node can answer.

create table sso_sessions (
  -- SHA-256 of the secret: of the link's token at first and, once that was used, of the browser's cookie.
  digest bytea primary key,
  bot_id text not null references bots on delete cascade,
  login_id text not null references logins on delete cascade,
  expires_at timestamptz not null,
  -- The link was opened; it opens once.
  used_at timestamptz,
  -- We vouched for the account, at least once.
  signed_at timestamptz
);
create index sso_sessions_by_bot on sso_sessions (bot_id);
create index sso_sessions_by_login on sso_sessions (login_id);
create index sso_sessions_by_expiry on sso_sessions (expires_at);
