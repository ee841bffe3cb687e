// The operator's API under /admin/v1: workspaces, credits and keys. Not served without ADMIN_TOKEN.
import Type from 'typebox'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { grantCredits } from '../../accounts/credits.ts'
import { makeKey } from '../../accounts/keys.ts'
import { createWorkspace } from '../../accounts/workspaces.ts'
import { firstUser, listWorkspaces, workspaceExists } from '../../db/accounts/accounts.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Line, Moment, NamedObject, operationsOf, problems } from '../schema.ts'

const operation = operationsOf('Operator', { security: [{ operatorToken: [] }] })
const params = Type.Object({ id: Type.String() })

const Name = Line({ minLength: 1, maxLength: 200 })

const Workspace = NamedObject('Workspace', {
  workspace_id: Type.String(),
  name: Type.String(),
  balance: Type.Number(),
  created_at: Moment,
})

export function operatorRoutes(app: Api, deps: ApiDeps): void {
  workspaceRoutes(app, deps)
  keyRoutes(app, deps)
}

function workspaceRoutes(app: Api, deps: ApiDeps): void {
  const adding = operation('createWorkspace', 'Create a workspace with a user and an API key', {
    body: Type.Object({ name: Name, user_email: Type.String({ format: 'email', maxLength: 254 }) }),
    response: {
      201: Type.Object({
        workspace_id: Type.String(),
        user_id: Type.String(),
        api_key: Type.String({ description: 'Shown only in this answer.' }),
      }),
      ...problems(),
    },
  })
  app.post('/workspaces', { schema: adding }, async (request, reply) => {
    const { name, user_email: email } = request.body
    const { workspaceId, userId, apiKey } = await createWorkspace(deps.db, { name, email, at: deps.now() })
    return reply.code(201).send({ workspace_id: workspaceId, user_id: userId, api_key: apiKey })
  })

  const listing = operation('listWorkspaces', 'List workspaces', {
    response: { 200: Type.Object({ workspaces: Type.Array(Workspace) }), ...problems() },
  })
  app.get('/workspaces', { schema: listing }, async () => {
    const all = await listWorkspaces(deps.db)
    return {
      workspaces: all.map(({ id, name, balance, createdAt }) => ({ workspace_id: id, name, balance, created_at: createdAt.toISOString() })),
    }
  })

  const crediting = operation('addCredits', 'Add credits to a workspace; a negative amount subtracts', {
    params,
    body: Type.Object({ amount: Type.Number({ minimum: -1_000_000, maximum: 1_000_000 }) }),
    response: { 200: Type.Object({ balance: Type.Number() }), ...problems('workspace_not_found') },
  })
  app.post('/workspaces/:id/credits', { schema: crediting }, async (request) => ({
    balance: await grantCredits(deps.db, workspaceIn(request.params.id), request.body.amount, deps.now()),
  }))
}

function keyRoutes(app: Api, deps: ApiDeps): void {
  const adding = operation('createKey', 'Create an API key', {
    params,
    body: Type.Object({
      name: Name,
      service: Type.Optional(Type.Boolean({ description: 'true: a service key, which belongs to no user.' })),
    }),
    response: {
      201: Type.Object({ key_id: Type.String(), api_key: Type.String({ description: 'Shown only in this answer.' }) }),
      ...problems('workspace_not_found'),
    },
  })
  app.post('/workspaces/:id/keys', { schema: adding }, async (request, reply) => {
    const workspaceId = workspaceIn(request.params.id)
    if (!(await workspaceExists(deps.db, workspaceId))) throw new ServiceError('workspace_not_found')
    const userId = request.body.service ? null : await firstUser(deps.db, workspaceId)
    const { keyId, apiKey } = await makeKey(deps.db, { workspaceId, userId, madeBy: 'operator', name: request.body.name, at: deps.now() })
    return reply.code(201).send({ key_id: keyId, api_key: apiKey })
  })

  const revoking = operation('revokeKey', 'Revoke an API key', {
    params: Type.Object({ key_id: Type.String() }),
    response: { 200: Type.Object({ message: Type.String(), key_id: Type.String() }), ...problems('key_not_found') },
  })
  app.delete('/keys/:key_id', { schema: revoking }, async (request) => {
    const { key_id } = request.params
    if (key_id.includes('\0')) throw new ServiceError('key_not_found')
    await deps.keys.revoke(key_id, deps.now())
    return { message: 'Key revoked', key_id }
  })
}

function workspaceIn(id: string): WorkspaceId {
  if (id.includes('\0')) throw new ServiceError('workspace_not_found')
  return id as WorkspaceId
}
