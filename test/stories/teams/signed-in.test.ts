// Signed-in bots of a whole service in Microsoft Teams, and the statuses of bots that are refused.
import { beforeAll, expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 150_000
const DOMAIN = 'acme.example'

const stage = openForFile(
  () => TeamsStage.open({ accounts: [{ email: 'bot@acme.example', password: 'Secret-1', name: 'Acme Bot' }] }),
  LONG,
)
beforeAll(async () => {
  const add = (path: string, body: object) => stage.service.api('POST', `/api/v1/${path}`, body)
  expect((await add('teams-login-domains', { domain: DOMAIN, login_mode: 'if_required' })).status).toBe(201)
  expect((await add('teams-logins', { domain: DOMAIN, email: 'bot@acme.example', password: 'Secret-1' })).status).toBe(201)
  expect((await add('teams-logins', { domain: DOMAIN, email: 'old@acme.example', password: 'Secret-1' })).status).toBe(201)
}, LONG)

const loginOf = async (address: string) => {
  const { logins } = (await stage.service.api('GET', '/api/v1/teams-logins')).body
  return logins.find(({ email }: { email: string }) => email === address)
}

const account = (sign_in_email: string, login_required: boolean) => ({
  platformc: { platformc_login_domain: DOMAIN, sign_in_email, strict_email: true, login_required },
})

test('joins with the account under login_required, and reserves the account meanwhile', { timeout: LONG }, async () => {
  const meeting = stage.meeting()
  const id = await stage.send(meeting, account('bot@acme.example', true))
  await stage.waits(meeting, id)
  expect(meeting.waiting()).toMatchObject([{ name: 'Acme Bot' }])
  expect(await loginOf('bot@acme.example')).toMatchObject({ lease_status: 'in_use', active_sessions: 1 })
  const again = { meeting_link: meeting.url, ...account('bot@acme.example', true) }
  expect((await stage.service.api('POST', '/api/v1/bots/create_bot', again)).status).toBe(409)
  meeting.admit()
  await stage.has(id, 'InMeeting')
  await until('the meeting has it', () => meeting.inside().length === 1, 20_000)
  await stage.remove(id)
  await stage.has(id, 'Stopped')
  expect(await loginOf('bot@acme.example')).toMatchObject({ active_sessions: 0, is_active: true, last_login_error: null })
})

test('joins as a guest without login_required until the page requires an account', { timeout: LONG }, async () => {
  const [open, closed] = [stage.meeting(), stage.meeting({ landing: 'verify_info' })]
  const guest = await stage.send(open, account('bot@acme.example', false))
  await stage.waits(open, guest)
  expect(open.waiting()).toMatchObject([{ name: 'Emissary' }])
  await stage.remove(guest)
  await stage.has(guest, 'Stopped')
  const member = await stage.send(closed, account('bot@acme.example', false))
  await stage.waits(closed, member)
  expect(closed.waiting()).toMatchObject([{ name: 'Acme Bot' }])
  await stage.remove(member)
  await stage.has(member, 'Stopped')
})

test('disables an account that Microsoft refuses, with the reason, and ends the bot as Error', {
  timeout: LONG,
}, async () => {
  const meeting = stage.meeting()
  const id = await stage.send(meeting, account('old@acme.example', true))
  const bot = await stage.has(id, 'Done')
  expect(bot).toMatchObject({ Status: 'Done', ErrorReason: 'LoginFailed' })
  expect(Object.keys(bot.StatusTimeline).toSorted()).toEqual(['Done', 'Error', 'Joining', 'MediaProcessing'])
  const login = await loginOf('old@acme.example')
  expect(login).toMatchObject({ is_active: false, last_login_error: expect.stringContaining('does not know the address') })
  const again = { meeting_link: meeting.url, ...account('old@acme.example', true) }
  expect((await stage.service.api('POST', '/api/v1/bots/create_bot', again)).status).toBe(409)
  await stage.service.api('PATCH', `/api/v1/teams-logins/${login.login_id}`, { is_active: true })
  expect(await loginOf('old@acme.example')).toMatchObject({ is_active: true, last_login_error: null })
})

test('reports Failed at once for a refusal before the lobby, and after Leaving for one in the lobby', { timeout: LONG }, async () => {
  const [walled, ending] = [stage.meeting({ landing: 'org_policy' }), stage.meeting()]
  const [first, second] = [await stage.send(walled), await stage.send(ending)]
  const blocked = await stage.has(first, 'Failed')
  expect(blocked).toMatchObject({ Status: 'Failed', ErrorReason: 'SignInRequired' })
  expect(Object.keys(blocked.StatusTimeline).toSorted()).toEqual(['Failed', 'Joining'])
  expect(blocked.Evidence[0]).toMatchObject({ step: 'knock', page_text: expect.stringContaining('org policy') })
  const events = await stage.receivedEvents(first)
  expect(events.map((it) => `${it.bot_event} ${it.bot_status}`)).toEqual(['bot.joining Joining', 'bot.failed Failed', 'bot.done Failed'])
  await stage.waits(ending, second)
  ending.end()
  const ended = await stage.has(second, 'Failed')
  expect(ended).toMatchObject({ Status: 'Failed', ErrorReason: 'MeetingEnded' })
  expect(Object.keys(ended.StatusTimeline).toSorted()).toEqual(['Failed', 'InWaitingRoom', 'Joining', 'Leaving'])
})
