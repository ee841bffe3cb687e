// A bot's status as a dot with a label, and times in a readable form.

type Tone = 'live' | 'wait' | 'good' | 'bad' | 'quiet'

const STATUSES: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  Scheduled: ['wait', 'Scheduled'],
  Joining: ['live', 'Joining'],
  InWaitingRoom: ['live', 'In the waiting room'],
  InMeeting: ['live', 'In the meeting'],
  RecordingPermissionAllowed: ['live', 'Recording'],
  RecordingPermissionDenied: ['live', 'Recording not allowed'],
  Leaving: ['live', 'Leaving'],
  Stopped: ['quiet', 'Left'],
  Kicked: ['quiet', 'Removed by a participant'],
  NotAllowed: ['bad', 'Not admitted'],
  Denied: ['bad', 'Refused'],
  Failed: ['bad', 'Failed'],
  Error: ['bad', 'Error'],
  MediaProcessing: ['wait', 'Processing'],
  Done: ['good', 'Done'],
  MediaExpired: ['quiet', 'Media deleted'],
  Cancelled: ['quiet', 'Cancelled'],
}

export const STATUS_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STATUSES).map(([status, [, words]]) => [status, words]),
)

const DOTS: Readonly<Record<Tone, string>> = {
  live: 'bg-good breathing',
  wait: 'bg-warm',
  good: 'bg-accent',
  bad: 'bg-bad',
  quiet: 'bg-edge',
}

export const statusWords = (status: string): string => STATUS_WORDS[status] ?? status
export const isLive = (status: string): boolean => STATUSES[status]?.[0] === 'live'

export function Status({ status }: { status: string }) {
  const [tone, words] = STATUSES[status] ?? ['quiet', status]
  return (
    <span className="inline-flex items-center gap-2 text-sm whitespace-nowrap">
      <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${DOTS[tone]}`} />
      {words}
    </span>
  )
}

export const PLATFORMS: Readonly<Record<string, string>> = {
  GMeet: 'Google Meet',
  Zoom: 'Zoom',
  Teams: 'Microsoft Teams',
  WhatsApp: 'WhatsApp',
  Room: 'Built-in room',
}

const dayAndTime = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const fully = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Recent moments as a relative time, others as a date. */
export function When({ at }: { at: string }) {
  const moment = new Date(at)
  const distance = moment.getTime() - Date.now()
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['minute', 60_000]
  const words = Math.abs(distance) > 6 * 86_400_000 ? dayAndTime.format(moment) : relative.format(Math.round(distance / size), unit)
  return (
    <time dateTime={at} title={fully.format(moment)}>
      {words}
    </time>
  )
}

export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const tail = String(rest).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}
