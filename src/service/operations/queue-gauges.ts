// Gauges of seats and queues. Queues are read from the database when the metrics are scraped, at most every few seconds.
import { setTimeout as delay } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { Logger } from '../../kit/log.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import type { Db } from '../db/database.ts'
import { type QueueFigures, readQueueFigures } from '../db/operations/queue-figures.ts'
import type { Metrics } from './metrics.ts'

/** Many scrapers and gauges share one read. */
const FRESH_MS = 5_000
/** Shorter than the usual time limit of a scrape. */
const ANSWER_WITHIN_MS = 3_000

export type SeatsNow = () => { readonly seats: number; readonly freeSeats: number }

type GaugeOptions = { readonly db: Db; readonly log: Logger; readonly seats: SeatsNow }

type Row = { readonly help: string; readonly valueIn: (figures: QueueFigures) => number }

/** The same on every node: they describe the database. */
const FROM_DATABASE: Readonly<Record<string, Row>> = {
  emissary_nodes: { help: 'Nodes whose lease is valid.', valueIn: ({ nodes }) => nodes },
  emissary_queue_bots: { help: 'Bots that wait for a seat.', valueIn: ({ bots }) => bots.count },
  emissary_queue_oldest_seconds: { help: 'How long the first of them has been due.', valueIn: ({ bots }) => bots.oldestSeconds },
  emissary_deliveries_queued: { help: 'Undelivered webhooks, at most 100,000.', valueIn: ({ deliveries }) => deliveries.count },
  emissary_delivery_overdue_seconds: {
    help: 'How long the next webhook attempt has been due.',
    valueIn: ({ deliveries }) => deliveries.overdueSeconds,
  },
  emissary_delivery_oldest_seconds: {
    help: 'Age of the oldest undelivered webhook among the 10,000 that are due next.',
    valueIn: ({ deliveries }) => deliveries.oldestSeconds,
  },
  emissary_recordings_queued: { help: 'Recordings that wait for processing.', valueIn: ({ recordings }) => recordings.count },
  emissary_recordings_oldest_seconds: {
    help: 'How long the first of them has been due.',
    valueIn: ({ recordings }) => recordings.oldestSeconds,
  },
  emissary_transcriptions_queued: {
    help: 'Transcriptions that wait for a recogniser.',
    valueIn: ({ transcriptions }) => transcriptions.count,
  },
  emissary_transcriptions_oldest_seconds: {
    help: 'How long the first of them has been due.',
    valueIn: ({ transcriptions }) => transcriptions.oldestSeconds,
  },
}

export function addQueueGauges({ registry }: Pick<Metrics, 'registry'>, { db, log, seats }: GaugeOptions): void {
  const registers = [registry]
  const read = readAtMostEvery(FRESH_MS, () => readQueueFigures(db), log)
  const gauge = (name: string, help: string, valueNow: () => number | Promise<number | null>): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await valueNow()
        // A figure that is unknown is absent: a stale one would hide an outage.
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  }
  gauge('emissary_seats', 'Seats of this node.', () => seats().seats)
  gauge('emissary_seats_free', 'Free seats of this node.', () => seats().freeSeats)
  gauge('emissary_database_up', '1: the database answered within 3 s. 0: it did not.', async () => ((await read()) ? 1 : 0))
  for (const [name, { help, valueIn }] of Object.entries(FROM_DATABASE))
    gauge(name, help, async () => {
      const figures = await read()
      return figures && valueIn(figures)
    })
  byWorkspace(registers, read)
}

type Read = () => Promise<QueueFigures | null>

/** Only workspaces with waiting bots have a series, and at most 50 do. */
function byWorkspace(registers: Metrics['registry'][], read: Read): void {
  const labelled = (name: string, help: string, valueIn: (queue: QueueFigures['workspaces'][number]) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      labelNames: ['workspace'],
      async collect() {
        const queues = (await read())?.workspaces ?? []
        this.reset()
        for (const queue of queues) this.set({ workspace: queue.workspace }, valueIn(queue))
      },
    })
  }
  labelled('emissary_workspace_queue_bots', 'Bots of a workspace that wait for a seat.', ({ bots }) => bots)
  labelled('emissary_workspace_queue_oldest_seconds', 'How long the first of them has been due.', ({ oldestSeconds }) => oldestSeconds)
}

function readAtMostEvery(freshMs: number, read: () => Promise<QueueFigures>, log: Logger): Read {
  let last: { readonly untilMs: number; readonly figures: Promise<QueueFigures | null> } | null = null
  const readNow = (): Promise<QueueFigures | null> => {
    const answer = read().catch((error: unknown) => {
      log.warn({ err: error }, 'the queues could not be read for the metrics')
      return null
    })
    return Promise.race([answer, delay(ANSWER_WITHIN_MS, null, { ref: false })])
  }
  return () => {
    if (!last || monotonicMs() >= last.untilMs) last = { untilMs: monotonicMs() + freshMs, figures: readNow() }
    return last.figures
  }
}
