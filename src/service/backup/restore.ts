// emissary restore: fills an empty database and the store from a backup, or only checks that the backup is whole.
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { counted } from '../../domain/counted.ts'
import { copyObjects, digestObject, eachObject, type ObjectDigest } from '../../storage/copy-objects.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import type { ObjectStore } from '../../storage/store.ts'
import type { Connection, Db } from '../db/database.ts'
import type { Table } from '../db/transfer/catalogue.ts'
import { load } from '../db/transfer/load.ts'
import { type Digest, RowDigest } from '../db/transfer/row-digest.ts'
import { type Manifest, objectsFolder, readManifest, readObjectList, rowsFile } from './manifest.ts'
import { Progress, type Say } from './progress.ts'

export type RestoreOptions = {
  readonly connection: Connection
  readonly store: ObjectStore
  /** Runs before the commit. */
  readonly finish: (tx: Db, copiedAt: Date) => Promise<void>
  readonly say: Say
}

/** Objects come first, so that a row never names one that is missing. The commit of the rows is last: until then the restore can be repeated. */
export async function restore(folder: string, { connection, store, finish, say }: RestoreOptions): Promise<void> {
  const manifest = await readManifest(folder)
  await restoreObjects(folder, manifest, { store, say })
  const progress = new Progress()
  const written = new Map(manifest.tables.map((table) => [table.name, table]))
  await load(
    connection,
    { ...manifest, rows: (table) => rowsOf(folder, table), sequences: async () => manifest.sequences },
    {
      finish: (tx) => finish(tx, new Date(manifest.at)),
      onTable(table, digest) {
        expectSame(folder, written.get(table.name), digest)
        progress.add(digest.rows)
      },
    },
  )
  say(`Restored ${progress.rows(manifest.tables.length)}, as of ${manifest.at}.`)
}

async function restoreObjects(folder: string, { objects }: Manifest, { store, say }: Pick<RestoreOptions, 'store' | 'say'>): Promise<void> {
  if (objects === null) return say('This backup has no objects. The service needs the store that it had.')
  const progress = new Progress()
  const copied = new Map<string, ObjectDigest>()
  const written = await readObjectList(folder, objects)
  const keys = written.map(({ key }) => key)
  await copyObjects(await openLocalDisk(objectsFolder(folder)), store, keys, (object) => {
    copied.set(object.key, object)
    progress.add(1, object.size)
  })
  for (const object of written) expectWhole(folder, object, copied.get(object.key) ?? null)
  say(`Restored ${progress.objects()}.`)
}

/** Reads every row and object and compares them with the manifest. Needs no database. */
export async function checkBackup(folder: string, say: Say): Promise<void> {
  const manifest = await readManifest(folder)
  const rows = new Progress()
  for (const table of manifest.tables) {
    const digest = new RowDigest()
    for await (const chunk of rowsOf(folder, table)) digest.add(chunk)
    expectSame(folder, table, digest.result())
    rows.add(table.rows)
  }
  say(`Checked ${rows.rows(manifest.tables.length)}.`)
  const written = manifest.objects ? await readObjectList(folder, manifest.objects) : []
  const store = await openLocalDisk(objectsFolder(folder))
  const checked = new Progress()
  const byKey = new Map(written.map((object) => [object.key, object]))
  await eachObject([...byKey.keys()], async (key) => {
    const found = await digestObject(store, key)
    expectWhole(folder, byKey.get(key), found)
    checked.add(1, found?.size)
  })
  if (manifest.objects) say(`Checked ${checked.objects()}.`)
  say(
    `${folder} is whole: ${counted(manifest.migrations.length, 'migration')}, as of ${manifest.at}, made by Emissary ${manifest.emissary}.`,
  )
}

function rowsOf(folder: string, table: Pick<Table, 'name'>): Readable {
  return Readable.from(readRows(rowsFile(folder, table)))
}

async function* readRows(file: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip()
  // The reader of `unpacked` gets the error.
  pipeline(createReadStream(file), unpacked, () => undefined)
  try {
    yield* unpacked
  } catch (cause) {
    throw new Error(`${file} is damaged or missing.`, { cause })
  }
}

function expectSame(folder: string, table: (Table & Digest) | undefined, { rows, hash }: Digest): void {
  if (table && table.rows === rows && table.hash === hash) return
  throw new Error(`${rowsFile(folder, table ?? { name: '' })} is damaged: it does not have the rows that the backup was made with.`)
}

function expectWhole(folder: string, written: ObjectDigest | undefined, found: ObjectDigest | null): void {
  if (written && found?.sha256 === written.sha256) return
  throw new Error(`${objectsFolder(folder)}/${written?.key} is ${found ? 'damaged' : 'missing'}.`)
}
