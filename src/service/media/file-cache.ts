// Makes each output file once: under a temporary name until it is complete, with a sidecar beside it that names its inputs.
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/** `startMs` is session time. Fields that do not apply to a kind of file are null. */
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

/** `key` is a hash of everything the file is made from. */
export type CacheEntry = { readonly folder: string; readonly name: string; readonly key: string }

type Sidecar<Facts> = { readonly key: string; readonly bytes: number; readonly facts: Facts }

/**
 * Returns the facts of the file, and calls `make` only where the file is missing or has another key. A kill at any moment leaves either
 * a complete file with its sidecar, or a state in which the next call makes the file again.
 */
export async function makeOnce<Facts extends object>(
  { folder, name, key }: CacheEntry,
  make: (temporary: string) => Promise<Facts>,
): Promise<Facts & { readonly file: string; readonly bytes: number }> {
  const file = path.join(folder, name)
  const before = await readSidecar<Facts>(file)
  if (before?.key === key) return { ...before.facts, file, bytes: before.bytes }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The old sidecar is removed first, so that it never describes a new file.
  await rm(sidecarOf(file), { force: true })
  const temporary = path.join(folder, `.${name}.part`)
  const facts = await make(temporary)
  const bytes = await syncAndRename(temporary, file)
  await writeFileAtomically(sidecarOf(file), JSON.stringify({ key, bytes, facts }))
  return { ...facts, file, bytes }
}

/** A hash of all inputs that determine a result. */
export function cacheKey(...things: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(things)).digest('hex').slice(0, 24)
}

export async function writeFileAtomically(file: string, content: string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.part`)
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
  await syncAndRename(temporary, file)
}

/** Syncs the content before the rename: otherwise a power cut could leave a name without content. */
async function syncAndRename(temporary: string, file: string): Promise<number> {
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

const sidecarOf = (file: string): string => `${file}.json`

async function readSidecar<Facts>(file: string): Promise<Sidecar<Facts> | null> {
  try {
    const sidecar = JSON.parse(await readFile(sidecarOf(file), 'utf8')) as Sidecar<Facts>
    return (await stat(file)).size === sidecar.bytes ? sidecar : null
  } catch {
    return null // The sidecar or the file is missing or incomplete, so the file is made again.
  }
}
