// Bots that identify themselves to Microsoft Teams by a registered app, in a tenant that holds detected bots back.
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000
const SOON = 20_000
const TENANT = 'acme.example'

/** The server has the first app, and a workspace may have the other. */
const stage = openForFile(
  () =>
    TeamsStage.open(
      { accounts: [], applications: { 'client-1': 'hush', 'client-2': 'hush hush' } },
      { TEAMS_BOT_TENANT: TENANT, TEAMS_BOT_CLIENT_ID: 'client-1', TEAMS_BOT_CLIENT_SECRET: 'hush' },
    ),
  LONG,
)

const STRICT = { suspectsBots: true, externalBotAccess: 'require_approval', knock: 'admitted' } as const

const setApp = async (teams_bot_client_id: string | null, teams_bot_client_secret: string | null) => {
  const teams_bot_tenant = teams_bot_client_id && TENANT
  const body = { teams_bot_tenant, teams_bot_client_id, teams_bot_client_secret }
  expect((await stage.service.api('PATCH', '/api/v1/settings', body)).status).toBe(200)
}

const WAYS = [{ launcher: 'skipped' }, { launcher: 'shown' }, { experience: 'reload_on_name' }] as const

test.each(WAYS)('is known by its token, and admitted at once, with %j', { timeout: LONG }, async (way) => {
  const meeting = stage.meeting({ ...STRICT, ...way })
  const id = await stage.send(meeting)
  await until('it is inside', () => meeting.inside().length === 1, LONG)
  expect(meeting.inside()).toMatchObject([{ known: true, suspected: false, token: stage.teams.accounts.tokens[0] }])
  expect(stage.teams.accounts.tokens, 'all bots share a token').toHaveLength(1)
  await stage.has(id, 'InMeeting')
  expect((await stage.detail(id)).Evidence).toEqual([])
  await stage.remove(id)
})

test('asks to join without a token where Microsoft refuses the app, says so, and is held as suspected', { timeout: LONG }, async () => {
  await setApp('client-2', 'wrong')
  const meeting = stage.meeting(STRICT)
  const id = await stage.send(meeting)
  await stage.waits(meeting, id)
  const [bot] = meeting.waiting()
  expect(bot).toMatchObject({ known: false, suspected: true, token: null })
  const { Evidence } = await stage.detail(id)
  expect(Evidence).toMatchObject([{ code: 'not_identified', message: expect.stringContaining('as the app client-2: invalid_client') }])
  meeting.admit(bot?.id)
  await stage.has(id, 'InMeeting')
  await stage.remove(id)
  await setApp('client-2', 'hush hush')
  const other = stage.meeting(STRICT)
  await stage.send(other)
  await until('the workspace’s own app is known', () => other.inside()[0]?.known, SOON * 3)
  await setApp(null, null)
})
