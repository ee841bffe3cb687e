// GET /usage, GET and PATCH /settings: usage and settings of the caller's workspace.

import Type from 'typebox'
import { invalid } from '../../../domain/errors.ts'
import { balanceOf, setZoomApp, usageByDay, zoomAppOf } from '../../db/accounts.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { daysIn } from '../query.ts'
import { Nullable, problems } from '../schema.ts'
import { Settings, Usage } from './schema.ts'

const DAY_MS = 24 * 60 * 60_000
const DEFAULT_DAYS = 30

const tags = ['Account']

export function accountRoutes(app: Api, deps: ApiDeps): void {
  usageRoute(app, deps)
  settingsRoutes(app, deps)
}

function usageRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Read usage and cost per day',
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
  const reading = { summary: 'Read the workspace’s settings', operationId: 'getSettings', tags, response: { 200: Settings, ...problems() } }
  app.get('/settings', { schema: reading }, async (request) => present(callerOf(request).workspaceId))

  const Given = Nullable(Type.String({ minLength: 1, maxLength: 500 }))
  const changing = {
    summary: 'Set the workspace’s Zoom app, or delete it with null',
    operationId: 'updateSettings',
    tags,
    body: Type.Object({ zoom_sdk_key: Given, zoom_sdk_secret: Given }),
    response: { 200: Settings, ...problems('invalid') },
  }
  app.patch('/settings', { schema: changing }, async (request) => {
    const { workspaceId } = callerOf(request)
    const { zoom_sdk_key: key, zoom_sdk_secret: secret } = request.body
    if ((key === null) !== (secret === null)) throw invalid('zoom_sdk_key and zoom_sdk_secret must both be set or both be null.')
    await setZoomApp(deps.db, workspaceId, key !== null && secret !== null ? { key, secret: deps.vault.seal(workspaceId, secret) } : null)
    return present(workspaceId)
  })
}
