// The client of the API: requests each bot, and repeats the request at another node until it is acknowledged.
import type { BotSpec, WorkspaceId } from '../src/domain/bot.ts'
import { type MeetingLink, parseMeetingLink } from '../src/domain/meeting-link.ts'
import { SPEC_DEFAULTS } from '../src/domain/spec-defaults.ts'
import { type BotRequest, createBot } from '../src/service/fleet/bot/create.ts'
import type { SimulatedNode } from './node.ts'
import type { Random } from './random.ts'
import { type BotPlan, WORKSPACES } from './scenario.ts'
import type { World } from './world.ts'

const ANSWER_WITHIN_MS = 6_000
const LATENCY_MS = 3

export type ClientTools = {
  readonly world: World
  readonly nodes: readonly SimulatedNode[]
  /** Each of them may have only a few requests at a time. */
  readonly receivers: number
  readonly onAcknowledged: (botId: string) => void
}

export function planRequests({ world, ...tools }: ClientTools, plans: readonly BotPlan[]): void {
  const random = world.randomOf('client')
  for (const plan of plans) world.after(plan.createAtMs, null, () => request({ world, ...tools }, plan, random))
}

function request(tools: ClientTools, plan: BotPlan, random: Random): void {
  const { world, nodes, receivers, onAcknowledged } = tools
  const node = nodes[Math.floor(random() * nodes.length)]
  const service = node?.service
  let isOver = false
  const again = world.after(service ? ANSWER_WITHIN_MS : 500, null, () => {
    isOver = true
    request(tools, plan, random)
  })
  if (!service) return
  const answer = (run: () => void): void => {
    world.after(LATENCY_MS, null, () => {
      if (isOver) return
      again.isCancelled = true
      run()
    })
  }
  world.after(LATENCY_MS, { process: service.process }, () => {
    createBot(service.fleet, requestOf(world, plan, receivers), new Date()).then(
      ({ bot }) => answer(() => onAcknowledged(bot.id)),
      () => answer(() => void world.after(500, null, () => request(tools, plan, random))),
    )
  })
}

function requestOf(world: World, { index, workspace, joinAtMs }: BotPlan, receivers: number): BotRequest {
  return {
    workspaceId: WORKSPACES[workspace] ?? ('ws_0' as WorkspaceId),
    spec: SPEC,
    joinAt: joinAtMs === null ? null : world.wallClock(joinAtMs - world.nowMs),
    idempotencyKey: `request ${index}`,
    deduplicationKey: null,
    callbackUrl: `https://receiver.example/${index % receivers}?bot=${index}`,
    customAttributes: { index },
    echo: {},
  }
}

const SPEC: BotSpec = {
  ...SPEC_DEFAULTS,
  meeting: parseMeetingLink('https://meet.google.com/abc-defg-hij', {}) as MeetingLink,
  retentionHours: 720,
}
