// The audio in the format that somebody asks for: made the first time, kept for the next.
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import type { Logger } from '../../kit/log.ts'
import { contentTypeOf, mediaKey, type ObjectStore } from '../../storage/store.ts'
import type { Db } from '../db/database.ts'
import { type Artefact, keepArtefact, listArtefacts } from '../db/recordings.ts'
import { AUDIO_FORMATS, type AudioFormat, convertAudio } from './convert.ts'

type AudioFormatDeps = {
  readonly db: Db
  readonly store: ObjectStore
  readonly log: Logger
  /** Nothing in it outlives the service. */
  readonly folder: string
  readonly threads: number
  readonly now: () => Date
}

export type AudioFormats = {
  /** Null: it is being made, or the bot has no audio. */
  find(botId: BotId, format: AudioFormat, waitMs: number): Promise<Artefact | null>
  stop(): Promise<void>
}

export async function openAudioFormats(deps: AudioFormatDeps): Promise<AudioFormats> {
  await rm(deps.folder, { recursive: true, force: true })
  const stopping = new AbortController()
  const running = new Map<string, Promise<Artefact | null>>()
  const make = (botId: BotId, original: Artefact, format: AudioFormat) => {
    const name = `${botId}/${format}`
    const known = running.get(name)
    if (known) return known
    const made = makeFormat(deps, { botId, original, format }, stopping.signal).finally(() => running.delete(name))
    // Whoever asked may not wait for it; asked again it is tried again.
    made.catch((error: unknown) => stopping.signal.aborted || deps.log.error({ err: error, botId, format }, 'audio could not be converted'))
    running.set(name, made)
    return made
  }
  return {
    async find(botId, format, waitMs) {
      const made = await listArtefacts(deps.db, botId, 'audio')
      const known = made.find(({ position }) => position === positionOf(format))
      const [original] = made
      if (known || !original) return known ?? null
      return Promise.race([make(botId, original, format), later(waitMs)])
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(running.values())
    },
  }
}

/** The mixed audio itself is the first of its kind. */
const positionOf = (format: AudioFormat): number => 1 + AUDIO_FORMATS.indexOf(format)

type Wish = { readonly botId: BotId; readonly original: Artefact; readonly format: AudioFormat }

async function makeFormat(deps: AudioFormatDeps, { botId, original, format }: Wish, signal: AbortSignal): Promise<Artefact | null> {
  const { db, store, threads, now } = deps
  const folder = path.join(deps.folder, botId, format)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const source = path.join(folder, path.basename(original.key))
    const object = await store.get(original.key, { signal })
    if (!object) return null
    await pipeline(object.stream, createWriteStream(source, { mode: 0o600 }), { signal })
    const audio = { file: source, durationMs: Number(original.facts.durationMs), bytes: object.size }
    const { file, ...facts } = await convertAudio({ threads, signal }, audio, format)
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

function later(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
}
