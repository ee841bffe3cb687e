// The role `api`: the HTTP API with the dashboard, downloads and the built-in rooms.
import { type Stops, stopLater } from '../kit/stop-all.ts'
import { attachSignalling } from '../room/signalling.ts'
import { createKeys } from './accounts/keys.ts'
import type { Api, ApiDeps } from './api/deps.ts'
import { createServer } from './api/server.ts'
import { createDeliveryIds } from './api/webhooks/delivery-ids.ts'
import { startFollowers } from './delivery/followers.ts'
import { createBotRequests, type SeatedBots } from './fleet/node/bot-requests.ts'
import { openAudioFormats } from './media/audio/convert-on-request.ts'
import { createSignedLinks } from './media/signed-links.ts'
import type { NodeParts } from './open-node.ts'
import type { Calendars } from './start-calendar.ts'

type ApiParts = {
  /** The bots in workers of this process. */
  readonly seated: SeatedBots
  readonly calendars: Calendars
  readonly inside: ApiDeps['node']
  readonly listeningUrl: () => string
  readonly version: string
}

export async function startApi(
  parts: NodeParts,
  { seated, calendars, inside, listeningUrl, version }: ApiParts,
  stops: Stops,
): Promise<Api> {
  const { config, db, log, now, metrics, store, secretKey, publicUrl, rooms, node, amongNodes, wakes, folders } = parts
  const followers = stopLater(stops, startFollowers({ db, log, metrics }))
  wakes.news.add(() => followers.wake())
  const audioFormats = stopLater(stops, await openAudioFormats({ db, store, log, folder: folders.formats, now }))
  const deps: ApiDeps = {
    ...parts,
    ...calendars,
    followers,
    audioFormats,
    node: inside,
    keys: createKeys({ db, now }),
    botRequests: createBotRequests({ workers: seated, db, ownNodeId: node.id, http: amongNodes }),
    links: createSignedLinks({ key: secretKey, publicUrl, now }),
    deliveryIds: createDeliveryIds(secretKey),
  }
  const server = await createServer(deps, version)
  stops.push(() => server.close())
  const entrance = { admit: rooms.admit, publicUrl: config.PUBLIC_URL, listeningUrl, trustProxy: config.TRUST_PROXY }
  const signalling = attachSignalling(server.server, { now: Date.now, ...entrance })
  stops.push(() => signalling.close())
  return server
}
