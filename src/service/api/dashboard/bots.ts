// Data of the dashboard's bot page: speaker names, pauses, and a live view of the meeting.

import type { Bot, BotId } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { may } from '../../../domain/roles.ts'
import { startLoop } from '../../../kit/loop.ts'
import { findBot } from '../../db/bots.ts'
import { listArtefacts } from '../../db/recordings.ts'
import type { Membership } from '../../db/sessions.ts'
import { findSpeakerNames, isRecordedSpeaker, setSpeakerName } from '../../db/speaker-names.ts'
import { listTranscriptions } from '../../db/transcriptions.ts'
import { readSegments, transcriptKeys } from '../../media/transcript/transcript-file.ts'
import type { Api } from '../deps.ts'
import { idIn } from '../path-id.ts'
import { membershipOf, signedIn } from '../session-auth.ts'
import { type DashboardDeps, memberIn } from './deps.ts'
import { Lanes, BotParams as params, SpeakerName, type Watched } from './schema.ts'

const hide = true
const path = '/workspaces/:workspace_id/bots/:bot_id'

export function dashboardBotRoutes(app: Api, deps: DashboardDeps): void {
  laneRoutes(app, deps)
  watchRoute(app, deps)
}

function laneRoutes(app: Api, deps: DashboardDeps): void {
  app.get(`${path}/lanes`, { schema: { hide, params, response: { 200: Lanes } } }, async (request) => {
    const bot = await botOf(deps, await memberIn(request, deps), request.params.bot_id)
    const [names, timelines] = await Promise.all([findSpeakerNames(deps.db, bot.id), listArtefacts(deps.db, bot.id, 'speaker_timeline')])
    const { pauses, gaps } = (timelines[0]?.facts ?? {}) as Partial<Record<'pauses' | 'gaps', readonly Span[]>>
    return { speaker_names: Object.fromEntries(names), pauses: inSeconds(pauses), gaps: inSeconds(gaps) }
  })

  app.put(`${path}/speaker_names`, { schema: { hide, params, body: SpeakerName } }, async (request) => {
    const member = await memberIn(request, deps)
    if (!may(member.role, 'change')) throw new ServiceError('forbidden', 'Viewers cannot rename speakers. Ask an owner for another role.')
    const { id } = await botOf(deps, member, request.params.bot_id)
    const { speaker_id: speakerId, name } = request.body
    if (name !== null && !(await isSpeaker(deps, id, speakerId))) throw invalid('speaker_id is not a speaker of this recording.')
    await setSpeakerName(deps.db, id, { speakerId, name })
    return { message: 'Speaker renamed' }
  })
}

/** True if the recording or its transcript has the speaker. Captions can name one whom the meeting never listed: only the transcript has that id. */
async function isSpeaker({ db, store }: DashboardDeps, bot: BotId, speakerId: string): Promise<boolean> {
  if (await isRecordedSpeaker(db, bot, speakerId)) return true
  const shown = (await listTranscriptions(db, bot)).findLast(({ status }) => status === 'Success')
  const segments = shown && (await readSegments(store, transcriptKeys(bot, shown.id)))
  return segments?.some(({ speaker_id }) => speaker_id === speakerId) ?? false
}

type Span = { readonly fromMs: number; readonly toMs: number }

/** Recordings of an earlier version have no spans. */
function inSeconds(spans: readonly Span[] = []): { start: number; end: number }[] {
  return spans.map(({ fromMs, toMs }) => ({ start: fromMs / 1000, end: toMs / 1000 }))
}

/** Fast enough for audio levels, slow enough for a hundred open pages. */
const GLANCE_EVERY_MS = 400
/** Poll interval while no host runs the bot. */
const NO_HOST_MS = 2_000

function watchRoute(app: Api, deps: DashboardDeps): void {
  app.get(`${path}/watch`, { schema: { hide, params } }, async (request, reply) => {
    const { session } = await signedIn(request, deps, { csrf: false })
    const member = await membershipOf(deps, session, request.params.workspace_id)
    const { id } = await botOf(deps, member, request.params.bot_id)
    const stream = deps.streams.open(reply, { sessionId: session.id, workspaceId: member.workspaceId })
    let last = 0
    const loop = startLoop({
      async work() {
        const glance = await deps.reach.glance(id)
        if (!glance) return NO_HOST_MS
        // A relaunched bot numbers its lines from the start.
        if ((glance.lines.at(-1)?.id ?? last) < last) last = 0
        const lines = glance.lines.filter((line) => line.id > last)
        last = lines.at(-1)?.id ?? last
        const message: Watched = {
          levels: glance.levels.map(({ speakerId, name, level }) => ({
            speaker_id: speakerId,
            name,
            level: Math.round(level * 100) / 100,
          })),
          lines: lines.map(({ id, name, text, at }) => ({ id, speaker: name, text, at: new Date(at).toISOString() })),
        }
        stream.send(message)
        return GLANCE_EVERY_MS
      },
      onError: (error) => deps.log.warn({ err: error, botId: id }, 'could not read the live view of a bot'),
      retryMs: NO_HOST_MS,
    })
    stream.onClose(() => void loop.stop())
  })
}

async function botOf({ db }: DashboardDeps, { workspaceId }: Membership, id: string): Promise<Bot> {
  const bot = await findBot(db, workspaceId, idIn(id))
  if (!bot || bot.isErased) throw new ServiceError('bot_not_found')
  return bot
}
