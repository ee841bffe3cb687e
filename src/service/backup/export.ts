// emissary export: what a workspace has, for its people: settings, and for each bot its record, people, chat, transcripts and media.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bot, WorkspaceId } from '../../domain/bot.ts'
import { counted } from '../../domain/counted.ts'
import { withoutSecrets } from '../../domain/secret-fields.ts'
import { copyObjects } from '../../storage/copy-objects.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { botPrefix, type ObjectStore, recordingPrefix } from '../../storage/store.ts'
import { presentDetail, presentParticipantEvents } from '../api/bots/present.ts'
import { TEXT_FORMATS } from '../api/transcripts/text-formats.ts'
import { readWorkspaceSettings } from '../db/accounts/workspace-settings.ts'
import type { Db } from '../db/database.ts'
import { listAbsences } from '../db/fleet/absences.ts'
import { findBot, listBotIds } from '../db/fleet/bots.ts'
import { listChat, listParticipants } from '../db/fleet/meetings.ts'
import { listParticipantEvents } from '../db/fleet/participant-events.ts'
import { type ArtefactKind, listArtefacts } from '../db/media/recordings.ts'
import { findSpeakerNames } from '../db/media/speaker-names.ts'
import { bestTranscription, listTranscriptions } from '../db/media/transcriptions.ts'
import { readTurns, renamed, transcriptKeys } from '../media/transcript/transcript-file.ts'
import { Progress, type Say } from './progress.ts'

export type ExportOptions = { readonly db: Db; readonly store: ObjectStore; readonly say: Say }

const KINDS: readonly ArtefactKind[] = ['audio', 'video', 'audio_stream', 'video_stream', 'screen_stream', 'speaker_timeline']

/** Links of the records are paths in the folder. */
export async function exportWorkspace(folder: string, workspace: WorkspaceId, { db, store, say }: ExportOptions): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw new Error(`The folder ${folder} is not empty. Name a new one.`)
  await writeJson(join(folder, 'workspace.json'), withoutSecrets(await readWorkspaceSettings(db, workspace)))
  const target = await openLocalDisk(folder)
  const progress = new Progress()
  const bots = await listBotIds(db, workspace)
  for (const id of bots) {
    const bot = await findBot(db, workspace, id)
    if (!bot) continue
    const own = join(folder, botPrefix(bot.id))
    await mkdir(own, { recursive: true, mode: 0o700 })
    await writeRecord(own, bot, db)
    if (bot.isErased) continue
    // Raw segments are no files that people can play.
    const keys = (await store.list(botPrefix(bot.id))).filter((key) => !key.startsWith(recordingPrefix(bot.id)))
    await copyObjects(store, target, keys, ({ size }) => progress.add(1, size))
    await writeTranscripts(own, bot, { db, store })
  }
  await rm(join(folder, '.writing'), { recursive: true })
  say(`Exported ${counted(bots.length, 'bot')}: ${progress.objects()}.`)
}

async function writeRecord(folder: string, bot: Bot, db: Db): Promise<void> {
  const [absences, transcription, made, people, chat, events] = await Promise.all([
    listAbsences(db, bot.id),
    bestTranscription(db, bot.id),
    listArtefacts(db, bot.id, ...KINDS),
    listParticipants(db, bot.id),
    listChat(db, bot.id),
    listParticipantEvents(db, bot.id),
  ])
  const linkTo = (key: string) => ({ url: key.slice(botPrefix(bot.id).length) })
  const { platform, timeline } = bot
  const inMeetingAt = timeline.InMeeting ? new Date(timeline.InMeeting.timestamp) : null
  const files = {
    'bot.json': presentDetail(bot, { queue: null, absences, transcription, made, people }, linkTo),
    'files.json': made.map(({ kind, key, facts }) => ({ ...facts, kind, file: linkTo(key).url })),
    'participants.json': people,
    'chat.json': chat,
    'participant-events.json': presentParticipantEvents({ platform, inMeetingAt, deletionEpoch: 0 }, events),
  }
  for (const [name, content] of Object.entries(files)) await writeJson(join(folder, name), content)
}

/** With the names that people gave to speakers, in every format. The stored files are in media/. */
async function writeTranscripts(folder: string, bot: Bot, { db, store }: Pick<ExportOptions, 'db' | 'store'>): Promise<void> {
  const names = await findSpeakerNames(db, bot.id)
  for (const { id, status } of await listTranscriptions(db, bot.id)) {
    const made = status === 'Success' ? await readTurns(store, transcriptKeys(bot.id, id)) : null
    if (!made) continue
    const turns = renamed(made, names)
    await writeJson(join(folder, `transcript-${id}.json`), turns)
    for (const [ending, { write }] of Object.entries(TEXT_FORMATS))
      await writeFile(join(folder, `transcript-${id}.${ending}`), write(turns), { mode: 0o600 })
  }
}

async function writeJson(file: string, content: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
}
