// Deliveries with their attempts.
import type { WebhookDelivery } from '../../api/types.gen.ts'
import { Button } from '../../ui/form.tsx'
import { When } from '../../ui/status.tsx'

const TONES: Readonly<Record<string, string>> = { delivered: 'text-good', failed: 'text-bad', queued: 'text-soft', sending: 'text-warm' }

export function DeliveryLog({ deliveries, onResend }: { deliveries: readonly WebhookDelivery[]; onResend: (delivery: string) => void }) {
  return (
    <ul className="card divide-line divide-y overflow-hidden">
      {deliveries.map((it) => (
        <li key={it.delivery_id}>
          <details className="group">
            <summary className="hover:bg-accent-wash/50 flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 text-sm">
              <span className="min-w-40 font-medium">{it.event}</span>
              <span className={TONES[it.status] ?? ''}>{it.status}</span>
              <span className="text-soft min-w-0 flex-1 truncate">{it.url}</span>
              <span className="text-soft">
                <When at={it.created_at} />
              </span>
            </summary>
            <div className="bg-sunk px-4 py-3 text-sm">
              {it.error && <p className="text-bad mb-2">{it.error}</p>}
              <ul className="text-soft mb-3 flex flex-col gap-1 font-mono text-[13px]">
                {it.attempts.map((attempt) => (
                  <li key={attempt.number}>
                    {attempt.number}. {attempt.http_status ?? 'no answer'} in {attempt.duration_ms} ms{' '}
                    {attempt.answer_head ?? attempt.error}
                  </li>
                ))}
              </ul>
              <Button label="Send again" onClick={() => onResend(it.delivery_id)} />
            </div>
          </details>
        </li>
      ))}
    </ul>
  )
}
