// The trial: bots of this server meet in a room of it and talk, one more bot records them, and all of it goes the way of any bot.
import { createBot, createRoom, getBotDetail, removeBot, speak, takeScreenshot } from '../../api/sdk.gen.ts'
import type { CreateBotRequest } from '../../api/types.gen.ts'
import { ask, ServiceProblem } from '../../service.ts'

const CAST = { Ada: 'slt', Ben: 'rms' } as const
type Name = keyof typeof CAST

const PLAY: readonly { readonly who: Name; readonly text: string }[] = [
  { who: 'Ada', text: 'Good morning Ben. Is the release ready for Thursday?' },
  { who: 'Ben', text: 'Almost. The tests are green on both machines, and I will write the notes this afternoon.' },
  { who: 'Ada', text: 'Then we are done. Thank you, and see you tomorrow.' },
]

/** They leave by themselves after ten minutes, should this page be closed before the end. */
const LEAVE = { in_call_recording_timeout: 600, everyone_left_timeout: 60 }
/** Written down while it is said, and so there as soon as the bot has left. */
const LIVE_WORDS = { transcript: { provider: 'native_streaming' } } as const
const INSIDE = ['InMeeting', 'RecordingPermissionAllowed']
const OVER = ['Failed', 'Error', 'NotAllowed', 'Denied', 'Stopped', 'Cancelled']
const LOOK_EVERY_MS = 700
const COMES_WITHIN_MS = 90_000
/** How long a text takes to be said. */
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

export async function play(tell: (progress: Progress) => void): Promise<void> {
  let progress: Progress = { step: 0, bot: null }
  const next = (change: Partial<Progress>) => {
    progress = { ...progress, ...change }
    tell(progress)
  }
  next({})
  const { room_url } = await ask(createRoom({ body: {} }))
  next({ step: 1 })
  const names = Object.keys(CAST) as Name[]
  const silent = { audio_required: false, video_required: false }
  const actors = new Map(await Promise.all(names.map(async (name) => [name, await send(room_url, { bot_name: name, ...silent })] as const)))
  try {
    await Promise.all([...actors.values()].map(untilInside))
    next({ step: 2 })
    const bot = await send(room_url, { bot_name: 'Note taker', recording_config: LIVE_WORDS })
    next({ bot })
    await untilInside(bot)
    next({ step: 3 })
    for (const { who, text } of PLAY) {
      // A picture of the moment for those who watch; the trial goes on without it.
      void ask(takeScreenshot({ path: { bot_id: bot } })).catch(() => undefined)
      await say(actors.get(who) ?? '', text, CAST[who])
    }
    next({ step: 4 })
    await ask(removeBot({ path: { bot_id: bot } }))
    next({ step: 5 })
  } finally {
    // An actor that has left already is none that must be taken out.
    await Promise.allSettled([...actors.values()].map((actor) => ask(removeBot({ path: { bot_id: actor } }))))
  }
}

async function send(meeting_link: string, body: Omit<CreateBotRequest, 'meeting_link'>): Promise<string> {
  return (await ask(createBot({ body: { meeting_link, automatic_leave: LEAVE, custom_attributes: { trial: true }, ...body } }))).bot_id
}

async function untilInside(bot: string): Promise<void> {
  const deadline = Date.now() + COMES_WITHIN_MS
  while (Date.now() < deadline) {
    const { Status, Message } = (await ask(getBotDetail({ path: { bot_id: bot } }))).bot_details
    if (INSIDE.includes(Status)) return
    if (OVER.includes(Status)) throw new ServiceProblem(409, Message)
    await pause(LOOK_EVERY_MS)
  }
  throw new ServiceProblem(409, 'A bot did not get into the room within 90 seconds. Every seat of this server may be taken.')
}

async function say(bot: string, text: string, voice: string): Promise<void> {
  const said = (body: { text: string; voice?: string }) => ask(speak({ path: { bot_id: bot }, body }))
  // A speech endpoint of the operator has voices of its own.
  await said({ text, voice }).catch(() => said({ text }))
  await pause(text.length * MS_PER_LETTER)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
