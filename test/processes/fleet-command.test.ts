// emissary fleet, beside a running service and without one.
import { expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { folderForFile } from '../helpers/for-file.ts'
import { runEmissary } from '../helpers/service/emissary-command.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { NO_DRIVER } from '../helpers/service/service.ts'
import { startServiceProcess } from '../helpers/service/service-process.ts'
import { until } from '../helpers/until.ts'

const directory = folderForFile('emissary-fleet-')
const service = serviceForFile()

const emissary = (args: readonly string[], settings: Record<string, string>) => runEmissary(args, { DATA_DIR: directory, ...settings })

test('shows the nodes and the queue of a running fleet', async () => {
  await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  const settings = { DATABASE_URL: service.databaseUrl }
  // The node writes its row a moment after it listens.
  const nodes = () => service.db.selectFrom('nodes').select('id').execute()
  const [node] = await until('the node is in the database', async () => ((await nodes()).length === 1 ? nodes() : null))
  const shown = await emissary(['fleet'], settings)
  expect([shown.status, shown.err]).toEqual([0, ''])
  expect(shown.out).toMatch(new RegExp(`^${node?.id} +${service.url} +${packageFile.version.replaceAll('.', '\\.')} `, 'm'))
  expect(shown.out).toContain('1 node, 0 seats, 0 free\n1 bot waiting for a seat')
  const { out } = await emissary(['fleet', '--json'], settings)
  expect(JSON.parse(out)).toMatchObject({ queue: { count: 1 }, workspaces: [{ name: 'default', waiting: 1 }] })
})

test('says in a sentence that no database can be reached', async () => {
  const none = await emissary(['fleet'], {})
  expect(none.status).toBe(1)
  expect(none.err).toContain(`No database runs in ${directory}. Start the service, or set DATABASE_URL`)
  const closed = await emissary(['fleet'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
  expect([closed.status, closed.err]).toEqual([1, expect.stringContaining('The database cannot be reached')])
})

test('reads the embedded database while the service uses it', async () => {
  const running = await startServiceProcess({ DATA_DIR: directory })
  const shown = await emissary(['fleet'], {})
  expect([shown.status, shown.err]).toEqual([0, ''])
  expect(shown.out).toContain('NODE')
  expect(await running.stop()).toBe(0)
}, 60_000)
