// The trial: bots of this server talk in one of its rooms and one more bot records them, all through the public API.
import type { Watched } from '../../../../src/service/api/dashboard/schema.ts'
import * as api from '../../api/sdk.gen.ts'
import type { CreateBotRequest } from '../../api/types.gen.ts'
import { ask, ServiceProblem } from '../../service.ts'

const CAST = { Ada: 'slt', Ben: 'rms' } as const
type Name = keyof typeof CAST

const PLAY: readonly { readonly who: Name; readonly text: string }[] = [
  { who: 'Ada', text: 'Good morning Ben. Is the release ready for Thursday?' },
  { who: 'Ben', text: 'Almost. The tests are green on both machines, and I will write the notes this afternoon.' },
  { who: 'Ada', text: 'Then we are done. Thank you, and see you tomorrow.' },
]

/** They leave after ten minutes if this page is closed early. */
const LEAVE = { in_call_recording_timeout: 600, everyone_left_timeout: 60 }
/** For the live view. The final transcript is made after the call. */
const LIVE_TRANSCRIPT = { transcript: { provider: 'native_streaming' } } as const
const INSIDE = ['InMeeting', 'RecordingPermissionAllowed']
const OVER = ['Failed', 'Error', 'NotAllowed', 'Denied', 'Stopped', 'Cancelled']
const LOOK_EVERY_MS = 700
const COMES_WITHIN_MS = 90_000
const TRANSCRIBED_WITHIN_MS = 60_000
const MADE_WITHIN_MS = 180_000
/** The time that a text takes to be spoken. */
const MS_PER_LETTER = 75

export const STEPS = [
  'A room opens',
  'Ada and Ben come in',
  'A bot joins them',
  'They talk',
  'The bot leaves',
  'Recording and transcript',
] as const

export type Progress = { readonly step: number; readonly bot: string | null }

export async function play(workspace: string, report: (progress: Progress) => void): Promise<void> {
  let progress: Progress = { step: 0, bot: null }
  const next = (change: Partial<Progress>) => {
    progress = { ...progress, ...change }
    report(progress)
  }
  next({})
  const { room_url } = await ask(api.createRoom({ body: {} }))
  next({ step: 1 })
  const names = Object.keys(CAST) as Name[]
  const silent = { audio_required: false, video_required: false }
  const actors = new Map(await Promise.all(names.map(async (name) => [name, await send(room_url, { bot_name: name, ...silent })] as const)))
  try {
    await Promise.all([...actors.values()].map((actor) => untilIn(actor, INSIDE, COMES_WITHIN_MS)))
    next({ step: 2 })
    const bot = await send(room_url, { bot_name: 'Note taker', recording_config: LIVE_TRANSCRIPT })
    next({ bot })
    await untilIn(bot, INSIDE, COMES_WITHIN_MS)
    next({ step: 3 })
    for (const { who, text } of PLAY) {
      // A screenshot for the viewer. The trial continues without it.
      void ask(api.takeScreenshot({ path: { bot_id: bot } })).catch(() => undefined)
      await say(actors.get(who) ?? '', text, CAST[who])
    }
    await untilTranscribed(workspace, bot)
    next({ step: 4 })
    await ask(api.removeBot({ path: { bot_id: bot } }))
    next({ step: 5 })
    await untilIn(bot, ['Done'], MADE_WITHIN_MS)
    await ask(api.transcribeBot({ path: { bot_id: bot }, body: { provider: 'native' } }))
  } finally {
    // An actor that has left already need not be removed.
    await Promise.allSettled([...actors.values()].map((actor) => ask(api.removeBot({ path: { bot_id: actor } }))))
  }
}

async function send(meeting_link: string, body: Omit<CreateBotRequest, 'meeting_link'>): Promise<string> {
  return (await ask(api.createBot({ body: { meeting_link, automatic_leave: LEAVE, custom_attributes: { trial: true }, ...body } }))).bot_id
}

async function untilIn(bot: string, statuses: readonly string[], withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs
  while (Date.now() < deadline) {
    const { Status, Message } = (await ask(api.getBotDetail({ path: { bot_id: bot } }))).bot_details
    if (statuses.includes(Status)) return
    if (OVER.includes(Status) && statuses === INSIDE) throw new ServiceProblem(409, Message)
    await pause(LOOK_EVERY_MS)
  }
  throw new ServiceProblem(409, `This step took longer than ${withinMs / 1000} seconds. Every seat of this server may be taken.`)
}

/** On a slow machine the live transcript lags. After a while the trial continues without it. */
function untilTranscribed(workspace: string, bot: string): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(`/dashboard/v1/workspaces/${workspace}/bots/${bot}/watch`)
    const end = () => {
      source.close()
      resolve()
    }
    setTimeout(end, TRANSCRIBED_WITHIN_MS)
    source.onmessage = ({ data }) => {
      const { lines }: Watched = JSON.parse(data)
      if (lines.length > 0) end()
    }
  })
}

async function say(bot: string, text: string, voice: string): Promise<void> {
  const said = (body: { text: string; voice?: string }) => ask(api.speak({ path: { bot_id: bot }, body }))
  // A custom speech endpoint has its own voices.
  await said({ text, voice }).catch(() => said({ text }))
  await pause(text.length * MS_PER_LETTER)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
