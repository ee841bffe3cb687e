// GET /usage: usage of the caller's workspace.
import Type from 'typebox'
import { balanceOf, usageByDay } from '../../db/accounts/accounts.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { daysIn } from '../http/query.ts'
import { NamedObject, operationsOf, problems } from '../schema.ts'

const DAY_MS = 24 * 60 * 60_000
const DEFAULT_DAYS = 30

const operation = operationsOf('Account')

const Usage = NamedObject('Usage', {
  balance: Type.Number(),
  currency: Type.String(),
  bots: Type.Integer(),
  bot_seconds: Type.Integer(),
  cost: Type.Number(),
  by_day: Type.Array(
    NamedObject('UsageDay', { day: Type.String(), bots: Type.Integer(), bot_seconds: Type.Integer(), cost: Type.Number() }),
  ),
})

export function usageRoutes(app: Api, deps: ApiDeps): void {
  const schema = operation('getUsage', 'Read usage and cost per day', {
    querystring: Type.Object({
      from: Type.Optional(Type.String({ description: 'YYYY-MM-DD, inclusive. Default: 30 days ago.' })),
      to: Type.Optional(Type.String({ description: 'YYYY-MM-DD, inclusive. Default: today.' })),
    }),
    response: { 200: Usage, ...problems() },
  })
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
