// GET and PATCH /settings: the apps with which bots of the caller's workspace join.
import Type from 'typebox'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { invalid } from '../../../domain/errors.ts'
import { ownerOf } from '../../accounts/teams-app.ts'
import { setTeamsApp, setZoomApp, teamsAppOf, zoomAppOf } from '../../db/accounts/accounts.ts'
import { inTransaction } from '../../db/database.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { NamedObject, Nullable, operationsOf, problems } from '../schema.ts'

const operation = operationsOf('Account')

const isSet = (what: string) => Type.Boolean({ description: `Whether a secret of the ${what} is set. The secret itself is never shown.` })

const Settings = NamedObject('WorkspaceSettings', {
  zoom_sdk_key: Nullable(Type.String({ description: 'The workspace’s Zoom app. If null, the server’s app is used.' })),
  zoom_sdk_secret_set: isSet('Zoom app'),
  teams_bot_tenant: Nullable(Type.String({ description: 'The tenant of the app by which bots identify themselves to Microsoft Teams.' })),
  teams_bot_client_id: Nullable(Type.String({ description: 'The client id of that app. If null, the server’s app is used.' })),
  teams_bot_client_secret_set: isSet('Teams app'),
})

const Given = Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 })))
const Change = Type.Object({
  zoom_sdk_key: Given,
  zoom_sdk_secret: Given,
  teams_bot_tenant: Given,
  teams_bot_client_id: Given,
  teams_bot_client_secret: Given,
})
type Change = Type.Static<typeof Change>

export function settingsRoutes(app: Api, deps: ApiDeps): void {
  const { db } = deps
  const present = async (workspace: WorkspaceId) => {
    const [zoom, teams] = [await zoomAppOf(db, workspace), await teamsAppOf(db, workspace)]
    return {
      zoom_sdk_key: zoom?.key ?? null,
      zoom_sdk_secret_set: zoom !== null,
      teams_bot_tenant: teams?.tenant ?? null,
      teams_bot_client_id: teams?.clientId ?? null,
      teams_bot_client_secret_set: teams !== null,
    }
  }
  const reading = operation('getSettings', 'Read the workspace’s settings', { response: { 200: Settings, ...problems() } })
  app.get('/settings', { schema: reading }, async (request) => present(callerOf(request).workspaceId))

  const changing = operation('updateSettings', 'Set the workspace’s Zoom app or Teams app, or delete it with null', {
    body: Change,
    response: { 200: Settings, ...problems() },
  })
  app.patch('/settings', { schema: changing }, async (request) => {
    const { workspaceId } = callerOf(request)
    const zoom = allOrNone(request.body, ['zoom_sdk_key', 'zoom_sdk_secret'])
    const teams = allOrNone(request.body, ['teams_bot_tenant', 'teams_bot_client_id', 'teams_bot_client_secret'])
    await inTransaction(db, async (tx) => {
      if (zoom) await setZoomApp(tx, workspaceId, zoomApp(deps, workspaceId, zoom))
      if (teams) await setTeamsApp(tx, workspaceId, teamsApp(deps, workspaceId, teams))
    })
    return present(workspaceId)
  })
}

/** The values of fields that belong together: all strings, or none to delete them. Null: none is in the body, so nothing changes. */
function allOrNone(body: Change, names: readonly (keyof Change)[]): readonly string[] | null {
  const given = names.map((name) => body[name])
  if (given.every((it) => it === undefined)) return null
  if (given.every((it) => it === null)) return []
  const values = given.flatMap((it) => it ?? [])
  if (values.length === names.length) return values
  const [last, ...others] = names.toReversed()
  throw invalid(
    `${others.toReversed().join(', ')} and ${last} must ${names.length === 2 ? 'both be set or both' : 'all be set or all'} be null.`,
  )
}

function zoomApp({ vault }: ApiDeps, workspace: WorkspaceId, [key, secret]: readonly string[]) {
  return key && secret ? { key, secret: vault.seal(workspace, secret) } : null
}

function teamsApp({ vault }: ApiDeps, workspace: WorkspaceId, [tenant, clientId, secret]: readonly string[]) {
  return tenant && clientId && secret ? { tenant, clientId, secret: vault.seal(ownerOf(workspace), secret) } : null
}
