// The fields of create_bot, from the request's schema: a new option of the service gets its field without a change here.

/** The part of JSON Schema that the request uses. */
export type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly description?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

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
const COMMON_FIELDS = [
  'recording_config.audio_separate_streams',
  'recording_config.video_separate_streams',
  'recording_config.retention.type',
]

/** These fields are shown above all others. */
const FIRST = ['meeting_link', 'bot_name', 'join_at']

const KINDS: Readonly<Record<string, Kind>> = {
  bot_message: 'long text',
  join_at: 'moment',
  custom_attributes: 'attributes',
  'recording_config.transcript.provider': 'provider',
}

/** A field belongs to the first group with a matching prefix. */
const GROUPS: readonly { readonly title: string; readonly begins: readonly string[] }[] = [
  { title: 'Transcription', begins: ['recording_config.transcript', 'live_transcription_required'] },
  {
    title: 'Webhooks and sockets',
    begins: ['callback_url', 'recording_config.realtime_endpoints', 'live_audio_required', 'socket_connection_url'],
  },
  { title: 'Recording', begins: ['audio_', 'video_', 'recording_config'] },
  { title: 'In the meeting', begins: ['bot_message', 'bot_image_url', 'initial_audio'] },
  { title: 'Automatic leave', begins: ['automatic_leave'] },
  { title: 'Signing in', begins: ['platforma', 'platformb', 'platformc'] },
  { title: 'Attributes and deduplication', begins: ['custom_attributes', 'deduplication_key'] },
  { title: 'Other options', begins: [''] },
]
const ORDER = [
  'Recording',
  'Transcription',
  'In the meeting',
  'Automatic leave',
  'Attributes and deduplication',
  'Webhooks and sockets',
  'Signing in',
]

const LABELS: Readonly<Record<string, string>> = {
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
  const fields = leaves(schema).filter(({ path }) => !COMMON_FIELDS.includes(path) && !FIRST.includes(path))
  const titleOf = ({ path }: FieldRow) => GROUPS.find(({ begins }) => begins.some((it) => path.startsWith(it)))?.title ?? ''
  const place = (title: string) => (ORDER.includes(title) ? ORDER.indexOf(title) : ORDER.length)
  return [...Map.groupBy(fields, titleOf)]
    .map(([title, its]) => ({ title, fields: its }))
    .toSorted((one, other) => place(one.title) - place(other.title))
}

function leaves(schema: Schema, path = ''): readonly FieldRow[] {
  const inner = Object.entries(schema.properties ?? {})
  if (inner.length > 0) return inner.flatMap(([name, it]) => leaves(it, path ? `${path}.${name}` : name))
  return [
    {
      ...{ path, kind: KINDS[path] ?? kindOf(schema), label: LABELS[path] ?? labelOf(path) },
      ...{
        hint: /^(https|wss)$/.test(schema.description ?? '') ? undefined : schema.description,
        choices: schema.enum,
        maxLength: schema.maxLength,
      },
    },
  ]
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
