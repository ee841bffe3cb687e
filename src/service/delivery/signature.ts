// How a receiver knows that a delivery is ours: digests of the very bytes that are sent, keyed with the endpoint's secret.
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** As Standard Webhooks writes secrets, so that its libraries take it as it is shown. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

type Signed = { readonly id: string; readonly at: Date; readonly body: string }

/**
 * Two signatures: the specification's own, keyed with the secret as it is shown, which does not cover the time; and Standard Webhooks',
 * keyed with the bytes the secret stands for, which does. `prefix` names the first pair, so that receivers of another vendor's name work.
 */
export function signatureHeaders(secret: string, { id, at, body }: Signed, prefix: string): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return {
    [`${prefix}-Signature`]: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    [`${prefix}-Timestamp`]: at.toISOString(),
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  }
}
