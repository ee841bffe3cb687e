// A file is made once: under another name until it is whole, and with a note beside it that says what it was made from.
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/** One finished file, as plain data. `startMs` is session time; what a kind of file does not have is null. */
export type MediaFile = {
  readonly file: string
  readonly contentType: string
  readonly startMs: number
  readonly durationMs: number
  readonly width: number | null
  readonly height: number | null
  readonly fps: number | null
  readonly codec: string
  readonly sampleRate: number | null
  readonly channels: number | null
  readonly bytes: number
}

/** `key` stands for everything the file is made from. */
export type Place = { readonly folder: string; readonly name: string; readonly key: string }

type Note<Facts> = { readonly key: string; readonly bytes: number; readonly facts: Facts }

/**
 * What is known of the file in its place; `make` is asked only where there is none, or one made from something else. Killed at any
 * moment, this leaves either a whole file with its note or something that the next call makes anew.
 */
export async function finished<Facts extends object>(
  { folder, name, key }: Place,
  make: (temporary: string) => Promise<Facts>,
): Promise<Facts & { readonly file: string; readonly bytes: number }> {
  const file = path.join(folder, name)
  const before = await readNote<Facts>(file)
  if (before?.key === key) return { ...before.facts, file, bytes: before.bytes }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The old note first: it must never stand beside a new file.
  await rm(noteOf(file), { force: true })
  const temporary = path.join(folder, `.${name}.part`)
  const facts = await make(temporary)
  const bytes = await settle(temporary, file)
  await writeFileWhole(noteOf(file), JSON.stringify({ key, bytes, facts }))
  return { ...facts, file, bytes }
}

/** Short for a long list of things that determine a result. */
export function keyOf(...things: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(things)).digest('hex').slice(0, 24)
}

export async function writeFileWhole(file: string, content: string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.part`)
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
  await settle(temporary, file)
}

/** On the disk before it has its name: a name without content would survive a power cut. */
async function settle(temporary: string, file: string): Promise<number> {
  const handle = await open(temporary, 'r')
  try {
    await handle.datasync()
    const { size } = await handle.stat()
    await rename(temporary, file)
    return size
  } finally {
    await handle.close()
  }
}

const noteOf = (file: string): string => `${file}.json`

async function readNote<Facts>(file: string): Promise<Note<Facts> | null> {
  try {
    const note = JSON.parse(await readFile(noteOf(file), 'utf8')) as Note<Facts>
    return (await stat(file)).size === note.bytes ? note : null
  } catch {
    return null // No note, a torn one, or no file: then it is made.
  }
}
