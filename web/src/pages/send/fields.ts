// The fields of create_bot, from the request's schema: a new option of the service gets its field without a change here.
import type { CREATE_BOT } from '../../api/constants.gen.ts'

/** The part of JSON Schema that the request uses. */
export type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly description?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  /** What the service checks beyond the schema. */
  readonly 'x-published'?: object
}

/** The dotted names of an object's fields. The tables below name no field that create_bot does not have. */
type PathsIn<It> = It extends { properties: infer Fields }
  ? {
      [Name in keyof Fields & string]: Fields[Name] extends { properties: object } ? `${Name}.${PathsIn<Fields[Name]>}` : Name
    }[keyof Fields & string]
  : never
type Path = PathsIn<typeof CREATE_BOT>

export type Kind = 'text' | 'long text' | 'moment' | 'number' | 'choice' | 'yes or no' | 'list' | 'attributes' | 'provider' | 'json'

export type FieldRow = {
  /** Dotted, as in the service's messages. */
  readonly path: string
  readonly kind: Kind
  readonly label: string
  readonly hint?: string | undefined
  readonly choices?: readonly string[] | undefined
  readonly maxLength?: number | undefined
}

export type Group = { readonly title: string; readonly fields: readonly FieldRow[] }

/** The same option is also a common field of the form. */
const COMMON_FIELDS: readonly Path[] = [
  'recording_config.audio_separate_streams',
  'recording_config.video_separate_streams',
  'recording_config.retention.type',
]

/** These fields are shown above all others, after the meeting link. */
export const FIRST = [
  { path: 'bot_name', kind: 'text' },
  { path: 'join_at', kind: 'moment' },
] as const satisfies readonly { readonly path: Path; readonly kind: Kind }[]
const SHOWN_ABOVE: readonly string[] = [...FIRST.map(({ path }) => path), 'meeting_link', ...COMMON_FIELDS]

const KINDS: Readonly<Partial<Record<Path, Kind>>> = {
  bot_message: 'long text',
  custom_attributes: 'attributes',
  'recording_config.transcript.provider': 'provider',
}

/** In the order of the page. A field belongs to the group with its longest prefix. */
const GROUPS: readonly { readonly title: string; readonly prefixes: readonly string[] }[] = [
  { title: 'Recording', prefixes: ['audio_', 'video_', 'recording_config'] },
  { title: 'Transcription', prefixes: ['recording_config.transcript', 'live_transcription_required'] },
  { title: 'In the meeting', prefixes: ['bot_message', 'bot_image_url', 'initial_audio'] },
  { title: 'Automatic leave', prefixes: ['automatic_leave'] },
  { title: 'Attributes and deduplication', prefixes: ['custom_attributes', 'deduplication_key'] },
  {
    title: 'Webhooks and sockets',
    prefixes: ['callback_url', 'recording_config.realtime_endpoints', 'live_audio_required', 'socket_connection_url'],
  },
  { title: 'Signing in', prefixes: ['platforma', 'platformb', 'platformc'] },
  { title: 'Other options', prefixes: [''] },
]
const PREFIXES = GROUPS.flatMap(({ prefixes }) => prefixes).toSorted((one, other) => other.length - one.length)

const LABELS: Readonly<Partial<Record<Path, string>>> = {
  audio_required: 'Record audio',
  video_required: 'Record video',
  audio_separate_streams: 'An audio file for each person',
  video_separate_streams: 'A video file for each person',
  'recording_config.video_layout': 'Layout of the video',
  'recording_config.retention.hours': 'Retention in hours',
  'recording_config.transcript.provider': 'Speech provider',
  'recording_config.realtime_endpoints': 'Receivers of participant events, as JSON',
  'live_transcription_required.webhook_url': 'Live transcript to a webhook',
  'live_transcription_required.websocket_url': 'Live transcript to a WebSocket',
  'live_audio_required.websocket_url': 'Live audio to a WebSocket',
  'socket_connection_url.websocket_url': 'Control WebSocket',
  bot_message: 'First message in the chat',
  bot_image_url: 'Image of the bot',
  'initial_audio.url': 'Clip played on arrival',
  callback_url: 'Webhook of this bot',
  custom_attributes: 'Attributes',
  'platforma.zak_url': 'Zoom: URL of the ZAK token',
  'platforma.obf_url': 'Zoom: URL of the OBF token',
  'automatic_leave.bot_detection.using_participant_names.matches': 'Names that mark other bots',
  'automatic_leave.bot_detection.using_participant_names.activate_after': 'Look for other bots after, in seconds',
  'automatic_leave.bot_detection.using_participant_names.timeout': 'Leave other bots after, in seconds',
}
const OWNERS: Readonly<Record<string, string>> = { platformb: 'Google Meet: ', platformc: 'Teams: ' }

export function groupsOf(schema: Schema): readonly Group[] {
  const fields = leaves(schema).filter(({ path }) => !SHOWN_ABOVE.includes(path))
  const prefixOf = ({ path }: FieldRow) => PREFIXES.find((prefix) => path.startsWith(prefix)) ?? ''
  return GROUPS.map(({ title, prefixes }) => ({ title, fields: fields.filter((field) => prefixes.includes(prefixOf(field))) })).filter(
    (group) => group.fields.length > 0,
  )
}

function leaves(schema: Schema, path = ''): readonly FieldRow[] {
  const inner = Object.entries(schema.properties ?? {})
  if (inner.length > 0) return inner.flatMap(([name, it]) => leaves(it, path ? `${path}.${name}` : name))
  const known = path as Path
  const { enum: choices, maxLength } = schema
  return [{ path, kind: KINDS[known] ?? kindOf(schema), label: LABELS[known] ?? labelOf(path), hint: hintOf(schema), choices, maxLength }]
}

/** A URL's description may be only its scheme, which the placeholder shows. */
function hintOf({ 'x-published': more, ...schema }: Schema): string | undefined {
  const { description = '', minimum, maximum, default: fallback }: Schema = { ...schema, ...more }
  const range = minimum === undefined || maximum === undefined ? '' : `${minimum}-${maximum}.`
  const parts = [/^(https|wss)$/.test(description) ? '' : description, range, fallback === undefined ? '' : `Default ${fallback}.`]
  return parts.filter(Boolean).join(' ') || undefined
}

function kindOf({ type, items, enum: choices }: Schema): Kind {
  if (choices) return 'choice'
  if (type === 'boolean') return 'yes or no'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.type === 'string' ? 'list' : 'json'
  return type === 'string' ? 'text' : 'json'
}

function labelOf(path: string): string {
  const [owner = '', ...rest] = path.split('.')
  const words = (rest.at(-1) ?? owner)
    .replace(/^platform[abc]_/, '')
    .replace(/_timeout$/, ', in seconds')
    .replaceAll('_', ' ')
  return `${OWNERS[owner] ?? ''}${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
