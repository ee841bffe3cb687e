// The fleet, for operators: nodes and their seats, the queue, and the delay of bots.
import { useQuery } from '@tanstack/react-query'
import * as api from '../../api/sdk.gen.ts'
import type { Fleet as FleetAnswer } from '../../api/types.gen.ts'
import { ask } from '../../service.ts'
import { CardList, Figures, Section } from '../../ui/section.tsx'
import { Await } from '../../ui/states.tsx'
import { clock, When } from '../../ui/status.tsx'

const LOOK_EVERY_MS = 5_000

export function Fleet() {
  const fleet = useQuery({ queryKey: ['fleet'], queryFn: () => ask(api.getFleet()), refetchInterval: LOOK_EVERY_MS })
  return <Await query={fleet}>{(it) => <Shown fleet={it} />}</Await>
}

function Shown({ fleet: { nodes, queue, lateness } }: { fleet: FleetAnswer }) {
  const seats = nodes.filter(({ is_alive }) => is_alive)
  const sum = (of: (node: FleetAnswer['nodes'][number]) => number) => seats.reduce((total, node) => total + of(node), 0)
  return (
    <>
      <Section title="Now" lead="Of all workspaces of this installation.">
        <Figures
          figures={[
            ['Bots in seats', `${sum((it) => it.seats - it.free_seats)} of ${sum((it) => it.seats)}`],
            ['Waiting for a seat', String(queue.waiting)],
            ['Longest wait', queue.waiting > 0 ? clock(queue.longest_seconds) : 'none'],
            ['Due within a day', String(queue.scheduled)],
          ]}
        />
      </Section>
      <Section
        title="Join delays"
        lead={
          lateness.bots === 0
            ? 'No bot has joined yet.'
            : `From the time a bot was due to its first step, of the newest ${lateness.bots} that joined.`
        }
      >
        <Figures
          figures={[
            ['Median', seconds(lateness.median)],
            ['95th percentile', seconds(lateness.p95)],
            ['Maximum', seconds(lateness.most)],
          ]}
        />
      </Section>
      <Section title="Nodes" lead="Machines that hold bots. One that falls silent stays here for a day.">
        <CardList>
          {nodes.map((node) => (
            <NodeRow key={node.node_id} node={node} />
          ))}
        </CardList>
      </Section>
    </>
  )
}

function NodeRow({ node }: { node: FleetAnswer['nodes'][number] }) {
  const taken = node.seats - node.free_seats
  return (
    <li className="grid gap-x-6 gap-y-2 px-5 py-4 sm:grid-cols-[minmax(0,1fr)_12rem] sm:items-center">
      <div className="min-w-0">
        <p className="flex items-center gap-2.5 font-medium">
          <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${node.is_alive ? 'bg-good' : 'bg-bad'}`} />
          <span className="truncate">{node.address}</span>
        </p>
        <p className="text-soft truncate text-[13px]">
          {node.is_alive ? (
            <>
              up since <When at={node.started_at} />
            </>
          ) : (
            'silent'
          )}{' '}
          · {node.node_id}
        </p>
      </div>
      <div>
        <p className="text-soft mb-1 text-right text-[13px] tabular-nums">
          {taken} of {node.seats} seats
        </p>
        <div aria-hidden="true" className="bg-sunk h-2 overflow-hidden rounded-full">
          <div className="bg-accent h-full rounded-full" style={{ width: `${node.seats > 0 ? (100 * taken) / node.seats : 0}%` }} />
        </div>
      </div>
    </li>
  )
}

const seconds = (value: number | null) => (value === null ? 'none yet' : value < 10 ? `${value.toFixed(1)} s` : clock(value))
