// The only reader of the environment: every setting is a row that says its name, its default and what it is for.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type NativeSettings, type ProviderName, type SpeechSettings, VENDORS, type Vendor } from '../domain/speech-providers.ts'
import { present } from '../kit/present.ts'
import type { ServerZoom } from './accounts/zoom-app.ts'

type Reader<Value> = (text: string) => Value

type Setting<Value> = {
  readonly about: string
  /** As it would be written in `.env`; empty where there is none. */
  readonly fallback: string
  readonly read: Reader<Value>
}

/** A value that cannot be used. The message starts with the setting's name. */
export class ConfigError extends Error {}

const text: Reader<string> = (it) => it
const optional: Reader<string | undefined> = (it) => it || undefined

const wholeNumber =
  (least: number, most: number): Reader<number> =>
  (it) => {
    const value = Number(it)
    if (!/^\d+$/.test(it) || value < least || value > most) throw new ConfigError(`must be a whole number from ${least} to ${most}`)
    return value
  }

const money: Reader<number> = (it) => {
  if (!/^\d+(\.\d+)?$/.test(it)) throw new ConfigError('must be a number, zero or more')
  return Number(it)
}

const oneOf =
  <Word extends string>(...words: readonly Word[]): Reader<Word> =>
  (it) => {
    const word = words.find((known) => known === it)
    if (word === undefined) throw new ConfigError(`must be one of ${words.join(', ')}`)
    return word
  }

const yesOrNo: Reader<boolean> = (it) => oneOf('true', 'false')(it) === 'true'

const longEnough =
  (least: number): Reader<string | undefined> =>
  (it) => {
    if (it && it.length < least) throw new ConfigError(`must have at least ${least} characters`)
    return it || undefined
  }

const webAddress: Reader<string | undefined> = (it) => {
  if (!it) return undefined
  const url = URL.canParse(it) ? new URL(it) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new ConfigError('must be an http or https address')
  return it.replace(/\/+$/, '')
}

/** Of somebody else's service, which has a default. */
const theirAddress: Reader<string> = (it) => webAddress(it) ?? it

const socketAddress: Reader<string | undefined> = (it) => {
  if (!it) return undefined
  const url = URL.canParse(it) ? new URL(it) : null
  if (!url || !['ws:', 'wss:', 'http:', 'https:'].includes(url.protocol)) throw new ConfigError('must be a wss, ws, https or http address')
  return it.replace(/\/+$/, '')
}

const headerPrefix: Reader<string> = (it) => {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(it)) throw new ConfigError('must be letters, digits and hyphens, such as X-Service')
  return it
}

const postgresAddress: Reader<string | undefined> = (it) => {
  if (it && !/^postgres(ql)?:\/\//.test(it)) throw new ConfigError('must be an address such as postgres://user:password@host:5432/emissary')
  return it || undefined
}

/** As a shell would take them apart: `--proxy-server=http://proxy:3128 "--host-resolver-rules=MAP a b"`. */
const flags: Reader<readonly string[]> = (it) => {
  const found = it.match(/"[^"]*"|[^\s"]+/g)?.map((flag) => flag.replaceAll('"', '')) ?? []
  if (found.some((flag) => !flag.startsWith('--')))
    throw new ConfigError('must be flags that begin with --, such as --proxy-server=http://proxy:3128')
  return found
}

const row = <Value>(fallback: string, read: Reader<Value>, about: string): Setting<Value> => ({ fallback, read, about })

