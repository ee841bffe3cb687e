// Reaches a bot wherever it sits: in a host of this node, or through the internal endpoint of the node that holds it.
import type { BotId } from '../../domain/bot.ts'
import type { MeetingCommand } from '../../domain/meeting.ts'
import { type CommandProblem, type Glance, unreachable } from '../../domain/protocol.ts'
import type { Outgoing } from '../../kit/outgoing.ts'
import type { Db } from '../db/database.ts'
import { nodeOf } from '../db/nodes.ts'
import type { Hosts } from './hosts.ts'

/** On top of what the bot itself is given. */
const ON_THE_WAY_MS = 1_000
const PERFORM_WITHIN_MS = 5_000
const GLANCE_WITHIN_MS = 1_000
const MOST_ANSWER_BYTES = 1024 * 1024

export type Reach = {
  /** Null when the bot has done it. */
  perform(botId: BotId, command: MeetingCommand): Promise<CommandProblem | null>
  /** Null while the bot sits nowhere. */
  glance(botId: BotId): Promise<Glance | null>
  /** Asks the bot to leave, and says whether it has left in time. */
  leave(botId: BotId, message: string, withinMs: number): Promise<boolean>
  /** Ends the host of a bot that hangs. */
  evict(botId: BotId): Promise<void>
}

/** What one node asks of another. */
export type NodeWish =
  | { readonly kind: 'perform'; readonly command: MeetingCommand }
  | { readonly kind: 'glance' }
  | { readonly kind: 'leave'; readonly message: string; readonly withinMs: number }
  | { readonly kind: 'evict' }

export type NodeAnswer = { readonly problem: CommandProblem | null; readonly left: boolean; readonly glance?: Glance | null }

type Seated = Pick<Hosts, 'has' | 'perform' | 'glance' | 'leave' | 'evict'>

/** Carries out what another node asked for. */
export async function obey(hosts: Seated, botId: BotId, wish: NodeWish): Promise<NodeAnswer> {
  if (wish.kind === 'perform') return { problem: await hosts.perform(botId, wish.command), left: false }
  if (wish.kind === 'glance') return { problem: null, left: false, glance: await hosts.glance(botId) }
  if (wish.kind === 'leave') return { problem: null, left: await hosts.leave(botId, wish.message, wish.withinMs) }
  hosts.evict(botId)
  return { problem: null, left: false }
}

export type ReachOptions = {
  readonly hosts: Seated
  readonly db: Db
  readonly ownNodeId: string
  /** May reach private addresses: nodes live among themselves. */
  readonly outgoing: Outgoing
}

export function createReach({ hosts, db, ownNodeId, outgoing }: ReachOptions): Reach {
  async function ask(botId: BotId, wish: NodeWish, withinMs: number): Promise<NodeAnswer> {
    if (hosts.has(botId)) return obey(hosts, botId, wish)
    const node = await nodeOf(db, botId)
    if (!node || node.id === ownNodeId) return NOBODY
    const headers = { authorization: `Node ${node.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify(wish)
    const timeoutMs = withinMs + ON_THE_WAY_MS
    try {
      const ask = { headers, body, timeoutMs, maxBytes: MOST_ANSWER_BYTES }
      const { status, body: answer } = await outgoing.postAndRead(`${node.address}/internal/v1/bots/${botId}`, ask)
      return status === 200 ? (JSON.parse(answer.toString()) as NodeAnswer) : NOBODY
    } catch {
      return NOBODY // A node that does not answer is a bot that does not answer: the caller is told so.
    }
  }
  return {
    glance: async (botId) => (await ask(botId, { kind: 'glance' }, GLANCE_WITHIN_MS)).glance ?? null,
    perform: async (botId, command) => (await ask(botId, { kind: 'perform', command }, PERFORM_WITHIN_MS)).problem,
    leave: async (botId, message, withinMs) => (await ask(botId, { kind: 'leave', message, withinMs }, withinMs)).left,
    evict: async (botId) => void (await ask(botId, { kind: 'evict' }, 0)),
  }
}

const NOBODY: NodeAnswer = {
  problem: unreachable('No node holds the bot at this moment'),
  left: false,
}
