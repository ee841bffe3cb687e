// Storage and retention of a workspace, and the fleet for the operator.
import { ServiceError } from '../../../domain/errors.ts'
import type { Config } from '../../config.ts'
import { countWaitingBots, latenessOf, listNodes } from '../../db/fleet/nodes.ts'
import { DEFAULT_RETENTION_HOURS, findRetention, setRetention, storedMedia } from '../../db/fleet/retention.ts'
import type { Api } from '../deps.ts'
import { signedIn } from '../session-auth.ts'
import { type DashboardDeps, isOperator, memberIn, ownerIn } from './deps.ts'
import { Done, Fleet, WorkspaceParams as params, Retention, Storage } from './schema.ts'

export function installationRoutes(app: Api, deps: DashboardDeps): void {
  const storage = '/workspaces/:workspace_id/storage'
  app.get(storage, { schema: { operationId: 'getStorage', params, response: { 200: Storage } } }, async (request) => {
    const { workspaceId } = await memberIn(request, deps)
    const [stored, hours] = await Promise.all([storedMedia(deps.db, workspaceId), findRetention(deps.db, workspaceId)])
    return { ...stored, place: storageLabel(deps.config), retention_hours: hours, default_retention_hours: DEFAULT_RETENTION_HOURS }
  })

  app.put(storage, { schema: { operationId: 'setRetention', params, body: Retention, response: { 200: Done } } }, async (request) => {
    const { workspaceId } = await ownerIn(request, deps)
    await setRetention(deps.db, workspaceId, request.body.retention_hours)
    return { message: 'Retention changed. It applies to bots that end from now on and set no retention of their own.' }
  })

  app.get('/fleet', { schema: { operationId: 'getFleet', response: { 200: Fleet } } }, async (request) => {
    const { session } = await signedIn(request, deps)
    if (!(await isOperator(deps.db, session.personId)))
      throw new ServiceError('forbidden', 'Only owners of the first workspace of this installation may see its fleet.')
    const [nodes, { waiting, longestSeconds, scheduled }, lateness] = await Promise.all([
      listNodes(deps.db),
      countWaitingBots(deps.db),
      latenessOf(deps.db),
    ])
    return {
      nodes: nodes.map(({ id, address, isAlive, seats, freeSeats, startedAt }) => ({
        node_id: id,
        address,
        is_alive: isAlive,
        seats,
        free_seats: freeSeats,
        started_at: startedAt.toISOString(),
      })),
      queue: { waiting, longest_seconds: longestSeconds, scheduled },
      lateness,
    }
  })
}

/** Omits paths on the server, which only its operator may know. */
function storageLabel({ S3_BUCKET, S3_ENDPOINT }: Config): string {
  return S3_BUCKET ? `the bucket ${S3_BUCKET}${S3_ENDPOINT ? ` at ${new URL(S3_ENDPOINT).host}` : ''}` : 'the disk of this server'
}
