// The events of a bot with their deliveries, its screenshots, and evidence of failures.
import { useQuery } from '@tanstack/react-query'
import * as api from '../../api/sdk.gen.ts'
import type { BotDetails } from '../../api/types.gen.ts'
import { useChange } from '../../reload.ts'
import { ask, ownLink } from '../../service.ts'
import { Problem } from '../../ui/states.tsx'
import { clock, When } from '../../ui/status.tsx'
import { DeliveryLog } from '../settings/delivery-log.tsx'
import { deliveriesQuery, type Place, screenshotsQuery } from './data.ts'

export function Deliveries({ place }: { place: Place }) {
  const query = useQuery(deliveriesQuery(place))
  const resend = useChange('bot', place.bot, 'deliveries')
  if (!query.data?.length) return null
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries" className="mb-3">
        Events and their deliveries
      </h2>
      <Problem error={resend.error} />
      <DeliveryLog
        deliveries={query.data}
        onResend={(delivery_id) => resend.mutate(() => ask(api.resendDelivery({ path: { delivery_id } })))}
      />
    </section>
  )
}

export function Screenshots({ place }: { place: Place }) {
  const { data = [] } = useQuery(screenshotsQuery(place))
  if (data.length === 0) return null
  return (
    <section aria-labelledby="screenshots">
      <h2 id="screenshots">Screenshots</h2>
      <ul className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
        {data.map(({ url, offset, timestamp }) => (
          <li key={timestamp}>
            <a href={ownLink(url)} target="_blank" rel="noreferrer" className="block">
              <img
                src={ownLink(url)}
                alt={`The meeting at ${clock(offset)}`}
                loading="lazy"
                className="border-line aspect-video w-full rounded-xl border object-cover"
              />
              <span className="text-soft mt-1 block text-[13px] tabular-nums">{clock(offset)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Evidence({ bot }: { bot: BotDetails }) {
  if (bot.Evidence.length === 0) return null
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">What went wrong</h2>
      <ul className="mt-3 flex flex-col gap-4">
        {bot.Evidence.map((it) => (
          <li key={it.timestamp + it.step} className="card grid gap-5 p-5 md:grid-cols-[1fr_minmax(0,18rem)]">
            <div className="min-w-0">
              <p className="font-medium">{it.message}</p>
              <p className="text-soft text-sm">
                {it.step} · <When at={it.timestamp} />
              </p>
              {it.page_text && (
                <details className="mt-3 text-sm">
                  <summary>Text of the page</summary>
                  <pre className="bg-sunk mt-2 max-h-64 overflow-auto rounded-lg p-3 font-mono text-[12.5px] whitespace-pre-wrap">
                    {it.page_text}
                  </pre>
                </details>
              )}
            </div>
            {it.screenshot && (
              <img src={ownLink(it.screenshot)} alt="What the page showed" className="border-line w-full rounded-xl border" />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
