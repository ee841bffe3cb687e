// Bugs that are planted on purpose: the simulation must find each of them. They change statements and answers on their way, never the product.
import { LapseRights } from '../src/service/fleet/node/lapse-rights.ts'
import type { AskNode, NodeQuestion, NodeReply } from '../src/service/fleet/node/node-questions.ts'
import { KnownNodes, type KnownNodesOptions } from '../src/service/fleet/workers/known-nodes.ts'
import {
  type BugWorld,
  withFrozenDatabase,
  withIsolatedHolder,
  withLapsedRow,
  withNewNode,
  withShortOutage,
  withSplitDatabase,
} from './bug-worlds.ts'
import type { LinkHooks } from './connection.ts'
import type { Rewrite } from './server.ts'

export type PlantedBug = {
  readonly about: string
  /** A world that shows the bug, if random ones rarely do. */
  readonly scenario?: BugWorld
  readonly rewrite?: Rewrite
  readonly onAnswer?: LinkHooks['onAnswer']
  /** The replies of one node to another. */
  readonly onReply?: (question: NodeQuestion, reply: NodeReply) => NodeReply
  /** Whether the bots of a node stay when it cannot renew. */
  readonly Known?: typeof KnownNodes
  /** Whether a node may end leases. */
  readonly Rights?: typeof LapseRights
}

const LOCK_BOT = /select id, workspace_id as "workspaceId", platform, status, fence,[\s\S]* for update$/

export const PLANTED_BUGS: Readonly<Record<string, PlantedBug>> = {
  'unfenced-transition': {
    about: 'a report changes the status although its claim is not the newest',
    onAnswer(text, reply, { fence }) {
      if (fence !== undefined && LOCK_BOT.test(text) && 'result' in reply) for (const row of reply.result.rows) row.fence = fence
    },
  },
  'unfenced-loss': {
    about: 'a late report of a lost session requeues a bot that another node holds',
    rewrite: replaced(/(select status, message, in_meeting_at[\s\S]*)and fence = (\$\d+)/, '$1and $2::int is not null'),
  },
  'short-lease': {
    about: 'a worker stays longer than the lease lasts',
    rewrite: replaced(/now\(\) \+ make_interval\(secs => (\$\d+)\)(?=, fence|, knows|\) end)/g, 'now() + make_interval(secs => $1 / 2.0)'),
  },
  'eager-delivery': {
    about: 'the next event is sent before the previous one was acknowledged',
    rewrite: replaced(/it\.seq = \(select min\(seq\)[\s\S]*?'sending'\)\)/g, 'true'),
  },
  'greedy-workspace': {
    about: 'the oldest bot is claimed first, whichever workspace it belongs to',
    rewrite: replaced('claimed + place as turn', '0 as turn'),
  },
  'hasty-stop': {
    about: 'a node that stops gives its bots away before they have left',
    rewrite: replaced('least(launch_at, now()', "least(launch_at, now() - interval '1 min'"),
  },
  'forgotten-node': {
    about: 'nothing ends the lease of a silent node',
    rewrite: replaced('where holds_until <= now()', 'where false'),
  },
  'silence-promises': {
    about: 'bots stay although a node does not answer, which may reach the database',
    scenario: withIsolatedHolder,
    onReply: ({ kind }, reply) => (kind === 'promise' && reply === 'silent' ? { promisedMs: PROMISE_MS, holds: false } : reply),
  },
  'majority-promises': {
    about: 'bots stay if most nodes promise to end no lease, and not only if all do',
    scenario: withSplitDatabase,
    Known: class extends KnownNodes {
      constructor(options: KnownNodesOptions) {
        super({ ...options, ask: byMajority(options.ask) })
      }
    },
  },
  'broken-promise': {
    about: 'a node ends leases as soon as the database returns, and not two lease times later',
    scenario: withShortOutage,
    Rights: class extends LapseRights {
      override mayEnd(): boolean {
        return true
      }
    },
  },
  'unasked-holder': {
    about: 'a node that the holder does not know takes it for gone, without asking it',
    scenario: withNewNode,
    onReply: ({ kind }, reply) => (kind === 'holds' ? 'gone' : reply),
  },
  'unseen-node': {
    about: 'a node that the holder does not know ends its lease as one that it knows',
    rewrite: replaced('holder.knows is null or', 'true or'),
  },
  'forgotten-joiner': {
    about: 'a node whose row has lapsed ends leases as one that the holders know',
    scenario: withLapsedRow,
    rewrite: replaced(/(select joined_at from nodes where id = \$\d+) and alive_until > now\(\)/g, '$1'),
  },
  'late-look': {
    about: 'a frozen database executes the end of a lease after a promise to end none',
    scenario: withFrozenDatabase,
    rewrite: replaced(/now\(\) < (\$\d+::timestamptz) and/g, '$1 is not null and'),
  },
  'forgotten-loss': {
    about: 'nothing finds a lapsed claim',
    rewrite: replaced('where launch_at <= now() and node_id is not null and (holder', 'where false and (holder'),
  },
}

/** Every reply is that of most nodes. */
function byMajority(ask: AskNode): AskNode {
  const promised = new Map<string, boolean>()
  return async (node, question) => {
    const reply = await ask(node, question)
    promised.set(node.id, typeof reply === 'object' && reply.promisedMs > 0)
    const promises = [...promised.values()].filter((it) => it).length
    return promises > promised.size / 2 ? { promisedMs: PROMISE_MS, holds: false } : reply
  }
}

/** Two lease times, as fleet/node/lapse-rights.ts promises. */
const PROMISE_MS = 15_000

function replaced(part: string | RegExp, by: string): Rewrite {
  return (text) => text.replace(part, by)
}
