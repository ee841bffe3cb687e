// What a Prometheus server reads at /metrics.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Histogram({
      name: 'emissary_http_request_seconds',
      help: 'Time to answer, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers: [registry],
    }),
    botsCreated: new Counter({
      name: 'emissary_bots_created_total',
      help: 'Bots created, by platform.',
      labelNames: ['platform'],
      registers: [registry],
    }),
    followers: new Gauge({
      name: 'emissary_dashboard_followers',
      help: 'Open pages of the dashboard that are told what happens.',
      registers: [registry],
    }),
    deliveries: new Histogram({
      name: 'emissary_delivery_attempt_seconds',
      help: 'Time of a webhook attempt, by what followed (delivered, failed, queued again).',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5],
      registers: [registry],
    }),
  }
}
