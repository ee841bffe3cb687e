// The metrics and traces of the node for operators, written where events happen.
import type { BotId } from '../../domain/bot.ts'
import type { Logger } from '../../kit/log.ts'
import type { Stops } from '../../kit/stop-all.ts'
import type { Db } from '../db/database.ts'
import type { DeliveryAttempt } from '../delivery/deliver.ts'
import type { Observe } from '../fleet/fleet-events.ts'
import { type AddSpan, attemptSpan, type CreateRequest, requestSpan, traceEvents } from './bot-trace.ts'
import { countAttempt, countEvents } from './count-events.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { addQueueGauges, type SeatsNow } from './queue-gauges.ts'

export type Operations = {
  readonly metrics: Metrics
  readonly observe: Observe
  readonly onAttempt: (attempt: DeliveryAttempt) => void
  /** The request that created the bot was answered. */
  readonly onCreateRequest: (botId: BotId, request: CreateRequest) => void
  watchSeats(seats: SeatsNow): void
}

type OperationsOptions = {
  readonly db: Db
  readonly log: Logger
  readonly nodeId: string
  readonly version: string
  /** The URL of an OpenTelemetry collector; undefined: no traces. */
  readonly otlpEndpoint: string | undefined
}

export async function startOperations({ db, log, ...options }: OperationsOptions, stops: Stops): Promise<Operations> {
  const metrics = createMetrics()
  const add = await spanExport(options, metrics, stops)
  const count = countEvents(metrics)
  const traced = add && traceEvents(add)
  return {
    metrics,
    observe(event) {
      count(event)
      traced?.(event)
    },
    onAttempt(attempt) {
      countAttempt(metrics, attempt)
      add?.(attemptSpan(attempt))
    },
    onCreateRequest: (botId, request) => add?.(requestSpan(botId, request)),
    watchSeats: (seats) => addQueueGauges(metrics, { db, log, seats }),
  }
}

type ExportParts = Pick<OperationsOptions, 'nodeId' | 'version' | 'otlpEndpoint'>

/** The packages of OpenTelemetry are loaded only here, so a service without traces does not pay for them. */
async function spanExport({ otlpEndpoint, nodeId, version }: ExportParts, metrics: Metrics, stops: Stops): Promise<AddSpan | null> {
  if (!otlpEndpoint) return null
  const { startSpanExport } = await import('./otlp-exporter.ts')
  const onDropped = (spans: number): void => metrics.spansDropped.inc(spans)
  const exported = startSpanExport({ endpoint: otlpEndpoint, version, nodeId, onDropped })
  stops.push(() => exported.stop())
  return exported.add
}
