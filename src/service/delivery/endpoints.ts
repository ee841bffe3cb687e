// Webhook endpoints of a workspace: creation, secrets, test events, and disabling after days of failures.
import type { JsonObject } from '../../domain/bot.ts'
import { newId } from '../../kit/id.ts'
import type { Logger } from '../../kit/log.ts'
import type { Vault } from '../accounts/secrets.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { insertNotice, insertTest, type NewEvent } from '../db/delivery/deliveries.ts'
import * as stored from '../db/delivery/webhook-endpoints.ts'
import { newSecret } from './signature.ts'

/** An endpoint without a successful delivery for this long is disabled. */
const DEAD_AFTER_DAYS = 5

type SecretDeps = { readonly db: Db; readonly vault: Vault }

export type Created = { readonly id: string; readonly secret: string }

/** Null: the workspace has the most endpoints allowed. */
export async function createEndpoint(
  { db, vault }: SecretDeps,
  wanted: Omit<stored.NewEndpoint, 'id' | 'secret'>,
): Promise<Created | null> {
  const id = newId('whe', wanted.at)
  const secret = newSecret()
  return (await stored.insertEndpoint(db, { ...wanted, id, secret: vault.seal(id, secret) })) ? { id, secret } : null
}

/** Queued deliveries are signed with the new secret too. */
export async function rotateSecret({ db, vault }: SecretDeps, endpoint: stored.Endpoint, at: Date): Promise<string> {
  const secret = newSecret()
  await stored.changeEndpoint(db, endpoint, { secret: vault.seal(endpoint.id, secret) }, at)
  return secret
}

export type Sent = { readonly eventId: string; readonly seq: number }

/** Queues a test event like any other event. */
export async function sendTest(db: Db, endpoint: stored.Endpoint, at: Date): Promise<Sent> {
  const message = 'This is a test of the endpoint. Nothing happened.'
  const event = endpointEvent(endpoint, { name: 'webhook_endpoint.test', message, at })
  return { eventId: event.id, seq: await inTransaction(db, (tx) => insertTest(tx, event, endpoint)) }
}

/** The owner sees it on the endpoint and in the event feed, the operator in the log. */
export async function disableIfDead({ db, log }: { readonly db: Db; readonly log: Logger }, endpointId: string, at: Date): Promise<void> {
  const reason = `Nothing was received for ${DEAD_AFTER_DAYS} days.`
  const disabled = await inTransaction(db, async (tx) => {
    const endpoint = await stored.disableFailing(tx, endpointId, { days: DEAD_AFTER_DAYS, reason, at })
    if (endpoint) await insertNotice(tx, endpointEvent(endpoint, { name: 'webhook_endpoint.disabled', message: reason, at }))
    return endpoint
  })
  if (!disabled) return
  await stored.endWaiting(db, endpointId, reason)
  log.warn({ endpointId, workspaceId: disabled.workspaceId, failingSince: disabled.failingSince }, 'webhook endpoint disabled')
}

type Notice = { readonly name: string; readonly message: string; readonly at: Date }

function endpointEvent({ id, workspaceId, url }: stored.Endpoint, { name, message, at }: Notice): Omit<NewEvent, 'botId'> {
  const eventId = newId('msg', at)
  const body: JsonObject = {
    event: name,
    endpoint_id: id,
    url,
    message,
    custom_attributes: {},
    timestamp: at.toISOString(),
    event_id: eventId,
  }
  return { id: eventId, workspaceId, name, body: JSON.stringify(body), at }
}
