// Bugs that are planted on purpose: the simulation must find each of them. They change statements and answers on their way, never the product.
import type { LinkHooks } from './connection.ts'
import type { Rewrite } from './server.ts'

export type PlantedBug = {
  readonly about: string
  readonly rewrite?: Rewrite
  readonly onAnswer?: LinkHooks['onAnswer']
}

const LOCK_BOT = /^select "workspace_id", "platform", "status", "fence".* for update$/

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
    about: 'a host stays longer than the lease lasts',
    rewrite: replaced(
      /now\(\) \+ make_interval\(secs => (\$\d+)\)(?=, fence| from before|\) end)/g,
      'now() + make_interval(secs => $1 / 2.0)',
    ),
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
  'forgotten-loss': {
    about: 'nothing finds a lapsed claim',
    rewrite: replaced('where launch_at <= now() and node_id is not null order by launch_at', 'where false order by launch_at'),
  },
}

function replaced(part: string | RegExp, by: string): Rewrite {
  return (text) => text.replace(part, by)
}
