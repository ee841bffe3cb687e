// Reads the settings from the environment. No other file reads it. Each setting is one row of SETTINGS.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { counted } from '../domain/counted.ts'
import { ALL_ROLES } from '../domain/node-roles.ts'
import { type NativeSettings, type ProviderName, type SpeechSettings, VENDORS, type Vendor } from '../domain/speech-providers.ts'
import { withoutUndefined } from '../kit/without-undefined.ts'
import type { TeamsApp } from './accounts/teams-app.ts'
import type { ServerZoom } from './accounts/zoom-app.ts'
import { VIDEO_ENCODERS, VIDEO_PRESETS } from './media/video/encoder.ts'
import { checkRoles, connectionsFor } from './role-settings.ts'
import {
  boolean,
  ConfigError,
  externalUrl,
  flags,
  headerPrefix,
  money,
  oneOf,
  optional,
  postgresUrl,
  type Reader,
  roles,
  secretText,
  socketUrl,
  text,
  webUrl,
  wholeNumber,
} from './setting-readers.ts'
import { hasZoomSdk, zoomObstacle } from './zoom-sdk.ts'

type Setting<Value> = {
  readonly about: string
  /** The default as it would be written in `.env`; empty if there is none. */
  readonly fallback: string
  readonly read: Reader<Value>
}

const row = <Value>(fallback: string, read: Reader<Value>, about: string): Setting<Value> => ({ fallback, read, about })

