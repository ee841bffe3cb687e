// Bots that join Google Meet with an account: always, or only if guests are refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GoogleAccounts, type Organisation } from '../../../sims/google-accounts/accounts.ts'
import type { Meeting } from '../../../sims/google-meet/meet.ts'
import { addWorkspace, type Workspace } from '../../helpers/meetings/google-login.ts'
import { MeetStage, pressesOf } from '../../helpers/meetings/google-meet.ts'

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

const sendAs = (meeting: Meeting, { domain }: Workspace) => stage.send(meeting, { platformb: { platformb_login_domain: domain } })

describe.concurrent('a bot with an account', () => {
  test('joins under the account’s name without typing one when it always signs in', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ join: 'now', accountName: 'Notes of Acme' })
    const id = await sendAs(meeting, always)
    await stage.waits(meeting, id)
    expect(meeting.knocks()).toMatchObject([{ name: 'Notes of Acme' }])
    meeting.admit()
    await stage.has(id, 'InMeeting')
    pressesOf(meeting)
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('signs in when the meeting refuses guests', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ landing: 'sign_in', join: 'now', knock: 'admitted', accountName: 'Notes of Acme' })
    const id = await sendAs(meeting, ifRequired)
    await stage.has(id, 'InMeeting')
    expect(meeting.inside()).toMatchObject([{ name: 'Notes of Acme' }])
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('signs in in a fresh browser after two refusals, each of which is in the evidence', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ turnsAway: 'guests', join: 'now', knock: 'admitted', accountName: 'Notes of Acme' })
    const id = await sendAs(meeting, ifRequired)
    const bot = await stage.has(id, 'InMeeting', LONG)
    expect(meeting.inside()).toMatchObject([{ name: 'Notes of Acme' }])
    expect(meeting.browsers()).toBe(3)
    const tryIn = (where: string) => ({
      step: 'knock',
      message: expect.stringContaining(`You can't join this video call / Return to home screen”. The bot tries again in ${where}`),
      page_text: expect.stringContaining("You can't join this video call"),
      screenshot: expect.any(String),
    })
    expect(bot.Evidence).toMatchObject([tryIn('a fresh browser context'), tryIn('a fresh browser')])
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('keeps the sign-in of an account in each further browser', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ turnsAway: 2, join: 'now', knock: 'admitted', accountName: 'Notes of Acme' })
    const id = await sendAs(meeting, always)
    expect(await stage.has(id, 'InMeeting', LONG)).toMatchObject({ Evidence: [{ step: 'knock' }, { step: 'knock' }] })
    expect(meeting.inside()).toMatchObject([{ name: 'Notes of Acme' }])
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('joins as a guest when no account is required', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'admitted' })
    const id = await sendAs(meeting, ifRequired)
    await stage.has(id, 'InMeeting')
    expect(meeting.inside()).toMatchObject([{ name: 'Emissary' }])
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('ends as Error with LoginFailed and Google’s message when Google refuses the account', { timeout: LONG }, async () => {
    const id = await sendAs(stage.meeting(), unknown)
    const bot = await stage.has(id, 'Error')
    expect(bot).toMatchObject({ Status: 'Error', ErrorReason: 'LoginFailed' })
    expect(bot.Evidence[0]).toMatchObject({ step: 'knock', message: expect.stringContaining('bot@unknown.example') })
    expect(bot.StatusTimeline).not.toHaveProperty('Leaving')
  })

  test('ends with LoginFailed when the meeting treats the account as a guest', { timeout: LONG }, async () => {
    const id = await sendAs(stage.meeting({ account: 'guest' }), always)
    expect(await stage.has(id, 'Error')).toMatchObject({ Status: 'Error', ErrorReason: 'LoginFailed' })
  })

  test('tries an account that the meeting refuses only once', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'refused_meeting', join: 'now' })
    const id = await sendAs(meeting, ifRequired)
    expect(await stage.has(id, 'Failed', LONG)).toMatchObject({ Status: 'Failed', ErrorReason: 'MeetingRestricted' })
    expect(meeting.pressed.filter(({ control }) => control === 'join')).toHaveLength(2)
  })
})
