// Every form of a link to a Teams meeting, and how the site finds the meeting of each.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'

export type Identity = {
  readonly conversationId: string
  readonly messageId: string
  readonly tenantId: string
  readonly organizerId: string
  readonly digits: string
  readonly passcode: string | null
}

export type LinkForm =
  | 'meetup_join'
  | 'encoded_twice'
  | 'v2'
  | 'launcher'
  | 'launcher_unencoded'
  | 'launcher_meet'
  | 'light'
  | 'short'
  | 'cloud'
  | 'government'
  | 'google'

export const APP_HOSTS: readonly string[] = [
  'teams.microsoft.com',
  'teams.live.com',
  'teams.cloud.microsoft',
  'teams.microsoft.us',
  'dod.teams.microsoft.us',
]

/** Addresses with the meeting in their path. */
export const MEETING_PATH = /^\/(?:l\/meetup-join|meet)\//

export function newIdentity(passcode: string | null, kind: 'meeting' | 'channel' = 'meeting'): Identity {
  const thread = kind === 'meeting' ? `19:meeting_${randomBytes(24).toString('hex')}@thread.v2` : `19:${randomUUID()}@thread.tacv2`
  return {
    conversationId: thread,
    messageId: kind === 'meeting' ? '0' : String(Date.now()),
    tenantId: randomUUID(),
    organizerId: randomUUID(),
    digits: String(randomInt(2_000_000_000, 2_900_000_000)) + String(randomInt(100, 999)),
    passcode,
  }
}

/** The path of the long form with its context, as a browser sends it. */
export function joinPath({ conversationId, messageId, tenantId, organizerId }: Identity): string {
  const context = JSON.stringify({ Tid: tenantId, Oid: organizerId })
  return `/l/meetup-join/${encodeURIComponent(conversationId)}/${messageId}?context=${encodeURIComponent(context)}`
}

export function shortPath({ digits, passcode }: Pick<Identity, 'digits' | 'passcode'>): string {
  return `/meet/${digits}${passcode === null ? '' : `?p=${passcode}`}`
}

export function lightPath({ conversationId, messageId, tenantId, organizerId }: Identity): string {
  const coords = Buffer.from(JSON.stringify({ conversationId, tenantId, organizerId, messageId })).toString('base64')
  const ids = `deeplinkId=${randomUUID()}&correlationId=${randomUUID()}`
  return `/light-meetings/launch?agent=web&version=26080500107&coords=${encodeURIComponent(coords)}&${ids}`
}

export function launcherPath(inner: string, type: 'meetup-join' | 'meet'): string {
  return `/dl/launcher/launcher.html?url=${encodeURIComponent(`/_#${inner}`)}&${launcherQuery(type)}`
}

function launcherQuery(type: string): string {
  return `type=${type}&deeplinkId=${randomUUID()}&directDl=true&msLaunch=true&enableMobilePage=true&suppressPrompt=true`
}

export function linksOf(identity: Identity, host: string): Readonly<Record<LinkForm, string>> {
  const [long, short] = [joinPath(identity), shortPath(identity)]
  const origin = `https://${host}`
  return {
    meetup_join: origin + long,
    encoded_twice: origin + long.replaceAll('%', '%25'),
    v2: `${origin}/v2/?meetingjoin=true#${long}&anon=true`,
    launcher: origin + launcherPath(`${long}&anon=true`, 'meetup-join'),
    launcher_unencoded: `${origin}/dl/launcher/launcher.html?url=/_#${long}&${launcherQuery('meetup-join')}`,
    launcher_meet: `${origin}/dl/launcher/launcher.html?url=/_#${short}&anon=true&${launcherQuery('meet')}`,
    light: origin + lightPath(identity),
    short: origin + short,
    cloud: `https://teams.cloud.microsoft${short}`,
    government: `https://dod.teams.microsoft.us${long}`,
    google: `https://www.google.com/url?q=${encodeURIComponent(origin + long)}`,
  }
}

export type FoundLink = {
  /** The conversation id or the digits. */
  readonly key: string
  readonly form: 'long' | 'short'
  readonly passcode: string | null
  /** A long link without tenant or organizer is incomplete. */
  readonly isComplete: boolean
  /** The token of the Bot Identification Program. */
  readonly token: string | null
}

export function findLink(address: string): FoundLink | null {
  const text = decoded(withCoordinates(address))
  const token = /[#&]token=([^&#]+)/.exec(text)?.[1] ?? null
  const thread = /19:[^/?#&"]+@thread\.(?:tac)?v2/.exec(text)?.[0]
  const isComplete = /\b(?:Tid|tenantId)"\s*:/.test(text) && /\b(?:Oid|organizerId)"\s*:/.test(text)
  if (thread) return { key: thread, form: 'long', passcode: null, token, isComplete }
  const digits = /\/meet\/(\d{10,15})/.exec(text)?.[1]
  if (digits) return { key: digits, form: 'short', passcode: /[?&]p=([^&#]+)/.exec(text)?.[1] ?? null, token, isComplete: true }
  return null
}

function withCoordinates(address: string): string {
  const coords = /[?&]coords=([^&#]+)/.exec(address)?.[1]
  return coords ? `${address}&${Buffer.from(decodeURIComponent(coords), 'base64').toString()}` : address
}

function decoded(text: string): string {
  let result = text
  for (let round = 0; round < 3; round++) {
    try {
      result = decodeURIComponent(result)
    } catch {
      // A stray percent sign: the text before it has been decoded as far as possible.
      return result
    }
  }
  return result
}