// biome-ignore format: a table reads best with one row a line
export const SETTINGS = {
  PORT:                      row('4000', wholeNumber(0, 65_535), 'Port of the API. 0 takes any free one.'),
  HOST:                      row('127.0.0.1', text, 'Address to listen on. 0.0.0.0 listens on all.'),
  PUBLIC_URL:                row('', webAddress, 'Address under which others reach this server. Default: http://HOST:PORT.'),
  NODE_URL:                  row('', webAddress, 'Address under which other nodes of the same database reach this one. Default: http://HOST:PORT.'),
  DATA_DIR:                  row('./data', text, 'Folder of the embedded database, recordings and the generated secret key.'),
  MIN_FREE_DISK_MB:          row('500', wholeNumber(0, 10_000_000), 'Below this much free space in DATA_DIR no new bots are accepted. 0: not checked.'),
  DATABASE_URL:              row('', postgresAddress, 'A PostgreSQL 14+ of your own. Without it an embedded one runs in DATA_DIR.'),
  DATABASE_CONNECTIONS:      row('16', wholeNumber(2, 500), 'Most connections to the database for ordinary work. Leases and health checks have three of their own.'),
  DATABASE_TIMEOUT_SECONDS:  row('10', wholeNumber(1, 600), 'Longest wait for a connection or a statement. After it the API answers 503.'),
  BOOTSTRAP_API_KEY:         row('', longEnough(16), 'Value of the first API key, made when the database is empty. Default: a random one.'),
  ADMIN_TOKEN:               row('', longEnough(16), 'Token of the operator API under /admin/v1, which is absent without it.'),
  SECRET_KEY:                row('', longEnough(16), 'Key that seals secrets in the database. Default: a random one in DATA_DIR/secret.key.'),
  CREDITS:                   row('off', oneOf('on', 'off'), 'on: a workspace without credits cannot send bots. off: usage is only metered.'),
  PRICE_PER_HOUR:            row('0.35', money, 'What an hour of a bot costs, in CURRENCY.'),
  CURRENCY:                  row('USD', text, 'Currency of credits.'),
  RATE_LIMIT_PER_MINUTE:     row('600', wholeNumber(1, 10_000_000), 'Requests a minute for each API key.'),
  AUTH_FAILURES_PER_MINUTE:  row('30', wholeNumber(1, 10_000_000), 'Requests a minute without a valid key for each address; more of them get 429.'),
  REQUEST_TIMEOUT_SECONDS:   row('30', wholeNumber(1, 3_600), 'How long a request may take to arrive, with its body. An answer may take longer.'),
  ALLOW_INSECURE_URLS:       row('false', yesOrNo, 'Development: lets callback, token and socket URLs be http/ws and on private addresses.'),
  WEBHOOK_HEADER_PREFIX:     row('X-Service', headerPrefix, 'Names the signature headers of webhooks: <prefix>-Signature and <prefix>-Timestamp.'),
  TRUST_PROXY:               row('false', yesOrNo, 'true behind a reverse proxy: the client’s address is the last one in X-Forwarded-For.'),
  DASHBOARD:                 row('on', oneOf('on', 'off'), 'The dashboard at /, and accounts for people. off: API keys alone.'),
  ROOM:                      row('', (it) => (it ? oneOf('open', 'signed', 'off')(it) : undefined), 'The built-in room. open: any link of it. signed: links of POST /api/v1/rooms. off: none. Default: open on loopback, signed elsewhere.'),
  BOTS_PER_HOST:             row('4', wholeNumber(1, 64), 'Meetings that share one browser.'),
  BOT_HOSTS:                 row('2', wholeNumber(0, 64), 'Browsers this node runs at the most. 0: it sends no bots.'),
  BOTS_PER_WORKSPACE:        row('0', wholeNumber(0, 1_000_000), 'Bots of one workspace that run at the same time; further ones wait for a seat. 0: no limit.'),
  SEAT_WAIT_SECONDS:         row('600', wholeNumber(1, 86_400), 'How long an immediate bot waits for a free seat before it ends as Error with the reason NoCapacity.'),
  WARM_HOSTS:                row('1', wholeNumber(0, 64), 'Browsers that are kept open for the next bot, so that it joins at once.'),
  SHARE_BROWSERS:            row('false', yesOrNo, 'true: bots of different workspaces may share a browser. Fewer browsers, less isolation.'),
  MEDIA_JOBS:                row('1', wholeNumber(1, 64), 'Recordings that are worked at side by side after the call. They give way to live bots.'),
  S3_BUCKET:                 row('', optional, 'Keeps recordings in this bucket instead of DATA_DIR/objects.'),
  S3_ENDPOINT:               row('', webAddress, 'Address of a server that speaks S3. Default: Amazon’s own.'),
  S3_REGION:                 row('us-east-1', text, 'Region of the bucket.'),
  S3_ACCESS_KEY_ID:          row('', optional, 'Key of the bucket. Default: as Amazon’s tools find it.'),
  S3_SECRET_ACCESS_KEY:      row('', optional, 'Its secret.'),
  S3_DIRECT_READS:           row('false', yesOrNo, 'true: readers of media are sent to the bucket by a short-lived link, which they must be able to reach.'),
  S3_TIMEOUT_SECONDS:        row('30', wholeNumber(1, 3_600), 'How long the bucket may keep silent before a request is given up and tried again.'),
  BROWSER_MODE:              row('auto', oneOf('auto', 'headed', 'headless'), 'How bots’ browsers run. headed: with windows, on a display without a screen (Xvfb). auto: headed for platforms that suspect headless browsers, where Xvfb is installed.'),
  CHROMIUM_PATH:             row('', optional, 'The browser to use. Default: the system’s Chromium or Chrome.'),
  CHROMIUM_FLAGS:            row('', flags, 'Flags for the bots’ browsers beside our own, one after the other: a proxy, for example. Quote what holds a space.'),
  PLATFORM_TABLES:           row('', optional, 'A folder with tables of your own for platforms, such as google-meet.json. See docs/platform-tables.md.'),
  ZOOM_WAY:                  row('sdk', oneOf('sdk', 'web'), 'How bots join Zoom. sdk: by Zoom’s Meeting SDK and an app. web: by Zoom’s web client, as a guest in a browser does.'),
  ZOOM_SDK_KEY:              row('', optional, 'Zoom app key. Zoom links are refused without key and secret, unless the workspace has its own or ZOOM_WAY is web.'),
  ZOOM_SDK_SECRET:           row('', optional, 'Zoom app secret.'),
  ZOOM_SDK_FOLDER:           row('', optional, 'Folder of Zoom’s Meeting SDK, which emissary zoom install fetches. Default: zoom-sdk in DATA_DIR.'),
  CALENDAR_POLL_SECONDS:     row('120', wholeNumber(1, 86_400), 'How often a calendar is asked for changes; once a minute around a meeting.'),
  GOOGLE_API_URL:            row('https://www.googleapis.com', theirAddress, 'Google Calendar API.'),
  GOOGLE_OAUTH_URL:          row('https://oauth2.googleapis.com/token', theirAddress, 'Where Google hands out access tokens.'),
  MICROSOFT_GRAPH_URL:       row('https://graph.microsoft.com', theirAddress, 'Microsoft Graph, for Outlook calendars.'),
  MICROSOFT_LOGIN_URL:       row('https://login.microsoftonline.com', theirAddress, 'Where Microsoft hands out access tokens.'),
  DEEPGRAM_API_KEY:          row('', optional, 'Makes deepgram and deepgram_streaming available.'),
  ASSEMBLYAI_API_KEY:        row('', optional, 'Makes assemblyai and assemblyai_streaming available.'),
  OPENAI_API_KEY:            row('', optional, 'Makes openai available.'),
  ELEVENLABS_API_KEY:        row('', optional, 'Makes elevenlabs available.'),
  SARVAM_API_KEY:            row('', optional, 'Makes sarvam available.'),
  JIGSAWSTACK_API_KEY:       row('', optional, 'Makes jigsawstack and jigsawstack_streaming available.'),
  DEEPGRAM_URL:              row('', webAddress, 'Address of deepgram: a proxy, a region or a server of one’s own. Default: Deepgram’s.'),
  DEEPGRAM_STREAMING_URL:    row('', socketAddress, 'Address of deepgram_streaming. Default: Deepgram’s.'),
  ASSEMBLYAI_URL:            row('', webAddress, 'Address of assemblyai. Default: AssemblyAI’s.'),
  ASSEMBLYAI_STREAMING_URL:  row('', socketAddress, 'Address of assemblyai_streaming. Default: AssemblyAI’s.'),
  OPENAI_URL:                row('', webAddress, 'Address of openai, with its version: any server of OpenAI’s shape. Default: OpenAI’s.'),
  ELEVENLABS_URL:            row('', webAddress, 'Address of elevenlabs. Default: ElevenLabs’.'),
  SARVAM_URL:                row('', webAddress, 'Address of sarvam. Default: Sarvam’s.'),
  JIGSAWSTACK_URL:           row('', webAddress, 'Address of jigsawstack. Default: JigsawStack’s.'),
  JIGSAWSTACK_STREAMING_URL: row('', webAddress, 'Address of jigsawstack_streaming. Default: JigsawStack’s.'),
  MODELS_DIR:                row('', optional, 'Folder of the weights of native recognition. Default: .cache/emissary/models in the user’s home.'),
  NATIVE_MODEL:              row('', optional, 'Folder with weights of your own for native and native_streaming, described by its model.json.'),
  VOICE_URL:                 row('', webAddress, 'A speech endpoint of OpenAI’s shape, with its version, that speaks for bots. Default: flite and espeak-ng.'),
  VOICE_API_KEY:             row('', optional, 'Its key, where it wants one.'),
  VOICE_MODEL:               row('tts-1', text, 'Its model.'),
  VOICE_NAME:                row('alloy', text, 'Its voice, for whoever names none.'),
  VOICE_FORMAT:              row('wav', oneOf('wav', 'pcm'), 'What it answers; pcm is 16-bit mono at 24 kHz.'),
  SUMMARY_URL:               row('', webAddress, 'A chat endpoint of OpenAI’s shape, with its version, that summarises meetings. Default: key sentences of the transcript.'),
  SUMMARY_API_KEY:           row('', optional, 'Its key, where it wants one.'),
  SUMMARY_MODEL:             row('gpt-4o-mini', text, 'Its model.'),
  LOG_LEVEL:                 row('info', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'How much is logged.'),
  LOG_FORMAT:                row('auto', oneOf('auto', 'json', 'pretty'), 'auto: pretty on a terminal, JSON elsewhere.'),
} as const satisfies Record<string, Setting<unknown>>

