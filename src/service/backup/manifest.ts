// The folder of a backup: manifest.json, rows/<table>.copy.gz, objects/ with a list of them, and the secret key if the operator wants it there.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { linesOf } from '../../kit/lines.ts'
import { unless } from '../../kit/system-errors.ts'
import type { ObjectDigest } from '../../storage/copy-objects.ts'
import { knownMigrations } from '../db/migrate.ts'
import type { Sequence, Table } from '../db/transfer/catalogue.ts'
import type { Digest } from '../db/transfer/row-digest.ts'

/** Increased when an older version could not read the folder. */
const FORMAT = 1

export type Manifest = {
  readonly format: number
  /** The version of Emissary that made the backup. */
  readonly emissary: string
  /** The moment of all rows. */
  readonly at: string
  readonly migrations: readonly string[]
  readonly tables: readonly (Table & Digest)[]
  readonly sequences: readonly Sequence[]
  /** Null: the operator backs up the store by other means. */
  readonly objects: ObjectsSummary | null
}

type ObjectsSummary = {
  readonly count: number
  readonly bytes: number
  /** Of objects.jsonl. */
  readonly sha256: string
}

export const OBJECTS = 'objects'
const [ROWS, LIST, SECRET_KEY, MANIFEST] = ['rows', 'objects.jsonl', 'secret.key', 'manifest.json']

export const rowsFolder = (folder: string): string => join(folder, ROWS)
export const rowsFile = (folder: string, { name }: Pick<Table, 'name'>): string => join(rowsFolder(folder), `${name}.copy.gz`)
export const objectsFolder = (folder: string): string => join(folder, OBJECTS)
export const secretKeyFile = (folder: string): string => join(folder, SECRET_KEY)
const listFile = (folder: string): string => join(folder, LIST)
const manifestFile = (folder: string): string => join(folder, MANIFEST)

/** Whether a backup that broke off may have left a file or folder of this name. */
export const isOfUnfinished = (name: string): boolean => [ROWS, OBJECTS, LIST, SECRET_KEY].includes(name)

/** The last step of a backup: without this file it is none. */
export async function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  const text = `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`
  await writeFile(manifestFile(folder), text, { mode: 0o600, flag: 'wx', flush: true })
}

/** Throws a sentence for the operator if this version cannot restore the backup. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestFile(folder), 'utf8').catch(unless('ENOENT', 'ENOTDIR'))
  if (text === undefined) throw new Error(`${folder} has no manifest.json: it is no backup, or one that broke off.`)
  const manifest: Manifest = JSON.parse(text)
  const known = new Set(await knownMigrations())
  const unknown = manifest.format > FORMAT ? [] : manifest.migrations.filter((name) => !known.has(name))
  if (manifest.format > FORMAT || unknown.length > 0) {
    const detail = unknown.length > 0 ? ` It has the migrations ${unknown.join(', ')}.` : ''
    throw new Error(`${folder} was made by Emissary ${manifest.emissary}, which is newer. Restore it with that version.${detail}`)
  }
  return manifest
}

/** Line by line: the list of a few million objects is longer than the longest string. */
export async function writeObjectList(folder: string, objects: readonly ObjectDigest[]): Promise<ObjectsSummary> {
  const hash = createHash('sha256')
  const lines = function* (): Generator<Buffer> {
    for (const object of objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      const line = Buffer.from(`${JSON.stringify(object)}\n`)
      hash.update(line)
      yield line
    }
  }
  const file = createWriteStream(listFile(folder), { mode: 0o600, flags: 'wx', flush: true })
  await pipeline(Readable.from(lines(), { objectMode: false }), file)
  const bytes = objects.reduce((sum, { size }) => sum + size, 0)
  return { count: objects.length, bytes, sha256: hash.digest('hex') }
}

export async function readObjectList(folder: string, { sha256 }: ObjectsSummary): Promise<readonly ObjectDigest[]> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(listFile(folder))) hash.update(chunk)
  if (hash.digest('hex') !== sha256) throw new Error(`${listFile(folder)} is damaged: it is not the list that the backup was made with.`)
  const objects: ObjectDigest[] = []
  for await (const line of linesOf(createReadStream(listFile(folder)))) objects.push(JSON.parse(line))
  return objects
}
