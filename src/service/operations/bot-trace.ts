// The trace of a bot. Its ids come from the bot's id, so every process of every node adds spans to one trace.
import { createHash } from 'node:crypto'
import type { BotId } from '../../domain/bot.ts'
import { isLastWord } from '../../domain/lifecycle.ts'
import { PLATFORMS } from '../../domain/platforms.ts'
import type { DeliveryAttempt } from '../delivery/deliver.ts'
import type { BotMoved, FleetEvent, Observe } from '../fleet/fleet-events.ts'

/** A span's place in a trace, in lower-case hexadecimal. */
export type SpanPlace = { readonly traceId: string; readonly spanId: string }

export type FinishedSpan = {
  readonly name: string
  readonly kind: 'internal' | 'client' | 'server'
  /** The whole bot has a place of its own. Others get a random span id. */
  readonly place?: SpanPlace
  /** Null: the span has none. */
  readonly parent: SpanPlace | null
  readonly link?: SpanPlace
  readonly from: Date
  readonly to: Date
  readonly isFailed: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

export type AddSpan = (span: FinishedSpan) => void

/** The place of the span that lasts from creation to the end. The trace id is the first half of the id's SHA-256, the span id follows it. */
export function placeOf(botId: BotId): SpanPlace {
  const digest = createHash('sha256').update(botId).digest('hex')
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}

type Part = Pick<FinishedSpan, 'name' | 'from' | 'to'> & Partial<Pick<FinishedSpan, 'isFailed' | 'kind' | 'attributes'>>

/** A span within the bot's own. */
function partOf(botId: BotId, { isFailed = false, kind = 'internal', attributes, ...part }: Part): FinishedSpan {
  return { ...part, kind, isFailed, parent: placeOf(botId), attributes: { 'bot.id': botId, ...attributes } }
}

type Spans = { readonly [Kind in FleetEvent['kind']]: (event: Extract<FleetEvent, { kind: Kind }>) => readonly FinishedSpan[] }

const SPANS: Spans = {
  created: () => [],
  moved: (event) => [statusSpan(event), ...wholeSpan(event)],
  seated: ({ botId, dueAt, claimedAt, at }) => [
    partOf(botId, { name: 'wait for a seat', from: dueAt, to: claimedAt }),
    partOf(botId, { name: 'launch', from: claimedAt, to: at }),
  ],
  lost: () => [],
  returned: ({ botId, lostAt, at }) => [partOf(botId, { name: 'absence', from: lostAt, to: at, isFailed: true })],
  measured: () => [],
  step: ({ botId, step, from, to, isFailed }) => [partOf(botId, { name: step, from, to, isFailed })],
}

/** The time in a status has the name of the status. */
function statusSpan({ botId, from: name, since: from, at: to }: BotMoved): FinishedSpan {
  return partOf(botId, { name, from, to })
}

const FAILED: ReadonlySet<string> = new Set(['Error', 'Failed', 'Denied', 'NotAllowed'])

/** Sent at the end. Until then its parts name a parent that the collector does not have. */
function wholeSpan({ botId, workspaceId, platform, by, to, at, createdAt, reason }: BotMoved): readonly FinishedSpan[] {
  if (to !== 'Done' && to !== 'Cancelled' && !isLastWord(to, by, platform)) return []
  const attributes = {
    'bot.id': botId,
    'workspace.id': workspaceId,
    'bot.platform': PLATFORMS[platform].wireName,
    'bot.status': to,
    ...(reason && { 'error.type': reason }),
  }
  const whole = { name: 'bot', kind: 'internal', place: placeOf(botId), parent: null } as const
  return [{ ...whole, from: createdAt, to: at, isFailed: FAILED.has(to), attributes }]
}

export function traceEvents(add: AddSpan): Observe {
  return (event) => spansOf(event).forEach(add)
}

function spansOf<Kind extends FleetEvent['kind']>(event: Extract<FleetEvent, { kind: Kind }>): readonly FinishedSpan[] {
  return SPANS[event.kind as Kind](event)
}

export function attemptSpan({ botId, eventId, number, at, durationMs, httpStatus, outcome }: DeliveryAttempt): FinishedSpan {
  const attributes = {
    'event.id': eventId,
    'delivery.attempt': number,
    'delivery.outcome': outcome,
    ...(httpStatus !== null && { 'http.response.status_code': httpStatus }),
  }
  const to = new Date(at.getTime() + durationMs)
  return partOf(botId, { name: 'delivery', kind: 'client', from: at, to, isFailed: outcome !== 'delivered', attributes })
}

export type CreateRequest = { readonly traceparent: string | undefined; readonly from: Date; readonly to: Date }

/** The request is part of the caller's trace, if there is one, and links to the bot's. */
export function requestSpan(botId: BotId, { traceparent, from, to }: CreateRequest): FinishedSpan {
  const link = placeOf(botId)
  const span = partOf(botId, { name: 'POST create_bot', kind: 'server', from, to, attributes: { 'http.response.status_code': 201 } })
  return { ...span, parent: callerIn(traceparent) ?? link, link }
}

/** W3C Trace Context: version, trace id, span id and flags. Ids of zeros are invalid, and the last flag says that the trace is recorded. */
function callerIn(traceparent: string | undefined): SpanPlace | null {
  const [, traceId = '', spanId = ''] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f][13579bdf](?:-|$)/.exec(traceparent ?? '') ?? []
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : null
}