type Values = { readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }

export type Config = Values & {
  readonly configuredVendors: ReadonlySet<Vendor>
  readonly speech: SpeechSettings & { readonly native: NativeSettings }
  readonly zoom: ServerZoom & { readonly sdkFolder: string }
}

/** Reads every setting from `environment`; throws a ConfigError that names each one that is wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, { fallback, read }]) => {
      const given = environment[name]?.trim() || fallback
      try {
        return [name, read(given)]
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        problems.push(`${name} ${error.message}; it is ${SECRETS.test(name) ? 'something else' : JSON.stringify(given)}.`)
        return [name, undefined]
      }
    }),
  ) as Values
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const configuredVendors = new Set(VENDORS.filter((vendor) => environment[`${vendor.toUpperCase()}_API_KEY`]?.trim()))
  return { ...values, DATA_DIR: resolve(values.DATA_DIR), configuredVendors, speech: speechIn(values), zoom: zoomIn(values) }
}

function zoomIn({ ZOOM_WAY, ZOOM_SDK_KEY, ZOOM_SDK_SECRET, ZOOM_SDK_FOLDER, DATA_DIR }: Values): Config['zoom'] {
  if ((ZOOM_SDK_KEY === undefined) !== (ZOOM_SDK_SECRET === undefined))
    throw new ConfigError('ZOOM_SDK_KEY and ZOOM_SDK_SECRET must be set together.')
  const app = ZOOM_SDK_KEY && ZOOM_SDK_SECRET ? { key: ZOOM_SDK_KEY, secret: ZOOM_SDK_SECRET } : null
  return { way: ZOOM_WAY, app, sdkFolder: resolve(ZOOM_SDK_FOLDER ?? join(DATA_DIR, 'zoom-sdk')) }
}

function speechIn(values: Values): Config['speech'] {
  const keys: Record<Vendor, string | undefined> = {
    ...{ deepgram: values.DEEPGRAM_API_KEY, assemblyai: values.ASSEMBLYAI_API_KEY, openai: values.OPENAI_API_KEY },
    ...{ elevenlabs: values.ELEVENLABS_API_KEY, sarvam: values.SARVAM_API_KEY, jigsawstack: values.JIGSAWSTACK_API_KEY },
  }
  const baseUrls: Partial<Record<ProviderName, string | undefined>> = {
    ...{ deepgram: values.DEEPGRAM_URL, assemblyai: values.ASSEMBLYAI_URL, openai: values.OPENAI_URL, elevenlabs: values.ELEVENLABS_URL },
    ...{ sarvam: values.SARVAM_URL, jigsawstack: values.JIGSAWSTACK_URL, deepgram_streaming: values.DEEPGRAM_STREAMING_URL },
    ...{ assemblyai_streaming: values.ASSEMBLYAI_STREAMING_URL, jigsawstack_streaming: values.JIGSAWSTACK_STREAMING_URL },
  }
  const modelsFolder = resolve(values.MODELS_DIR ?? join(homedir(), '.cache', 'emissary', 'models'))
  const ownModel = values.NATIVE_MODEL && resolve(values.NATIVE_MODEL)
  return { keys: present(keys), baseUrls: present(baseUrls), native: { modelsFolder, ...(ownModel && { ownModel }) } }
}

const SECRETS = /KEY|TOKEN|SECRET|DATABASE_URL/

/** The process's environment, and beneath it the file `.env` of the current folder. */
export function loadConfig(): Config {
  return readConfig({ ...dotEnv(), ...process.env })
}

function dotEnv(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
