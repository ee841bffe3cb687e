// The Prometheus metrics of this node, at /metrics. docs/observability.md lists them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'
import type { BotId } from '../../domain/bot.ts'

const COUNTERS = {
  botsCreated: { name: 'emissary_bots_created_total', help: 'Bots created, by platform.', labels: ['platform'] },
  joinOutcomes: {
    name: 'emissary_join_outcomes_total',
    help: 'Ends of joins, by platform, outcome (InMeeting, or the status of a bot that never entered) and reason.',
    labels: ['platform', 'outcome', 'reason'],
  },
  botsEnded: {
    name: 'emissary_bots_ended_total',
    help: 'Bots that ended, by platform, status and reason.',
    labels: ['platform', 'status', 'reason'],
  },
  framesLost: {
    name: 'emissary_frames_lost_total',
    help: 'Media frames that are in no recording, by cause (page, recording).',
    labels: ['cause'],
  },
  spansDropped: { name: 'emissary_spans_dropped_total', help: 'Trace spans that the collector did not get.', labels: [] },
  storeRequests: {
    name: 'emissary_store_requests_total',
    help: 'Requests to the bucket, repeated ones included, by operation (PutObject, GetObject, ListObjectsV2 and so on).',
    labels: ['operation'],
  },
  losses: { name: 'emissary_losses_total', help: 'Sessions that bots lost, by reason.', labels: ['reason'] },
} as const satisfies Record<string, CounterRow>

const WAITS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_200]

/** Histograms whose buckets name a bot, as an exemplar. */
const TIMES = {
  seatWait: {
    name: 'emissary_seat_wait_seconds',
    help: 'Time from a bot’s due time until a node claimed it.',
    labels: ['platform'],
    buckets: WAITS,
  },
  lateness: {
    name: 'emissary_scheduled_lateness_seconds',
    help: 'Time from the join time of a scheduled bot until it asked to join. 0: it was on time.',
    labels: ['platform'],
    buckets: WAITS,
  },
  join: {
    name: 'emissary_join_seconds',
    help: 'Time from creation, or from the join time, until the bot was in the meeting. Includes the waiting room.',
    labels: ['platform'],
    buckets: WAITS,
  },
  absence: {
    name: 'emissary_absence_seconds',
    help: 'Time from a lost session until the bot was back in the meeting.',
    labels: [],
    buckets: WAITS,
  },
  liveDelay: {
    name: 'emissary_live_delay_seconds',
    help: 'Delay of live outputs (audio: the longest of each second; words: from the end of speech to the final result).',
    labels: ['output'],
    buckets: [0.025, 0.05, 0.1, 0.2, 0.5, 1, 1.5, 2.5, 5, 10],
  },
  processing: {
    name: 'emissary_processing_seconds',
    help: 'Duration of each step after the call (audio, video, streams, upload, transcription).',
    labels: ['step'],
    buckets: [1, 5, 15, 60, 300, 900, 3_600],
  },
  deliveryAttempts: {
    name: 'emissary_delivery_attempt_seconds',
    help: 'Duration of a webhook attempt, by outcome (delivered, failed, queued again).',
    labels: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5],
  },
  deliveryLag: {
    name: 'emissary_delivery_lag_seconds',
    help: 'Time from an event until it was delivered, by attempt (first, later).',
    labels: ['attempt'],
    buckets: WAITS,
  },
} as const satisfies Record<string, TimesRow>

type CounterRow = { readonly name: string; readonly help: string; readonly labels: readonly string[] }
type TimesRow = CounterRow & { readonly buckets: readonly number[] }
type Rows<Row> = Readonly<Record<string, Row>>
type LabelOf<Row extends CounterRow> = Row['labels'][number]
type Counters<Table extends Rows<CounterRow>> = { readonly [Name in keyof Table]: Counter<LabelOf<Table[Name]>> }
type Observe<Label extends string> = (botId: BotId, seconds: number, labels: Readonly<Record<Label, string>>) => void
type Times<Table extends Rows<TimesRow>> = { readonly [Name in keyof Table]: Observe<LabelOf<Table[Name]>> }

export type Metrics = Counters<typeof COUNTERS> &
  Times<typeof TIMES> & {
    readonly registry: Registry<OpenMetricsContentType>
    readonly requests: Histogram<'method' | 'route' | 'status'>
    readonly followers: Gauge
  }

export function createMetrics(): Metrics {
  // Exemplars exist in the OpenMetrics format only. `asPrometheusText` makes the older format of it.
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'emissary_http_request_seconds',
      help: 'Time to answer, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    followers: new Gauge({ name: 'emissary_dashboard_followers', help: 'Open event streams of the dashboard.', registers }),
    ...(made(COUNTERS, ({ name, help, labels }) => new Counter({ name, help, labelNames: labels, registers })) as Counters<
      typeof COUNTERS
    >),
    ...(made(TIMES, (row) => timesIn(registry, row)) as Times<typeof TIMES>),
  }
}

function made<Row>(table: Rows<Row>, make: (row: Row) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([key, row]) => [key, make(row)]))
}

/** An exemplar has at most 128 characters, so a bot id always fits. */
function timesIn(registry: Registry<OpenMetricsContentType>, { name, help, labels, buckets }: TimesRow): Observe<string> {
  const options = { name, help, labelNames: labels, buckets: [...buckets], enableExemplars: true, registers: [registry] }
  const times = new Histogram<string>(options)
  return (botId, seconds, given) => times.observe({ value: Math.max(0, seconds), labels: given, exemplarLabels: { bot_id: botId } })
}

/** The metrics in the format that the scraper accepts: with exemplars if it knows OpenMetrics. */
export async function formatMetrics({ registry }: Pick<Metrics, 'registry'>, accept: string): Promise<{ type: string; text: string }> {
  const text = await registry.metrics()
  return accept.includes('application/openmetrics-text')
    ? { type: Registry.OPENMETRICS_CONTENT_TYPE, text }
    : { type: Registry.PROMETHEUS_CONTENT_TYPE, text: asPrometheusText(text) }
}

const EXEMPLAR = / # \{[^{}]*\} \S+ \S+$/

/** In the older format a counter's own name ends in `_total`, and there are neither exemplars nor an end mark. */
function asPrometheusText(openMetrics: string): string {
  const lines = openMetrics.split('\n').filter((line) => line !== '# EOF')
  const counters = new Set(lines.flatMap((line) => /^# TYPE (\S+) counter$/.exec(line)?.[1] ?? []))
  const full = (name: string): string => (counters.has(name) ? `${name}_total` : name)
  return lines
    .map((line) => line.replace(/^(# (?:HELP|TYPE) )(\S+)/, (_, head: string, name: string) => head + full(name)).replace(EXEMPLAR, ''))
    .join('\n')
}
