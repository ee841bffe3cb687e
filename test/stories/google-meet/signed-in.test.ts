// A bot that joins Google Meet as somebody: always, or only where guests are not let in.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GoogleAccounts, type Organisation } from '../../../sims/google-accounts/accounts.ts'
import { addWorkspace, type Workspace } from '../../helpers/google-login.ts'
import { MeetStage, pressesOf } from '../../helpers/google-meet.ts'

const LONG = 90_000

const organisations: Record<string, Organisation> = {}
let stage: MeetStage
let always: Workspace
let ifRequired: Workspace
let unknown: Workspace
beforeAll(async () => {
  const accounts = new GoogleAccounts({ organisations })
  stage = await MeetStage.open({ mount: (request, response) => accounts.handle(request, response) })
  always = await workspace('always.example', 'always')
  ifRequired = await workspace('required.example', 'if_required')
  unknown = await workspace('unknown.example', 'always')
  organisations[unknown.domain] = { ...unknown.organisation, users: [] }
})
afterAll(() => stage?.close())

async function workspace(domain: string, login_mode: string): Promise<Workspace> {
  const made = await addWorkspace(stage.service, domain)
  expect((await stage.service.api('PATCH', `/api/v1/google-login-domains/${domain}`, { login_mode })).status).toBe(200)
  organisations[domain] = made.organisation
  return made
}

const sendAs = (code: string, { domain }: Workspace) => stage.send(code, { platformb: { platformb_login_domain: domain } })

describe.concurrent('signed in', () => {
  test('always: by the account’s own name, and nothing is typed', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ join: 'now', accountName: 'Notes of Acme' })
    const id = await sendAs(meeting.code, always)
    await stage.waits(meeting, id)
    expect(meeting.knocks()).toMatchObject([{ name: 'Notes of Acme' }])
    meeting.admit()
    await stage.has(id, 'InMeeting')
    pressesOf(meeting)
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('where it is required: a guest is sent to sign in, and comes back as somebody', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ landing: 'sign_in', join: 'now', knock: 'admitted', accountName: 'Notes of Acme' })
    const id = await sendAs(meeting.code, ifRequired)
    await stage.has(id, 'InMeeting')
    expect(meeting.inside()).toMatchObject([{ name: 'Notes of Acme' }])
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('where it is not required: as a guest', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'admitted' })
    const id = await sendAs(meeting.code, ifRequired)
    await stage.has(id, 'InMeeting')
    expect(meeting.inside()).toMatchObject([{ name: 'Emissary' }])
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('an account that Google does not take: Error, LoginFailed, in Google’s words', { timeout: LONG }, async () => {
    const id = await sendAs(stage.meeting().code, unknown)
    const bot = await stage.has(id, 'Error')
    expect(bot).toMatchObject({ Status: 'Error', ErrorReason: 'LoginFailed' })
    expect(bot.Evidence[0]).toMatchObject({ step: 'knock', message: expect.stringContaining('bot@unknown.example') })
    expect(bot.StatusTimeline).not.toHaveProperty('Leaving')
  })

  test('a meeting that takes the account for a guest: LoginFailed', { timeout: LONG }, async () => {
    const id = await sendAs(stage.meeting({ account: 'guest' }).code, always)
    expect(await stage.has(id, 'Error')).toMatchObject({ Status: 'Error', ErrorReason: 'LoginFailed' })
  })

  test('a meeting that refuses the account, too, is refused once and not for ever', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'refused_meeting', join: 'now' })
    const id = await sendAs(meeting.code, ifRequired)
    expect(await stage.has(id, 'Failed', LONG)).toMatchObject({ Status: 'Failed', ErrorReason: 'MeetingRestricted' })
    expect(meeting.pressed.filter(({ control }) => control === 'join')).toHaveLength(2)
  })
})
