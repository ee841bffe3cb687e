// Sends requests to a bot: in a worker of this node, or through the internal endpoint of the node that holds it.
import type { BotId } from '../../../domain/bot.ts'
import type { MeetingCommand } from '../../../domain/meeting.ts'
import { type CommandProblem, type Glance, unreachable } from '../../../domain/protocol.ts'
import type { HttpClient } from '../../../kit/http-client.ts'
import { newId } from '../../../kit/id.ts'
import type { Db } from '../../db/database.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { nodeOf } from '../../db/fleet/nodes.ts'
import { ANSWER_WITHIN_MS } from '../workers/worker-requests.ts'
import type { Workers } from '../workers/workers.ts'

/** Added to the bot's own time limit. */
const ON_THE_WAY_MS = 1_000
const MOST_ANSWER_BYTES = 1024 * 1024

export type BotRequests = {
  /** Null: the bot has executed the command, now or before under the same id. */
  perform(botId: BotId, commandId: string, command: MeetingCommand): Promise<CommandProblem | null>
  /** Null: the bot has no seat. */
  glance(botId: BotId): Promise<Glance | null>
  /** Makes the bot leave. False: it has not left in time. */
  leave(botId: BotId, message: string, withinMs: number): Promise<boolean>
  /** Kills the worker of a bot that hangs. */
  evict(botId: BotId): Promise<void>
}

/** A request of one node to another. */
export type NodeRequest =
  /** An older version sends no id. */
  | { readonly kind: 'perform'; readonly commandId?: string; readonly command: MeetingCommand }
  | { readonly kind: 'glance' }
  | { readonly kind: 'leave'; readonly message: string; readonly withinMs: number }
  | { readonly kind: 'evict' }
  /** Join beside the asking node, which holds the bot under this fence. An older version does nothing. */
  | { readonly kind: 'succeed'; readonly fence: number }

export type NodeAnswer = {
  readonly problem: CommandProblem | null
  readonly left: boolean
  readonly glance?: Glance | null
  readonly succeeds?: boolean
}

/** The bots in workers of this node. */
export type SeatedBots = Pick<Workers, 'has' | 'perform' | 'glance' | 'leave' | 'evict'>

/** Joins beside the holder of the claim. False: the bot cannot be succeeded here. */
export type Succeed = (claim: Claim) => Promise<boolean>

type Asked = { readonly workers: SeatedBots; readonly succeed: Succeed }

/** Executes the request of another node. */
export async function executeNodeRequest({ workers, succeed }: Asked, botId: BotId, request: NodeRequest): Promise<NodeAnswer> {
  if (request.kind === 'succeed') return { problem: null, left: false, succeeds: await succeed({ botId, fence: request.fence }) }
  return executeOnBot(workers, botId, request)
}

type BotRequest = Exclude<NodeRequest, { kind: 'succeed' }>

async function executeOnBot(workers: SeatedBots, botId: BotId, request: BotRequest): Promise<NodeAnswer> {
  if (request.kind === 'perform') {
    const { commandId = newId('cmd', new Date()), command } = request
    return { problem: await workers.perform(botId, commandId, command), left: false }
  }
  if (request.kind === 'glance') return { problem: null, left: false, glance: await workers.glance(botId) }
  if (request.kind === 'leave') return { problem: null, left: await workers.leave(botId, request.message, request.withinMs) }
  workers.evict(botId)
  return { problem: null, left: false }
}

export type BotRequestsOptions = {
  readonly workers: SeatedBots
  readonly db: Db
  readonly ownNodeId: string
  /** May reach private addresses, because nodes share a private network. */
  readonly http: HttpClient
}

export function createBotRequests({ workers, db, ownNodeId, http }: BotRequestsOptions): BotRequests {
  async function ask(botId: BotId, request: BotRequest, withinMs: number): Promise<NodeAnswer> {
    if (workers.has(botId)) return executeOnBot(workers, botId, request)
    const node = await nodeOf(db, botId)
    if (!node || node.id === ownNodeId) return NO_NODE
    const headers = { authorization: `Node ${node.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify(request)
    const timeoutMs = withinMs + ON_THE_WAY_MS
    try {
      const ask = { headers, body, timeoutMs, maxBytes: MOST_ANSWER_BYTES }
      const { status, body: answer } = await http.request(`${node.address}/internal/v1/bots/${botId}`, ask)
      return status === 200 ? (JSON.parse(answer.toString()) as NodeAnswer) : NO_NODE
    } catch {
      return NO_NODE // A node without an answer counts as a bot without an answer.
    }
  }
  return {
    glance: async (botId) => (await ask(botId, { kind: 'glance' }, ANSWER_WITHIN_MS.glanced)).glance ?? null,
    perform: async (botId, commandId, command) =>
      (await ask(botId, { kind: 'perform', commandId, command }, ANSWER_WITHIN_MS.performed)).problem,
    leave: async (botId, message, withinMs) => (await ask(botId, { kind: 'leave', message, withinMs }, withinMs)).left,
    evict: async (botId) => void (await ask(botId, { kind: 'evict' }, 0)),
  }
}

const NO_NODE: NodeAnswer = {
  problem: unreachable('No node holds the bot at this moment'),
  left: false,
}
