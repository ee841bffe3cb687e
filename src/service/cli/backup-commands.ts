// The commands that copy everything: emissary backup, restore, move and export.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defineCommand } from 'citty'
import packageFile from '../../../package.json' with { type: 'json' }
import { unless } from '../../kit/system-errors.ts'
import { tariffOf } from '../accounts/credits.ts'
import { openVault } from '../accounts/open-vault.ts'
import { findSecretKey, keepSecretKey } from '../accounts/secret-key.ts'
import { backUp } from '../backup/backup.ts'
import { exportWorkspace } from '../backup/export.ts'
import { secretKeyFile } from '../backup/manifest.ts'
import { move as moveAll } from '../backup/move.ts'
import { checkBackup, restore as restoreAll } from '../backup/restore.ts'
import { settleBots } from '../backup/settle-bots.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { DatabaseNotEmpty } from '../db/transfer/load.ts'
import { withSession } from '../db/transfer/session.ts'
import { connectionTo } from '../open-database.ts'
import { openNamedBucket, openObjectStore } from '../open-objects.ts'
import { postgresUrl } from '../setting-readers.ts'
import { withWholeDatabase } from './database.ts'
import { namedWorkspace } from './named-workspace.ts'
import { failOnError, failWith, say } from './terminal.ts'

const KEEP_KEY =
  'Keep SECRET_KEY, or the file secret.key in DATA_DIR, at another place: without it logins, calendars and webhook secrets cannot be read.'

export const backup = defineCommand({
  meta: { name: 'backup', description: 'Write the database and all objects into a new folder, also beside a running service.' },
  args: {
    folder: { type: 'positional', required: true, description: 'A new folder.' },
    'with-secret-key': {
      type: 'boolean',
      default: false,
      description: 'Also write the key that encrypts secrets. Then keep the folder as safe as the key.',
    },
    'rows-only': { type: 'boolean', default: false, description: 'Without objects, for a bucket that is backed up by other means.' },
  },
  run: ({ args }) =>
    withWholeDatabase('shared', async (connection, config) => {
      const secretKey = args['with-secret-key'] ? await knownKey(config) : null
      const store = args['rows-only'] ? null : await openObjectStore(config, () => undefined)
      await backUp(resolve(args.folder), { connection, store, version: packageFile.version, secretKey, say })
      say(`The backup in ${args.folder} is complete.`)
      if (secretKey === null) say(KEEP_KEY)
    }),
})

async function knownKey({ SECRET_KEY, DATA_DIR }: Config): Promise<string> {
  const secretKey = SECRET_KEY ?? (await findSecretKey(DATA_DIR))
  if (secretKey === null)
    throw new Error(`--with-secret-key: there is no secret.key in ${DATA_DIR}. Set SECRET_KEY or DATA_DIR as the service has it.`)
  return secretKey
}

export const restore = defineCommand({
  meta: { name: 'restore', description: 'Fill an empty database and the object store from a backup.' },
  args: {
    folder: { type: 'positional', required: true, description: 'The folder of the backup.' },
    check: { type: 'boolean', default: false, description: 'Only read the backup and compare it with its manifest.' },
  },
  run: ({ args }) => {
    const folder = resolve(args.folder)
    if (args.check) return failOnError(() => checkBackup(folder, say))
    return withWholeDatabase('new', async (connection, config) => {
      const key = await readFile(secretKeyFile(folder), 'utf8').catch(unless('ENOENT'))
      if (key !== undefined && !config.SECRET_KEY) await keepSecretKey(config.DATA_DIR, key.trim())
      const store = await openObjectStore(config, () => undefined)
      await restoreAll(folder, { connection, store, finish: takeOver(config), say }).catch(nameOption('DATABASE_URL or DATA_DIR'))
      if (!(await hasKey(config)))
        say(`The backup has no secret key. Put the earlier secret.key into ${config.DATA_DIR}, or set SECRET_KEY, before the start.`)
      say('Restored. Start the service.')
    })
  },
})

export const move = defineCommand({
  meta: { name: 'move', description: 'Copy a stopped service to another database or bucket, and compare every row and object.' },
  args: {
    to: { type: 'string', description: 'URL of an empty PostgreSQL database.' },
    bucket: { type: 'string', description: 'Name of an S3 bucket, with S3_ENDPOINT, S3_REGION and keys from the settings.' },
  },
  run: ({ args: { to, bucket } }) => {
    if (!to && !bucket) return failWith('Name the new place by --to, --bucket or both.')
    return withWholeDatabase('own', async (connection, config) => {
      const target = to ? await connectionTo(urlIn(to), config) : null
      const places = { connection: target, store: bucket ? await openNamedBucket(config, bucket) : null }
      const from = { connection, store: await openObjectStore(config, () => undefined) }
      await moveAll({ from, to: places, finish: takeOver(config), say }).catch(nameOption('--to'))
      const settings = [...(to ? ['DATABASE_URL'] : []), ...(bucket ? [`S3_BUCKET=${bucket}`] : [])]
      say(`Moved. Set ${settings.join(' and ')}, keep SECRET_KEY or secret.key, and start the service. The old place is as it was.`)
    })
  },
})

export const exportCommand = defineCommand({
  meta: {
    name: 'export',
    description: 'Write what a workspace has into a new folder, for its people: JSON, transcripts and media, without secrets.',
  },
  args: {
    workspace: { type: 'positional', required: true, description: 'Name or id of the workspace.' },
    folder: { type: 'positional', required: true, description: 'A new folder.' },
  },
  run: ({ args }) =>
    withWholeDatabase('shared', (connection, config) =>
      withSession(connection, async ({ db }) => {
        const { id } = await namedWorkspace(db, args.workspace)
        await exportWorkspace(resolve(args.folder), id, { db, store: await openObjectStore(config, () => undefined), say })
      }),
    ),
})

/** Throws before the commit if the key of this place is not that of the rows. */
const takeOver =
  (config: Config) =>
  async (tx: Db, copiedAt: Date): Promise<void> => {
    const now = new Date()
    if (await hasKey(config)) await openVault({ db: tx, given: config.SECRET_KEY, folder: config.DATA_DIR, now: () => now })
    await settleBots(tx, { tariff: tariffOf(config), copiedAt, now, seatWaitSeconds: config.SEAT_WAIT_SECONDS })
  }

async function hasKey({ SECRET_KEY, DATA_DIR }: Config): Promise<boolean> {
  return SECRET_KEY !== undefined || (await findSecretKey(DATA_DIR)) !== null
}

function urlIn(text: string): string {
  try {
    return postgresUrl(text) ?? ''
  } catch (cause) {
    throw new Error(`--to ${(cause as Error).message}.`, { cause })
  }
}

const nameOption =
  (option: string) =>
  (error: unknown): never => {
    if (error instanceof DatabaseNotEmpty) throw new Error(`${option}: ${error.message} Name a new one.`, { cause: error })
    throw error
  }
