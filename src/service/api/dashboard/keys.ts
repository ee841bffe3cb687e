// API keys in the dashboard: list, create, revoke.
import Type from 'typebox'
import { ServiceError } from '../../../domain/errors.ts'
import { makeKeyAsOwner } from '../../accounts/keys.ts'
import { listKeys } from '../../db/accounts/keys.ts'
import type { Api } from '../deps.ts'
import { type DashboardDeps, memberIn, ownerIn } from './deps.ts'
import { Done, KeyList, KeyMade, NewKey, WorkspaceParams as params } from './schema.ts'

const KeyParams = Type.Object({ ...params.properties, key_id: Type.String() })

export function dashboardKeyRoutes(app: Api, deps: DashboardDeps): void {
  const listing = { operationId: 'listApiKeys', params, response: { 200: KeyList } }
  app.get('/workspaces/:workspace_id/keys', { schema: listing }, async (request) => {
    const { workspaceId } = await memberIn(request, deps)
    const keys = await listKeys(deps.db, workspaceId)
    return {
      keys: keys.map((key) => ({
        key_id: key.id,
        name: key.name,
        hint: key.hint,
        user_email: key.userEmail,
        made_by: key.madeBy,
        created_at: key.createdAt.toISOString(),
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      })),
    }
  })

  const making = { operationId: 'createApiKey', params, body: NewKey, response: { 201: KeyMade } }
  app.post('/workspaces/:workspace_id/keys', { schema: making }, async (request, reply) => {
    const { workspaceId, userId } = await ownerIn(request, deps)
    const { name, service = false } = request.body
    const { keyId, apiKey } = await makeKeyAsOwner(deps.db, { workspaceId, maker: userId, service, name, at: deps.now() })
    return reply.code(201).send({ key_id: keyId, api_key: apiKey })
  })

  const revoking = { operationId: 'revokeApiKey', params: KeyParams, response: { 200: Done } }
  app.delete('/workspaces/:workspace_id/keys/:key_id', { schema: revoking }, async (request) => {
    const { workspaceId } = await ownerIn(request, deps)
    if (request.params.key_id.includes('\0')) throw new ServiceError('key_not_found')
    await deps.keys.revoke(request.params.key_id, deps.now(), workspaceId)
    return { message: 'Key revoked' }
  })
}
