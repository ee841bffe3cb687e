// Data of the dashboard's bot page: speaker names, pauses, and a live view of the meeting.
import type { BotId } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { may } from '../../../domain/roles.ts'
import { startLoop } from '../../../kit/loop.ts'
import { listArtefacts } from '../../db/media/recordings.ts'
import { findSpeakerNames, isRecordedSpeaker, setSpeakerName } from '../../db/media/speaker-names.ts'
import { listTranscriptions } from '../../db/media/transcriptions.ts'
import { readTurns, transcriptKeys } from '../../media/transcript/transcript-file.ts'
import { keptBot } from '../bots/find-bot.ts'
import type { Api } from '../deps.ts'
import { membershipOf, signedIn } from '../session-auth.ts'
import { type DashboardDeps, memberIn } from './deps.ts'
import { Done, Lanes, BotParams as params, SpeakerName, type Watched } from './schema.ts'

const path = '/workspaces/:workspace_id/bots/:bot_id'

export function dashboardBotRoutes(app: Api, deps: DashboardDeps): void {
  laneRoutes(app, deps)
  watchRoute(app, deps)
}

function laneRoutes(app: Api, deps: DashboardDeps): void {
  app.get(`${path}/lanes`, { schema: { operationId: 'getLanes', params, response: { 200: Lanes } } }, async (request) => {
    const { workspaceId } = await memberIn(request, deps)
    const bot = await keptBot(deps, workspaceId, request.params.bot_id)
    const [names, timelines] = await Promise.all([findSpeakerNames(deps.db, bot.id), listArtefacts(deps.db, bot.id, 'speaker_timeline')])
    const { pauses, gaps } = (timelines[0]?.facts ?? {}) as Partial<Record<'pauses' | 'gaps', readonly Span[]>>
    return { speaker_names: Object.fromEntries(names), pauses: inSeconds(pauses), gaps: inSeconds(gaps) }
  })

  const renaming = { operationId: 'renameSpeaker', params, body: SpeakerName, response: { 200: Done } }
  app.put(`${path}/speaker_names`, { schema: renaming }, async (request) => {
    const member = await memberIn(request, deps)
    if (!may(member.role, 'change')) throw new ServiceError('forbidden', 'Viewers cannot rename speakers. Ask an owner for another role.')
    const { id } = await keptBot(deps, member.workspaceId, request.params.bot_id)
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
  const turns = shown && (await readTurns(store, transcriptKeys(bot, shown.id)))
  return turns?.some(({ speaker_id }) => speaker_id === speakerId) ?? false
}

type Span = { readonly fromMs: number; readonly toMs: number }

/** Recordings of an earlier version have no spans. */
function inSeconds(spans: readonly Span[] = []): { start: number; end: number }[] {
  return spans.map(({ fromMs, toMs }) => ({ start: fromMs / 1000, end: toMs / 1000 }))
}

/** Fast enough for audio levels, slow enough for a hundred open pages. */
const GLANCE_EVERY_MS = 400
/** Poll interval while no worker runs the bot. */
const NO_HOST_MS = 2_000

function watchRoute(app: Api, deps: DashboardDeps): void {
  app.get(`${path}/watch`, { schema: { params } }, async (request, reply) => {
    const { session } = await signedIn(request, deps, { csrf: false })
    const { workspaceId } = await membershipOf(deps, session, request.params.workspace_id)
    const { id } = await keptBot(deps, workspaceId, request.params.bot_id)
    const stream = deps.streams.open(reply, { sessionId: session.id, workspaceId })
    let last = 0
    const loop = startLoop({
      async work() {
        const glance = await deps.botRequests.glance(id)
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
