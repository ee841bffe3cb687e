// Reads what a bot has recorded on this node and is not uploaded yet.
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotId } from '../../../domain/bot.ts'
import { joinManifests, type Manifest, manifestsAmong, tracksOf } from '../../../domain/recording.ts'
import { unless } from '../../../kit/system-errors.ts'
import type { Part } from '../../../storage/bundle.ts'
import { withBotFile } from './bot-file.ts'

/** `text`: the content of a manifest. */
type Grown = { readonly file: string; readonly bytes: number; readonly text?: string }

export type Recorded = {
  readonly botId: BotId
  readonly folder: string
  readonly session: number
  readonly manifest: Manifest
  readonly grown: readonly Grown[]
}

/** Null: nothing is new, or a concurrent upload has removed the folder. */
export async function readRecorded(botId: BotId, folder: string, lengths: ReadonlyMap<string, number>): Promise<Recorded | null> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? []
  const manifests = await Promise.all(
    manifestsAmong(names).map(async (file) => {
      const text = await withBotFile(join(folder, file.name), `/${botId}/${file.name}`, (path) => readFile(path, 'utf8'))
      // A line without its end was cut off, or is being written.
      return text === null ? null : { ...file, text: text.slice(0, text.lastIndexOf('\n') + 1) }
    }),
  )
  const read = manifests.filter((it) => it !== null)
  const own = read.filter(({ origin }) => origin === 'own')
  if (read.length < manifests.length || own.length === 0) return null
  const manifest = joinManifests(read.map(({ text }) => text))
  const segments = tracksOf(manifest).flatMap((track) => track.segments.filter(({ file }) => names.includes(file)))
  // After their segments, so that a reader of a manifest finds them.
  const files: readonly Grown[] = [...segments, ...own.map(({ name, text }) => ({ file: name, bytes: Buffer.byteLength(text), text }))]
  const grown = files.filter(({ file, bytes }) => bytes > (lengths.get(file) ?? 0))
  return grown.length === 0 ? null : { botId, folder, session: Math.max(...own.map(({ session }) => session)), manifest, grown }
}

type Lengths = ReadonlyMap<string, number>

/** The bytes that are not uploaded, as the parts of bundles of at most `mostBytes`. They are read when a bundle is asked for. */
export async function* newBundles(recorded: Recorded, lengths: Lengths, mostBytes: number): AsyncGenerator<readonly Part[], undefined> {
  let parts: Part[] = []
  let room = mostBytes
  for await (const part of newParts(recorded, lengths, () => room)) {
    parts.push(part)
    room -= part.content.length
    if (room > 0) continue
    yield parts
    parts = []
    room = mostBytes
  }
  if (parts.length > 0) yield parts
}

/** A link in place of a file has none. */
async function* newParts({ botId, folder, grown }: Recorded, lengths: Lengths, room: () => number): AsyncGenerator<Part> {
  for (const { file, bytes, text } of grown) {
    let from = lengths.get(file) ?? 0
    while (from < bytes) {
      const most = Math.min(bytes - from, room())
      const content =
        text === undefined ? await readBytes({ botId, folder, file }, from, most) : Buffer.from(text).subarray(from, from + most)
      if (content.length === 0) break
      yield { file, from, content }
      from += content.length
    }
  }
}

type BotFile = { readonly botId: BotId; readonly folder: string; readonly file: string }

async function readBytes({ botId, folder, file }: BotFile, from: number, most: number): Promise<Buffer> {
  const read = await withBotFile(join(folder, file), `/${botId}/${file}`, async (path) => {
    const handle = await open(path)
    try {
      const { buffer: bytes, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, from)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  })
  return read ?? Buffer.alloc(0)
}

/** Only a missing file counts as absent: a recording must not be discarded because of a read error. */
export const unlessMissing = unless('ENOENT')