// biome-ignore format: a table reads best with one row a line
export const SETTINGS = {
  PORT:                      row('4000', wholeNumber(0, 65_535), 'Port of the API. 0: any free port.'),
  ROLES:                     row(ALL_ROLES.join(','), roles, 'What this process does, separated by commas. Several machines share the roles of one database (docs/several-machines.md).'),
  HOST:                      row('127.0.0.1', text, 'Address to listen on. 0.0.0.0: all addresses.'),
  PUBLIC_URL:                row('', webUrl, 'Public URL of this server. Default: http://HOST:PORT.'),
  NODE_URL:                  row('', webUrl, 'URL at which other nodes of the same database reach this node. Default: http://HOST:PORT.'),
  DATA_DIR:                  row('./data', text, 'Folder of the embedded database, recordings and the generated secret key.'),
  MIN_FREE_DISK_MB:          row('500', wholeNumber(0, 10_000_000), 'New bots are rejected with less free space in DATA_DIR. 0: not checked.'),
  DATABASE_URL:              row('', postgresUrl, 'URL of your own PostgreSQL 14+. Default: an embedded PostgreSQL in DATA_DIR.'),
  DATABASE_CONNECTIONS:      row('', (it) => (it ? wholeNumber(2, 500)(it) : undefined), 'Maximum database connections for ordinary work. Leases and health checks have two more. Default: 16 with the role api or delivery, otherwise 2.'),
  DATABASE_PREPARED:         row('on', oneOf('on', 'off'), 'off: no prepared statements, for a connection pooler that loses them (docs/several-machines.md).'),
  DATABASE_TIMEOUT_SECONDS:  row('10', wholeNumber(1, 600), 'Time limit of a connection attempt or statement. After it the API answers 503.'),
  DATABASE_OUTAGE_SECONDS:   row('600', wholeNumber(0, 3_600), 'How long bots stay in their meetings while no node reaches the database. 0: they leave after seconds.'),
  BOOTSTRAP_API_KEY:         row('', secretText(16), 'Value of the first API key, which is created if the database is empty. Default: random.'),
  ADMIN_TOKEN:               row('', secretText(16), 'Token of the operator API under /admin/v1. Without it that API is disabled.'),
  SECRET_KEY:                row('', secretText(16), 'Key that encrypts secrets in the database. Default: a random one in DATA_DIR/secret.key.'),
  CREDITS:                   row('off', oneOf('on', 'off'), 'on: a workspace without credits cannot send bots. off: usage is only metered.'),
  PRICE_PER_HOUR:            row('0.35', money, 'Price of one bot hour, in CURRENCY.'),
  CURRENCY:                  row('USD', text, 'Currency of credits.'),
  RATE_LIMIT_PER_MINUTE:     row('600', wholeNumber(1, 10_000_000), 'Maximum requests per minute and API key.'),
  AUTH_FAILURES_PER_MINUTE:  row('30', wholeNumber(1, 10_000_000), 'Maximum requests per minute and address without a valid API key; further ones get 429.'),
  REQUEST_TIMEOUT_SECONDS:   row('30', wholeNumber(1, 3_600), 'Time limit for receiving a request with its body. Answers may take longer.'),
  ALLOW_INSECURE_URLS:       row('false', boolean, 'For development: allows http, ws and private addresses in callback, token and socket URLs.'),
  WEBHOOK_HEADER_PREFIX:     row('X-Service', headerPrefix, 'Prefix of the signature headers of webhooks: <prefix>-Signature and <prefix>-Timestamp.'),
  TRUST_PROXY:               row('false', boolean, 'Set to true behind a reverse proxy: the client’s address is then the last one in X-Forwarded-For.'),
  DASHBOARD:                 row('on', oneOf('on', 'off'), 'The dashboard at / and accounts for people. off: API keys only.'),
  ROOM:                      row('', (it) => (it ? oneOf('open', 'signed', 'off')(it) : undefined), 'The built-in rooms. open: any link works. signed: only links from POST /api/v1/rooms. off: disabled. Default: open on loopback, signed elsewhere.'),
  BOTS_PER_WORKER:           row('4', wholeNumber(1, 64), 'Meetings that share one browser. BOTS_PER_HOST is its former name and still works.'),
  BOT_WORKERS:               row('2', wholeNumber(0, 64), 'Maximum number of browsers on this node. 0: it runs no bots. BOT_HOSTS is its former name and still works.'),
  SEATS:                     row('fixed', oneOf('fixed', 'measured'), 'fixed: BOT_WORKERS times BOTS_PER_WORKER. measured: fewer while CPU or memory of this machine would not suffice, by the measured cost of running bots.'),
  BOTS_PER_WORKSPACE:        row('0', wholeNumber(0, 1_000_000), 'Maximum running bots per workspace; further ones wait for a seat. 0: no limit.'),
  SEAT_WAIT_SECONDS:         row('600', wholeNumber(1, 86_400), 'How long an immediate bot waits for a free seat before it ends as Error with the reason NoCapacity.'),
  DRAIN_SECONDS:             row('0', wholeNumber(0, 86_400), 'How long SIGTERM waits for running bots to end. Before that time is over, other nodes take the remaining ones over. 0: it stops at once, as Ctrl-C does.'),
  WARM_WORKERS:              row('1', wholeNumber(0, 64), 'Browsers that are kept open so that the next bot joins at once. WARM_HOSTS is its former name and still works.'),
  SHARE_BROWSERS:            row('false', boolean, 'true: bots of different workspaces may share a browser. Fewer browsers, less isolation.'),
  MEDIA_JOBS:                row('1', wholeNumber(1, 64), 'Recordings that are processed at the same time after the call, besides one short one. Live bots have priority.'),
  VIDEO_PRESET:              row('balanced', oneOf(...VIDEO_PRESETS), 'How MP4 files are encoded. small: fewer bytes, more CPU time. fast: the opposite (docs/recordings.md).'),
  VIDEO_ENCODER:             row('x264', oneOf('auto', ...VIDEO_ENCODERS), 'The encoder of MP4 files. auto: the first of nvenc, vaapi and v4l2 that works here, otherwise x264, which needs no hardware.'),
  S3_BUCKET:                 row('', optional, 'S3 bucket for recordings. Default: the folder DATA_DIR/objects.'),
  S3_ENDPOINT:               row('', webUrl, 'URL of an S3-compatible server. Default: Amazon S3.'),
  S3_REGION:                 row('us-east-1', text, 'Region of the bucket.'),
  S3_ACCESS_KEY_ID:          row('', optional, 'Access key id of the bucket. Default: the AWS credential chain.'),
  S3_SECRET_ACCESS_KEY:      row('', optional, 'Secret access key of the bucket.'),
  S3_DIRECT_READS:           row('false', boolean, 'true: media links redirect to the bucket, which clients must be able to reach.'),
  UPLOAD_SECONDS:            row('15', wholeNumber(5, 30), 'Interval at which the recordings of running bots are uploaded. A lost machine costs at most three seconds more of them. A bot is one request per interval.'),
  S3_TIMEOUT_SECONDS:        row('30', wholeNumber(1, 3_600), 'Seconds without a response after which a request to the bucket is retried.'),
  BROWSER_MODE:              row('auto', oneOf('auto', 'headed', 'headless'), 'How browsers run. headed: on a virtual display (Xvfb). auto: headed for platforms that block headless browsers, if Xvfb is installed. Headless ones have no WebGL.'),
  CHROMIUM_PATH:             row('', optional, 'Path of the browser. Default: the system’s Chromium or Chrome.'),
  CHROMIUM_FLAGS:            row('', flags, 'Additional Chromium flags, separated by spaces, for example for a proxy. Quote a flag that contains a space.'),
  PAGE_RULES:                row('', optional, 'Folder with your own page rules, for example google-meet.json. See docs/page-rules.md. PLATFORM_TABLES is its former name and still works.'),
  ZOOM_WAY:                  row('sdk', oneOf('sdk', 'web', 'auto'), 'How bots join Zoom. sdk: by Zoom’s Meeting SDK and an app. web: by Zoom’s web client, as a guest in a browser, without asking the host for recording permission, and not to webinars. auto: sdk if the SDK is installed, else web (docs/zoom.md).'),
  ZOOM_SDK_KEY:              row('', optional, 'Zoom app key. Zoom links are refused without key and secret, unless the workspace has its own or ZOOM_WAY is web.'),
  ZOOM_SDK_SECRET:           row('', optional, 'Zoom app secret.'),
  ZOOM_SDK_FOLDER:           row('', optional, 'Folder of Zoom’s Meeting SDK, which emissary zoom install fetches. Default: zoom-sdk in DATA_DIR.'),
  TEAMS_BOT_TENANT:          row('', optional, 'Tenant of the app by which bots identify themselves to Microsoft Teams, unless the workspace has its own (docs/teams.md).'),
  TEAMS_BOT_CLIENT_ID:       row('', optional, 'Client id of that app.'),
  TEAMS_BOT_CLIENT_SECRET:   row('', optional, 'Client secret of that app.'),
  CALENDAR_POLL_SECONDS:     row('120', wholeNumber(1, 86_400), 'Interval at which calendars are polled for changes; once a minute around a meeting.'),
  GOOGLE_API_URL:            row('https://www.googleapis.com', externalUrl, 'Google Calendar API.'),
  GOOGLE_OAUTH_URL:          row('https://oauth2.googleapis.com/token', externalUrl, 'OAuth token endpoint of Google.'),
  MICROSOFT_GRAPH_URL:       row('https://graph.microsoft.com', externalUrl, 'Microsoft Graph, for Outlook calendars.'),
  MICROSOFT_LOGIN_URL:       row('https://login.microsoftonline.com', externalUrl, 'OAuth endpoint of Microsoft, for Outlook calendars and bots in Teams.'),
  DEEPGRAM_API_KEY:          row('', optional, 'Makes deepgram and deepgram_streaming available.'),
  ASSEMBLYAI_API_KEY:        row('', optional, 'Makes assemblyai and assemblyai_streaming available.'),
  OPENAI_API_KEY:            row('', optional, 'Makes openai available.'),
  ELEVENLABS_API_KEY:        row('', optional, 'Makes elevenlabs available.'),
  SARVAM_API_KEY:            row('', optional, 'Makes sarvam available.'),
  JIGSAWSTACK_API_KEY:       row('', optional, 'Makes jigsawstack and jigsawstack_streaming available.'),
  DEEPGRAM_URL:              row('', webUrl, 'URL of deepgram, for a proxy, a region or your own server. Default: Deepgram’s.'),
  DEEPGRAM_STREAMING_URL:    row('', socketUrl, 'URL of deepgram_streaming. Default: Deepgram’s.'),
  ASSEMBLYAI_URL:            row('', webUrl, 'URL of assemblyai. Default: AssemblyAI’s.'),
  ASSEMBLYAI_STREAMING_URL:  row('', socketUrl, 'URL of assemblyai_streaming. Default: AssemblyAI’s.'),
  OPENAI_URL:                row('', webUrl, 'URL of openai with its version, or of any OpenAI-compatible server. Default: OpenAI’s.'),
  ELEVENLABS_URL:            row('', webUrl, 'URL of elevenlabs. Default: ElevenLabs’.'),
  SARVAM_URL:                row('', webUrl, 'URL of sarvam. Default: Sarvam’s.'),
  JIGSAWSTACK_URL:           row('', webUrl, 'URL of jigsawstack. Default: JigsawStack’s.'),
  JIGSAWSTACK_STREAMING_URL: row('', webUrl, 'URL of jigsawstack_streaming. Default: JigsawStack’s.'),
  MODELS_DIR:                row('', optional, 'Folder of the models of native speech recognition. Default: .cache/emissary/models in the user’s home.'),
  NATIVE_MODEL:              row('', optional, 'Folder with your own model for native and native_streaming, described by its model.json.'),
  VOICE_URL:                 row('', webUrl, 'URL, with its version, of an OpenAI-compatible speech API for the bots’ voice. Default: flite and espeak-ng.'),
  VOICE_API_KEY:             row('', optional, 'Its API key, if it needs one.'),
  VOICE_MODEL:               row('tts-1', text, 'Its model.'),
  VOICE_NAME:                row('alloy', text, 'Its default voice.'),
  VOICE_FORMAT:              row('wav', oneOf('wav', 'pcm'), 'Its audio format; pcm is 16-bit mono at 24 kHz.'),
  SUMMARY_URL:               row('', webUrl, 'URL, with its version, of an OpenAI-compatible chat API for summaries. Default: key sentences of the transcript.'),
  SUMMARY_API_KEY:           row('', optional, 'Its API key, if it needs one.'),
  SUMMARY_MODEL:             row('gpt-4o-mini', text, 'Its model.'),
  LOG_LEVEL:                 row('info', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'How much is logged.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: row('', webUrl, 'URL of an OpenTelemetry collector (OTLP over HTTP) that gets a trace of every bot. Default: no traces.'),
  LOG_FORMAT:                row('auto', oneOf('auto', 'json', 'pretty'), 'auto: pretty on a terminal, JSON elsewhere.'),
} as const satisfies Record<string, Setting<unknown>>

const FORMER_NAMES: Partial<Record<string, string>> = {
  BOTS_PER_WORKER: 'BOTS_PER_HOST',
  BOT_WORKERS: 'BOT_HOSTS',
  WARM_WORKERS: 'WARM_HOSTS',
  PAGE_RULES: 'PLATFORM_TABLES',
}

type Values = { readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }

export type Config = Values & {
  readonly DATABASE_CONNECTIONS: number
  readonly configuredVendors: ReadonlySet<Vendor>
  readonly speech: SpeechSettings & { readonly native: NativeSettings }
  readonly zoom: ServerZoom & { readonly sdkFolder: string }
  readonly teamsApp: TeamsApp | null
}

/** Throws a ConfigError that names every invalid setting. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, { fallback, read }]) => {
      const used = [name, FORMER_NAMES[name]].find((it) => it && environment[it]?.trim()) ?? name
      const given = environment[used]?.trim() || fallback
      try {
        return [name, read(given)]
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        problems.push(`${used} ${error.message}; got ${SECRETS.test(name) ? counted(given.length, 'character') : JSON.stringify(given)}.`)
        return [name, undefined]
      }
    }),
  ) as Values
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  checkRoles(values)
  const configuredVendors = new Set(VENDORS.filter((vendor) => environment[`${vendor.toUpperCase()}_API_KEY`]?.trim()))
  const DATABASE_CONNECTIONS = values.DATABASE_CONNECTIONS ?? connectionsFor(values.ROLES)
  return {
    ...values,
    DATABASE_CONNECTIONS,
    DATA_DIR: resolve(values.DATA_DIR),
    configuredVendors,
    speech: speechIn(values),
    zoom: zoomIn(values),
    teamsApp: teamsAppIn(values),
  }
}

function teamsAppIn({ TEAMS_BOT_TENANT: tenant, TEAMS_BOT_CLIENT_ID: clientId, TEAMS_BOT_CLIENT_SECRET: secret }: Values): TeamsApp | null {
  if (tenant && clientId && secret) return { tenant, clientId, secret }
  if (tenant ?? clientId ?? secret)
    throw new ConfigError('TEAMS_BOT_TENANT, TEAMS_BOT_CLIENT_ID and TEAMS_BOT_CLIENT_SECRET must be set together.')
  return null
}

function zoomIn({ ZOOM_WAY, ZOOM_SDK_KEY, ZOOM_SDK_SECRET, ZOOM_SDK_FOLDER, DATA_DIR, ROLES, BOT_WORKERS }: Values): Config['zoom'] {
  if ((ZOOM_SDK_KEY === undefined) !== (ZOOM_SDK_SECRET === undefined))
    throw new ConfigError('ZOOM_SDK_KEY and ZOOM_SDK_SECRET must be set together.')
  const app = ZOOM_SDK_KEY && ZOOM_SDK_SECRET ? { key: ZOOM_SDK_KEY, secret: ZOOM_SDK_SECRET } : null
  const sdkFolder = resolve(ZOOM_SDK_FOLDER ?? join(DATA_DIR, 'zoom-sdk'))
  const way = ZOOM_WAY !== 'auto' ? ZOOM_WAY : hasZoomSdk(sdkFolder) ? 'sdk' : 'web'
  // A process without bots does not know what is installed where the bots are.
  const obstacle = ROLES.includes('fleet') && BOT_WORKERS > 0 ? zoomObstacle({ way, sdkFolder }) : null
  return { way, app, sdkFolder, obstacle }
}

function speechIn(values: Values): Config['speech'] {
  const keys: Record<Vendor, string | undefined> = {
    deepgram: values.DEEPGRAM_API_KEY,
    assemblyai: values.ASSEMBLYAI_API_KEY,
    openai: values.OPENAI_API_KEY,
    elevenlabs: values.ELEVENLABS_API_KEY,
    sarvam: values.SARVAM_API_KEY,
    jigsawstack: values.JIGSAWSTACK_API_KEY,
  }
  const baseUrls: Partial<Record<ProviderName, string | undefined>> = {
    deepgram: values.DEEPGRAM_URL,
    assemblyai: values.ASSEMBLYAI_URL,
    openai: values.OPENAI_URL,
    elevenlabs: values.ELEVENLABS_URL,
    sarvam: values.SARVAM_URL,
    jigsawstack: values.JIGSAWSTACK_URL,
    deepgram_streaming: values.DEEPGRAM_STREAMING_URL,
    assemblyai_streaming: values.ASSEMBLYAI_STREAMING_URL,
    jigsawstack_streaming: values.JIGSAWSTACK_STREAMING_URL,
  }
  const modelsFolder = resolve(values.MODELS_DIR ?? join(homedir(), '.cache', 'emissary', 'models'))
  const ownModel = values.NATIVE_MODEL && resolve(values.NATIVE_MODEL)
  return { keys: withoutUndefined(keys), baseUrls: withoutUndefined(baseUrls), native: { modelsFolder, ...(ownModel && { ownModel }) } }
}

const SECRETS = /KEY|TOKEN|SECRET|DATABASE_URL/

/** `options` of the command line win over the environment, and that over the file `.env` in the current folder. */
export function loadConfig(options: Readonly<Record<string, string>> = {}): Config {
  return readConfig({ ...dotEnv(), ...process.env, ...options })
}

function dotEnv(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
