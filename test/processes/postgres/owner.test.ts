// The user of a new database where the service is root.
import { chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ask, cleanUp, newFolder, start } from '../../helpers/service/embedded-postgres.ts'

/** Every Debian has it. */
const DAEMON = { uid: 1, gid: 1 }

afterEach(cleanUp)

test('is the owner of a data folder that is closed to all others', async () => {
  if (process.getuid?.() !== 0) return
  const data = await newFolder('data')
  await mkdir(data, { mode: 0o700 })
  await chown(data, DAEMON.uid, DAEMON.gid)
  const { connection } = await start(join(data, 'postgres'))
  expect(await ask(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(await stat(join(data, 'postgres', 'cluster'))).toMatchObject(DAEMON)
})
