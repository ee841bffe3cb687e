// Converts the mixed audio to a requested format once, and stores the result for later requests.
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { BotId } from '../../../domain/bot.ts'
import type { Logger } from '../../../kit/log.ts'
import { contentTypeOf, mediaKey, type ObjectStore } from '../../../storage/store.ts'
import type { Db } from '../../db/database.ts'
import { type Artefact, keepArtefact, listArtefacts } from '../../db/media/recordings.ts'
import { AUDIO_FORMATS, type AudioFormat, convertAudio } from './convert.ts'

type AudioFormatDeps = {
  readonly db: Db
  readonly store: ObjectStore
  readonly log: Logger
  /** Emptied when the service starts. */
  readonly folder: string
  readonly now: () => Date
}

export type AudioFormats = Awaited<ReturnType<typeof openAudioFormats>>

export async function openAudioFormats(deps: AudioFormatDeps) {
  await rm(deps.folder, { recursive: true, force: true })
  const stopping = new AbortController()
  const running = new Map<string, Promise<Artefact | null>>()
  const make = (botId: BotId, original: Artefact, format: AudioFormat) => {
    const name = `${botId}/${format}`
    const known = running.get(name)
    if (known) return known
    const made = makeFormat(deps, { botId, original, format }, stopping.signal).finally(() => running.delete(name))
    // The request may end before the conversion fails, so the error is logged here. The next request tries again.
    made.catch(
      (error: unknown) =>
        stopping.signal.aborted ||
        deps.log.error({ err: error, botId, format }, 'audio conversion failed: the next request for this format tries again'),
    )
    running.set(name, made)
    return made
  }
  return {
    /** Null: the conversion is not ready within `waitMs`, or the bot has no audio. */
    async find(botId: BotId, format: AudioFormat, waitMs: number): Promise<Artefact | null> {
      const made = await listArtefacts(deps.db, botId, 'audio')
      const known = made.find(({ position }) => position === positionOf(format))
      const [original] = made
      if (known || !original) return known ?? null
      return Promise.race([make(botId, original, format), delay(waitMs, null, { ref: false })])
    },
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.allSettled(running.values())
    },
  }
}

/** Position 0 is the mixed audio itself. */
const positionOf = (format: AudioFormat): number => 1 + AUDIO_FORMATS.indexOf(format)

type ConversionRequest = { readonly botId: BotId; readonly original: Artefact; readonly format: AudioFormat }

async function makeFormat(
  deps: AudioFormatDeps,
  { botId, original, format }: ConversionRequest,
  signal: AbortSignal,
): Promise<Artefact | null> {
  const { db, store, now } = deps
  const folder = path.join(deps.folder, botId, format)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const source = path.join(folder, path.basename(original.key))
    const object = await store.get(original.key, { signal })
    if (!object) return null
    await pipeline(object.stream, createWriteStream(source, { mode: 0o600 }), { signal })
    const audio = { file: source, durationMs: Number(original.facts.durationMs), bytes: object.size }
    const { file, ...facts } = await convertAudio({ signal }, audio, format)
    const key = mediaKey(botId, path.basename(file))
    await store.put(key, { file }, { contentType: contentTypeOf(key), signal })
    const artefact: Artefact = { kind: 'audio', position: positionOf(format), key, facts }
    if ((await keepArtefact(db, botId, artefact, now())) !== 'deleted') return artefact
    await store.remove([key])
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
