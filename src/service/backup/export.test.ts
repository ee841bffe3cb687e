import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseForFile, fleetForFile } from '../../../test/helpers/service/for-file.ts'
import type { ConnectionId } from '../../domain/bot.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { firstUser } from '../db/accounts/accounts.ts'
import { upsertConnection } from '../db/calendar/connections.ts'
import { exportWorkspace } from './export.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)

test('hides the secrets in the bot_config of a calendar', async () => {
  const { db } = database
  const { workspaceId } = fleet
  const botConfig = {
    bot_name: 'Notes',
    zoom: { zak_url: 'https://tokens.example/zak' },
    recording_config: { transcript: { provider: { deepgram: { api_key: 'dg-1' } } } },
  }
  const userId = await firstUser(db, workspaceId)
  if (!userId) throw new Error('The workspace has no user')
  const account = { id: 'cal_1' as ConnectionId, provider: 'google', email: 'ann@example.com', secret: Buffer.from('sealed') } as const
  await upsertConnection(db, { ...account, workspaceId, userId, botConfig }, new Date())
  const folder = await mkdtemp(join(tmpdir(), 'emissary-export-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [objects, mine] = [join(folder, 'objects'), join(folder, 'mine')]

  await exportWorkspace(mine, workspaceId, { db, store: await openLocalDisk(objects), say: () => undefined })

  const { calendars } = JSON.parse(await readFile(join(mine, 'workspace.json'), 'utf8'))
  expect(calendars).toMatchObject([
    {
      bot_config: {
        bot_name: 'Notes',
        zoom: { zak_url: '[hidden]' },
        recording_config: { transcript: { provider: { deepgram: { api_key: '[hidden]' } } } },
      },
    },
  ])
})
