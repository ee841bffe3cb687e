// The join page of the simulated Google Meet, used by a plain page: it must behave as the field notes say.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Scenario } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, openStreet, presses, type Street } from '../../helpers/meetings/meet-page.ts'
import { until } from '../../helpers/until.ts'

const LOBBY = 'You’ll join the call when someone lets you in'

const street = openForFile(() => openStreet({ mount: signInAtOnce }))

const visit: Street['visit'] = (scenario, query) => street.visit(scenario, query)

/** Signs in without a password: an address with this parameter gets a session cookie. */
function signInAtOnce({ url, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { searchParams } = new URL(url ?? '/', 'https://accounts.google.com')
  const to = searchParams.get('continue')
  if (headers.host !== 'accounts.google.com' || !to?.includes('easy')) return false
  response.writeHead(302, { 'set-cookie': 'SID=session; Domain=.google.com; Path=/; Secure; HttpOnly', location: to }).end()
  return true
}

describe('the simulator before the knock', () => {
  test('has a name field with a label, a jsname or a placeholder, and none for an account', async () => {
    const fields = {
      'aria-label': '[aria-label="Your name"]',
      jsname: '[jsname]:not([aria-label])',
      placeholder: '[placeholder="Your name"]:not([jsname])',
    }
    for (const [nameField, selector] of Object.entries(fields)) {
      const { page } = await visit({ nameField: nameField as Scenario['nameField'] })
      await page.locator(`input[type="text"]${selector}`).fill('Notetaker')
      await page.getByRole('button', { name: 'Ask to join', exact: true, disabled: false }).waitFor()
    }
    const { page } = await visit({ account: 'signed_in', join: 'switch_here' })
    await page.getByRole('button', { name: 'Switch here' }).waitFor()
    expect(await page.locator('input').count()).toBe(0)
  })

  test('turns away the first browsers, or guests, by its cookie, which a new context does not have', async () => {
    const refusal = { name: "You can't join this video call" }
    const { meeting, page } = await visit({ turnsAway: 1 })
    await page.getByRole('heading', refusal).waitFor()
    expect(await page.locator('body').innerText()).not.toContain('unless invited')
    await page.reload()
    await page.getByRole('heading', refusal).waitFor()
    await page.context().clearCookies()
    await page.reload()
    await page.getByRole('textbox', { name: 'Your name' }).waitFor()
    expect(meeting.browsers()).toBe(2)

    const guests = await visit({ turnsAway: 'guests', turnedAwayBy: 'was_problem' })
    await guests.page.getByRole('heading', { name: 'There was a problem connecting' }).waitFor()
    await guests.page.context().addCookies([{ name: 'SID', value: 'session', domain: '.google.com', path: '/', secure: true }])
    await guests.page.reload()
    await guests.page.getByRole('button', { name: 'Ask to join' }).waitFor()
    await guests.page.context().clearCookies()
  })

  test('blocks the page until notices are answered, and has hidden copies of buttons', async () => {
    const { meeting, page } = await visit({
      notices: ['devices', 'sign_in', 'got_it', 'toasts'],
      ghosts: true,
      toggles: 'button',
      loadMs: 300,
    })
    await page.getByText('Continue without microphone and camera').click()
    await page.getByText('Use without an account').click()
    await page.getByRole('button', { name: 'Got it' }).click()
    expect(await page.locator('[aria-label="Your name"]').count()).toBe(3)
    expect(await page.locator('button[data-is-muted="true"]:visible').count()).toBe(2)
    await page.getByRole('button', { name: 'Other ways to join' }).click()
    await page.getByText('Companion mode').filter({ visible: true }).click()
    await until('all presses arrived', () => presses(meeting).length === 5)
    expect(presses(meeting)).toEqual(['without_devices', 'use_without_account', 'got_it', 'other_ways', 'companion'])
  })

  test('uses the account’s language unless it accepts the language of the URL', async () => {
    const { page } = await visit({ language: 'de', joinLabel: 'decorated' }, '')
    await page.getByRole('button', { name: 'Teilnahme erbitten (ohne Kamera)' }).waitFor()
    const heeded = await visit({ language: 'de' }, '?hl=en')
    await heeded.page.getByRole('button', { name: 'Ask to join' }).waitFor()
    const ignored = await visit({ language: 'zh', hl: 'ignored' }, '?hl=en')
    await ignored.page.getByRole('button', { name: '请求加入' }).waitFor()
  })

  test('varies apostrophes, jsnames and notices', async () => {
    const { meeting, page } = await visit({
      apostrophes: 'curly',
      jsnames: 'rotating',
      notices: ['dismiss'],
      landing: 'prejoin',
      join: 'anyway',
    })
    await page.getByRole('heading', { name: 'What’s your name?' }).waitFor()
    expect(await page.locator('[jsname="Qx7uuf"]').count()).toBe(0)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Present', exact: true }).click()
    await until('both are known', () => presses(meeting).join() === 'dismiss,present')
    const walled = await visit({ captcha: 'at_the_door' })
    await walled.page.locator('iframe[src*="recaptcha"]').filter({ visible: true }).waitFor()
  })

  test('asks a page with a session neither to sign in nor for a name', async () => {
    const { page } = await visit({ landing: 'sign_in', join: 'now', accountName: 'Robo' }, '?easy=1')
    await page.getByRole('button', { name: 'Join now' }).waitFor()
    expect(await page.locator('main').innerText()).toContain('Robo')
    expect(await page.locator('input').count()).toBe(0)
    await page.context().clearCookies()
  })

  test('has other class names in every load', async () => {
    const { page } = await visit({ classes: 'rotating' })
    const classes = () => page.locator('[jsname="Qx7uuf"]').getAttribute('class')
    const before = await classes()
    await page.reload()
    expect(await classes()).not.toBe(before)
  })

  test.each([
    ['check_code', 'Check your meeting code'],
    ['has_ended', 'This meeting has ended'],
    ['sign_in_page', 'Sign in'],
    ['sign_in', 'Sign in'],
    ['marketing', 'Video calls and meetings for everyone'],
  ] as const)('shows the screen %s for a link', async (landing, says) => {
    const { page } = await visit({ landing })
    await page.getByRole('heading', { name: says }).waitFor()
    const hosts = { sign_in: 'accounts.google.com', marketing: 'workspace.google.com' }
    expect(new URL(page.url()).hostname).toBe(landing in hosts ? hosts[landing as keyof typeof hosts] : 'meet.google.com')
  })

  test('adds a hidden frame to every join, and a visible one only with a captcha', async () => {
    const frame = 'iframe[src*="recaptcha"]'
    const { page } = await visit()
    await page.locator(frame).waitFor({ state: 'attached' })
    expect(await page.locator(frame).isVisible()).toBe(false)
    const walled = await visit({ captcha: 'after_the_knock' })
    await askToJoin(walled.page)
    expect(await walled.page.locator(frame).filter({ visible: true }).boundingBox()).toMatchObject({ width: expect.closeTo(308, -1) })
  })
})

describe('the simulator after the knock', () => {
  test('moves from waiting for the host to the lobby, and shows the ending', async () => {
    const { meeting, page } = await visit({ knock: 'host_absent', lobby: 'asking' })
    await askToJoin(page)
    await page.getByText('Waiting for the host to join').waitFor()
    meeting.hostArrives()
    await page.getByText('Asking to be let in...').waitFor()
    meeting.everyoneLeft()
    await page.getByRole('heading', { name: 'The call ended because everyone left' }).waitFor()
  })

  test('keeps the lobby text after a denial', async () => {
    const { meeting, page } = await visit({ lobbyLingers: true, denied: 'request_denied', knockMs: 0, idlePromptMs: 0 })
    await askToJoin(page)
    await page.getByRole('button', { name: 'Keep waiting' }).click()
    meeting.deny()
    await page.getByRole('heading', { name: 'Your request to join was denied' }).waitFor()
    expect(await page.locator('body').innerText()).toContain(LOBBY)
    expect(meeting.knocks()).toEqual([])
  })

  test('redirects to the marketing page after a countdown when it refuses', async () => {
    const { page } = await visit({ knock: 'refused', countdownSeconds: 2 })
    await askToJoin(page)
    await page.getByRole('heading', { name: "You can't join this video call" }).waitFor()
    await page.getByText('Returning to home screen in').waitFor()
    await page.waitForURL('https://workspace.google.com/products/meet/')
  })

  test.each([
    [{ knock: 'rate_limited' }, 'There is a problem connecting to this video call'],
    [{ noResponseMs: 200 }, 'No one responded to your request to join the call'],
    [{ knock: 'blank' }, ''],
    [{ knock: 'sign_in' }, 'Sign in'],
    [{ knock: 'host_absent' }, 'Waiting for the host to join'],
  ] as const)('answers %o with "%s"', async (scenario, says) => {
    const { page } = await visit(scenario)
    await askToJoin(page)
    await until(`it says ${says || 'nothing'}`, async () => {
      const text = await page.locator('body').innerText()
      return says === '' ? text === '' : text.includes(says)
    })
  })
})

test('lets the page connect to this machine by its policy, unless it is strict', async () => {
  const blocked = `new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', () => resolve(true))
    const socket = new WebSocket('ws://localhost:9')
    socket.onerror = () => setTimeout(resolve, 100, false)
  })`
  expect(await (await visit()).page.evaluate(blocked)).toBe(false)
  expect(await (await visit({ policy: 'strict' })).page.evaluate(blocked)).toBe(true)
})

test('blocks injected scripts by its policy', async () => {
  const { page } = await visit()
  const refused = await page.evaluate(`(() => {
    try { document.body.insertAdjacentHTML('beforeend', '<b>injected</b>') } catch (error) { return error instanceof TypeError }
  })()`)
  expect(refused).toBe(true)
})
