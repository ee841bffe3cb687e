import { expect, test } from 'vitest'
import { databaseForFile } from '../../../test/helpers/service/for-file.ts'
import type { WorkspaceId } from '../../domain/bot.ts'
import { insertWorkspace } from '../db/accounts/accounts.ts'
import { namedWorkspace } from './named-workspace.ts'

const database = databaseForFile()

async function workspace(id: string, name: string): Promise<void> {
  await insertWorkspace(database.db, { id: id as WorkspaceId, name, at: new Date() })
}

test('finds a workspace by its name', async () => {
  await workspace('wsp_bolt', 'Bolt')
  expect(await namedWorkspace(database.db, 'Bolt')).toMatchObject({ id: 'wsp_bolt' })
})

test('prefers an id to an older workspace that is named like it', async () => {
  await workspace('wsp_impostor', 'wsp_customer')
  await workspace('wsp_customer', 'Customer')
  expect(await namedWorkspace(database.db, 'wsp_customer')).toMatchObject({ id: 'wsp_customer' })
})

test('refuses a name that several workspaces have, with their ids', async () => {
  await workspace('wsp_acme1', 'Acme')
  await workspace('wsp_acme2', 'Acme')
  await expect(namedWorkspace(database.db, 'Acme')).rejects.toThrow(
    '2 workspaces are named Acme. Name one by its id: wsp_acme1, wsp_acme2.',
  )
})

test('refuses a name that no workspace has', async () => {
  await expect(namedWorkspace(database.db, 'nobody')).rejects.toThrow('There is no workspace nobody.')
})
