// The role `delivery`: sends webhooks, and deletes old ones.
import { createHttpClient } from '../kit/http-client.ts'
import { type Stops, stopLater } from '../kit/stop-all.ts'
import { startDelivery as startDeliveries } from './delivery/deliver.ts'
import { startSweep } from './delivery/sweep.ts'
import type { NodeParts } from './open-node.ts'

export function startDelivery({ config, db, log, vault, operations, now, wakes }: NodeParts, stops: Stops): void {
  const http = createHttpClient({ allowPrivate: config.ALLOW_INSECURE_URLS })
  stops.push(() => http.close())
  const { onAttempt } = operations
  const headerPrefix = config.WEBHOOK_HEADER_PREFIX
  const delivery = stopLater(stops, startDeliveries({ db, log, http, vault, headerPrefix, now, random: Math.random, onAttempt }))
  wakes.news.add(() => delivery.wake())
  stopLater(stops, startSweep({ db, log, now }))
}
