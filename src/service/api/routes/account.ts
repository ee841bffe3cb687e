// The caller's own workspace: what it used, and its settings.
import Type from 'typebox'
import { invalid } from '../../../domain/errors.ts'
import { balanceOf, setZoomApp, usageByDay, zoomAppOf } from '../../db/accounts.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { daysIn } from '../query.ts'
import { Nullable, problems } from '../schemas/common.ts'

const DAY_MS = 24 * 60 * 60_000
const DEFAULT_DAYS = 30

const tags = ['Account']

export const Usage = Type.Object({
  balance: Type.Number(),
  currency: Type.String(),
  bots: Type.Integer(),
  bot_seconds: Type.Integer(),
  cost: Type.Number(),
  by_day: Type.Array(Type.Object({ day: Type.String(), bots: Type.Integer(), bot_seconds: Type.Integer(), cost: Type.Number() })),
})

export const Settings = Type.Object({
  zoom_sdk_key: Nullable(Type.String({ description: 'The Zoom app of this workspace; the server’s own is used where there is none.' })),
  zoom_sdk_secret_set: Type.Boolean({ description: 'The secret itself is never shown.' }),
})

export function accountRoutes(app: Api, deps: ApiDeps): void {
  usageRoute(app, deps)
  settingsRoutes(app, deps)
}

function usageRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Usage and cost, day by day',
    operationId: 'getUsage',
    tags,
    querystring: Type.Object({
      from: Type.Optional(Type.String({ description: 'YYYY-MM-DD, inclusive. Default: 30 days ago.' })),
      to: Type.Optional(Type.String({ description: 'YYYY-MM-DD, inclusive. Default: today.' })),
    }),
    response: { 200: Usage, ...problems('invalid') },
  }
  app.get('/usage', { schema }, async (request) => {
    const { workspaceId } = callerOf(request)
    const { from, before = deps.now() } = daysIn(request.query)
    const since = from ?? new Date(before.getTime() - DEFAULT_DAYS * DAY_MS)
    const days = await usageByDay(deps.db, workspaceId, { from: since, before })
    const sum = (pick: (day: (typeof days)[number]) => number) => days.reduce((total, day) => total + pick(day), 0)
    return {
      balance: await balanceOf(deps.db, workspaceId),
      currency: deps.config.CURRENCY,
      bots: sum((day) => day.bots),
      bot_seconds: sum((day) => day.seconds),
      cost: sum((day) => day.cost),
      by_day: days.map(({ day, bots, seconds, cost }) => ({ day, bots, bot_seconds: seconds, cost })),
    }
  })
}

function settingsRoutes(app: Api, deps: ApiDeps): void {
  const present = async (workspace: Parameters<typeof zoomAppOf>[1]) => {
    const zoom = await zoomAppOf(deps.db, workspace)
    return { zoom_sdk_key: zoom?.key ?? null, zoom_sdk_secret_set: zoom !== null }
  }
  const reading = { summary: 'Settings of the workspace', operationId: 'getSettings', tags, response: { 200: Settings, ...problems() } }
  app.get('/settings', { schema: reading }, async (request) => present(callerOf(request).workspaceId))

  const Given = Nullable(Type.String({ minLength: 1, maxLength: 500 }))
  const changing = {
    summary: 'Set or, with null, forget the workspace’s Zoom app',
    operationId: 'updateSettings',
    tags,
    body: Type.Object({ zoom_sdk_key: Given, zoom_sdk_secret: Given }),
    response: { 200: Settings, ...problems('invalid') },
  }
  app.patch('/settings', { schema: changing }, async (request) => {
    const { workspaceId } = callerOf(request)
    const { zoom_sdk_key: key, zoom_sdk_secret: secret } = request.body
    if ((key === null) !== (secret === null)) throw invalid('zoom_sdk_key and zoom_sdk_secret must be set, or forgotten, together.')
    await setZoomApp(deps.db, workspaceId, key !== null && secret !== null ? { key, secret: deps.vault.seal(workspaceId, secret) } : null)
    return present(workspaceId)
  })
}
