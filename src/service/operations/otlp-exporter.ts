// Exports spans to an OpenTelemetry collector. Loaded only if one is configured.
import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type IdGenerator, RandomIdGenerator, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { AddSpan, FinishedSpan, SpanPlace } from './bot-trace.ts'

/** Spans beyond this are dropped: a slow collector costs a bounded amount of memory and no bot. */
const MOST_QUEUED = 4_096
const EXPORT_EVERY_MS = 1_000
const EXPORT_WITHIN_MS = 5_000
/** A dead collector does not delay the stop of the service for longer. */
const STOP_WITHIN_MS = 2_000

export type SpanExport = { readonly add: AddSpan; stop(): Promise<void> }

type ExportOptions = {
  readonly endpoint: string
  readonly version: string
  readonly nodeId: string
  readonly onDropped: (count: number) => void
}

export function startSpanExport({ endpoint, version, nodeId, onDropped }: ExportOptions): SpanExport {
  let queued = 0
  const otlp = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_WITHIN_MS })
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        queued -= spans.length
        if (result.code !== 0) onDropped(spans.length)
        done(result)
      }),
    shutdown: () => otlp.shutdown(),
  }
  const ids = new GivenIds()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'emissary', 'service.version': version, 'service.instance.id': nodeId }),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MOST_QUEUED, scheduledDelayMillis: EXPORT_EVERY_MS })],
  })
  const tracer = provider.getTracer('emissary', version)
  return {
    add(span) {
      if (queued >= MOST_QUEUED) return onDropped(1)
      queued++
      ids.next = span.place ?? null
      record(tracer, span)
      ids.next = null
    },
    async stop() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, STOP_WITHIN_MS)
      // Spans that a dead collector refused are counted, and no reason to stop uncleanly.
      await Promise.race([provider.shutdown().catch(() => undefined), late])
      clearTimeout(timer)
    },
  }
}

/** The SDK takes the ids of a span from here when it starts, within `startSpan`. */
class GivenIds extends RandomIdGenerator implements IdGenerator {
  next: SpanPlace | null = null
  override generateTraceId = (): string => this.next?.traceId ?? super.generateTraceId()
  override generateSpanId = (): string => this.next?.spanId ?? super.generateSpanId()
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const

function record(tracer: Tracer, { name, kind, parent, link, from, to, isFailed, attributes }: FinishedSpan): void {
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, remote(parent)) : ROOT_CONTEXT
  const links = link ? [{ context: remote(link) }] : []
  const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: from, attributes, links }, context)
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(to)
}

function remote(place: SpanPlace): SpanContext {
  return { ...place, traceFlags: TraceFlags.SAMPLED, isRemote: true }
}
