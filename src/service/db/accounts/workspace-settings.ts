// What a workspace has set, without sealed secrets, digests and passwords. A bot_config is as it was sent.
import type { JsonObject, WorkspaceId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { onlyRow } from '../query.ts'

/** Field names are those of the API. Times are ISO 8601. */
export async function readWorkspaceSettings(db: Db, id: WorkspaceId): Promise<JsonObject> {
  const { settings } = await onlyRow<{ settings: JsonObject }>(db)`
    select jsonb_build_object(
      'workspace_id', id, 'name', name, 'created_at', created_at, 'balance', balance, 'retention_hours', retention_hours,
      'users', (select coalesce(jsonb_agg(jsonb_build_object('user_id', id, 'email', email, 'role', role, 'created_at', created_at)
        order by created_at, id), '[]') from users where workspace_id = it.id),
      'api_keys', (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'hint', hint, 'created_at', created_at, 'revoked_at', revoked_at)
        order by created_at, id), '[]') from api_keys where workspace_id = it.id),
      'webhook_endpoints', (select coalesce(jsonb_agg(jsonb_build_object('endpoint_id', id, 'url', url, 'description', description,
        'events', events, 'retry', retry, 'disabled_at', disabled_at, 'created_at', created_at) order by created_at, id), '[]')
        from webhook_endpoints where workspace_id = it.id),
      'login_domains', (select coalesce(jsonb_agg(jsonb_build_object('platform', platform, 'domain', domain, 'name', name,
        'login_mode', login_mode, 'created_at', created_at) order by platform, domain), '[]') from login_domains where workspace_id = it.id),
      'logins', (select coalesce(jsonb_agg(jsonb_build_object('platform', platform, 'domain', domain, 'email', email,
        'is_active', is_active, 'created_at', created_at) order by platform, domain, email), '[]') from logins where workspace_id = it.id),
      'calendars', (select coalesce(jsonb_agg(jsonb_build_object('provider', provider, 'email', email, 'state', state,
        'bot_config', bot_config, 'created_at', created_at) order by created_at, id), '[]')
        from calendar_connections where workspace_id = it.id),
      'credits', (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'amount', amount, 'bot_id', bot_id,
        'bot_seconds', bot_seconds, 'created_at', created_at) order by created_at, id), '[]') from credit_entries where workspace_id = it.id)
    ) as settings
    from workspaces as it where id = ${id}`
  return settings
}
