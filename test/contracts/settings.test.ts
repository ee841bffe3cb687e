// PATCH /settings with the apps of two platforms.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'

const service = serviceForFile()
const NOTHING = { zoom_sdk_key: null, teams_bot_client_id: null }
const ZOOM = { zoom_sdk_key: 'key', zoom_sdk_secret: 'secret' }
const TEAMS = { teams_bot_tenant: 'acme.example', teams_bot_client_id: 'client', teams_bot_client_secret: 'secret' }

test('sets none of two apps if one of them cannot be written', async () => {
  await sql`alter table workspaces add constraint test_no_teams check (teams_bot_tenant is null)`.execute(service.db)
  expect((await service.api('PATCH', '/api/v1/settings', { ...ZOOM, ...TEAMS })).status).toBe(500)
  expect((await service.api('GET', '/api/v1/settings')).body).toMatchObject(NOTHING)
  await sql`alter table workspaces drop constraint test_no_teams`.execute(service.db)
  const { status, body } = await service.api('PATCH', '/api/v1/settings', { ...ZOOM, ...TEAMS })
  expect([status, body]).toMatchObject([200, { zoom_sdk_key: 'key', teams_bot_client_id: 'client' }])
})
