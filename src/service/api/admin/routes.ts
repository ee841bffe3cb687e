// The operator's API under /admin/v1: workspaces, credits and keys. Not served without ADMIN_TOKEN.

import Type from 'typebox'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { grantCredits } from '../../accounts/credits.ts'
import { makeKey } from '../../accounts/keys.ts'
import { createWorkspace } from '../../accounts/workspaces.ts'
import { firstUser, listWorkspaces, workspaceExists } from '../../db/accounts.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { openProblems } from '../schema.ts'
import { Name, params, Workspace } from './schema.ts'

const tags = ['Operator']
const security = [{ operatorToken: [] }]
const refusals = ['invalid', 'unauthorized', 'forbidden', 'too_many_requests'] as const

export function operatorRoutes(app: Api, deps: ApiDeps): void {
  workspaceRoutes(app, deps)
  creditRoute(app, deps)
  keyRoutes(app, deps)
}

function workspaceRoutes(app: Api, deps: ApiDeps): void {
  const adding = {
    summary: 'Create a workspace with a user and an API key',
    operationId: 'createWorkspace',
    tags,
    security,
    body: Type.Object({ name: Name, user_email: Type.String({ format: 'email', maxLength: 254 }) }),
    response: {
      201: Type.Object({
        workspace_id: Type.String(),
        user_id: Type.String(),
        api_key: Type.String({ description: 'Shown only in this answer.' }),
      }),
      ...openProblems(...refusals),
    },
  }
  app.post('/workspaces', { schema: adding }, async (request, reply) => {
    const { name, user_email: email } = request.body
    const { workspaceId, userId, apiKey } = await createWorkspace(deps.db, { name, email, at: deps.now() })
    return reply.code(201).send({ workspace_id: workspaceId, user_id: userId, api_key: apiKey })
  })

  const listing = {
    summary: 'List workspaces',
    operationId: 'listWorkspaces',
    tags,
    security,
    response: { 200: Type.Object({ workspaces: Type.Array(Workspace) }), ...openProblems(...refusals) },
  }
  app.get('/workspaces', { schema: listing }, async () => {
    const all = await listWorkspaces(deps.db)
    return {
      workspaces: all.map(({ id, name, balance, createdAt }) => ({ workspace_id: id, name, balance, created_at: createdAt.toISOString() })),
    }
  })
}

function creditRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Add credits to a workspace; a negative amount subtracts',
    operationId: 'addCredits',
    tags,
    security,
    params,
    body: Type.Object({ amount: Type.Number({ minimum: -1_000_000, maximum: 1_000_000 }) }),
    response: { 200: Type.Object({ balance: Type.Number() }), ...openProblems(...refusals, 'workspace_not_found') },
  }
  app.post('/workspaces/:id/credits', { schema }, async (request) => ({
    balance: await grantCredits(deps.db, workspaceIn(request.params.id), request.body.amount, deps.now()),
  }))
}

function keyRoutes(app: Api, deps: ApiDeps): void {
  const adding = {
    summary: 'Create an API key',
    operationId: 'createKey',
    tags,
    security,
    params,
    body: Type.Object({
      name: Name,
      service: Type.Optional(Type.Boolean({ description: 'true: a service key, which belongs to no user.' })),
    }),
    response: {
      201: Type.Object({ key_id: Type.String(), api_key: Type.String({ description: 'Shown only in this answer.' }) }),
      ...openProblems(...refusals, 'workspace_not_found'),
    },
  }
  app.post('/workspaces/:id/keys', { schema: adding }, async (request, reply) => {
    const workspaceId = workspaceIn(request.params.id)
    if (!(await workspaceExists(deps.db, workspaceId))) throw new ServiceError('workspace_not_found')
    const userId = request.body.service ? null : await firstUser(deps.db, workspaceId)
    const { keyId, apiKey } = await makeKey(deps.db, { workspaceId, userId, madeBy: 'operator', name: request.body.name, at: deps.now() })
    return reply.code(201).send({ key_id: keyId, api_key: apiKey })
  })

  const revoking = {
    summary: 'Revoke an API key',
    operationId: 'revokeKey',
    tags,
    security,
    params: Type.Object({ key_id: Type.String() }),
    response: { 200: Type.Object({ message: Type.String(), key_id: Type.String() }), ...openProblems(...refusals, 'key_not_found') },
  }
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
