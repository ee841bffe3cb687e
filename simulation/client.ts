// The client of the API: requests each bot, and repeats the request at another node until it is acknowledged.
import { LEAVE_DEFAULTS } from '../src/domain/automatic-leave.ts'
import type { BotSpec, WorkspaceId } from '../src/domain/bot.ts'
import { type MeetingLink, parseMeetingLink } from '../src/domain/meeting-link.ts'
import { type BotRequest, createBot } from '../src/service/fleet/create.ts'
import type { SimulatedNode } from './node.ts'
import type { Random } from './random.ts'
import { type BotPlan, MOST_WORKSPACES } from './scenario.ts'
import type { World } from './world.ts'

const ANSWER_WITHIN_MS = 6_000
const LATENCY_MS = 3

export const WORKSPACES = Array.from({ length: MOST_WORKSPACES }, (_, index) => `ws_${index}` as WorkspaceId)

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
    createBot(service.fleet, requestOf(plan, receivers), new Date()).then(
      ({ bot }) => answer(() => onAcknowledged(bot.id)),
      () => answer(() => void world.after(500, null, () => request(tools, plan, random))),
    )
  })
}

function requestOf({ index, workspace, joinInMs }: BotPlan, receivers: number): BotRequest {
  return {
    workspaceId: WORKSPACES[workspace] ?? ('ws_0' as WorkspaceId),
    spec: SPEC,
    joinAt: joinInMs === null ? null : new Date(Date.now() + joinInMs),
    idempotencyKey: `request ${index}`,
    deduplicationKey: null,
    callbackUrl: `https://receiver.example/${index % receivers}?bot=${index}`,
    customAttributes: { index },
    echo: {},
  }
}

const SPEC: BotSpec = {
  meeting: parseMeetingLink('https://meet.google.com/abc-defg-hij', {}) as MeetingLink,
  ...{ name: 'Emissary', audio: true, video: true, layout: 'grid_view', separateAudio: true, separateVideo: true, greeting: null },
  ...{ imageUrl: null, initialAudioUrl: null, leave: LEAVE_DEFAULTS, transcript: { provider: 'native', options: {} }, liveWords: null },
  ...{ liveAudioUrl: null, controlUrl: null, realtime: [], retentionHours: 720, zoomToken: null, signIn: null },
}
