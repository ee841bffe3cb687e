// Signs deliveries: HMAC digests of the exact bytes sent, keyed with the endpoint's secret.
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** In the format of Standard Webhooks, so that its libraries accept it unchanged. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

type Signed = { readonly id: string; readonly at: Date; readonly body: string }

/**
 * Two signatures. The specification's is keyed with the secret as shown and does not cover the time. Standard Webhooks' is keyed with the
 * decoded bytes of the secret and covers it. `prefix` names the first pair, so that receivers written for another vendor work.
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
