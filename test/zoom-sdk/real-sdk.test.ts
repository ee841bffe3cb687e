// The real Web Meeting SDK, booted offline against the simulated servers as far as it goes without Zoom, and the double beside it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { LANGUAGE_FILES, WORDS } from '../../sims/zoom/site/words.ts'
import { launchBrowser } from '../../src/bot/drivers/browser.ts'
import { openUnderPolicy } from '../helpers/meetings/zoom-bot-page.ts'
import { eventually, happenings, happens, openZoom, type ZoomBrowser } from '../helpers/meetings/zoom-sdk-page.ts'

const FOLDER = process.env.ZOOM_SDK_FOLDER ?? ''
/** The fields of `wc/info` in the field notes. */
const FIELDS = [
  ...['meetingNumber', 'userName', 'passWord', 'signature', 'signatureType', 'apiKey', 'lang', 'userEmail', 'cv', 'proxy'],
  ...['sdkOrigin', 'sdkUrl', 'tk', 'ztk', 'captcha', 'captchaName', 'suid', 'obfToken', 'customerKey'],
]

let real: ZoomBrowser
let double: ZoomBrowser

beforeAll(async () => {
  await readFile(join(FOLDER, 'package.json')).catch((cause: unknown) => {
    throw new Error('Zoom’s Meeting SDK is missing in ZOOM_SDK_FOLDER. Run: emissary zoom install', { cause })
  })
  real = await openZoom(FOLDER)
  double = await openZoom()
  return () => Promise.all([real.close(), double.close()])
})

test('boots from its own files and sends requests to this machine only', async () => {
  const page = await real.open()
  const requests = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))
  expect([...new Set(requests)]).toEqual([real.address])
})

test('sends every field of the field notes to wc/info', async () => {
  const { meeting, page } = await real.join({ knock: 3712 }, { userName: 'Notetaker', customerKey: 'key-1' })
  await eventually('it asks', () => meeting.infos.length > 0)
  expect(Object.keys(meeting.infos[0] ?? {})).toEqual(expect.arrayContaining(FIELDS))
  expect(meeting.infos[0]).toMatchObject({ meetingNumber: meeting.number, signatureType: 'sdk', userName: 'Notetaker' })
  await happens(page, 'join error')
})

test.each([
  ['the real SDK', () => real],
  ['the double', () => double],
])('draws the passcode screen and calls nothing back: %s', async (_, browser) => {
  const { page } = await browser().join({ knock: 3004 })
  await page.getByText('Passcode wrong').waitFor()
  expect((await happenings(page)).filter(({ what }) => what.startsWith('join '))).toEqual([])
})

test.each([3704, 3712, 3610, 3623, 3100])('calls back and shows the same for %i as the double', async (knock) => {
  const outcomes = [real, double].map(async (browser) => {
    const { page } = await browser.join({ knock })
    const { data } = await happens(page, 'join error')
    const dialog = page.locator('.zm-modal').first()
    return {
      data,
      title: await dialog.locator('.zm-modal-body-title').first().innerText(),
      buttons: await dialog.locator('button').allInnerTexts(),
    }
  })
  const [known, imitated] = await Promise.all(outcomes)
  expect(imitated).toEqual(known)
  expect(known?.data).toMatchObject({ errorCode: knock })
})

test('refuses a password of more than 32 bytes, as the double does', async () => {
  const outcomes = [real, double].map(async (browser) => {
    const { page } = await browser.join({}, { passWord: 'x'.repeat(33) })
    return (await happens(page, 'join error')).data
  })
  const [known, imitated] = await Promise.all(outcomes)
  expect(imitated).toEqual(known)
  expect(known).toMatchObject({ errorCode: 4003 })
})

test('has every function of the double', async () => {
  const functionsOf = (page: Page) =>
    page.evaluate(() => {
      const { ZoomMtg } = window as unknown as { ZoomMtg: Record<string, unknown> }
      return Object.keys(ZoomMtg).filter((name) => typeof ZoomMtg[name] === 'function')
    })
  const [known, imitated] = await Promise.all([real.open(), double.open()].map(async (page) => functionsOf(await page)))
  expect(known).toEqual(expect.arrayContaining(imitated ?? []))
})

test.each(Object.entries(LANGUAGE_FILES))('has every text of the simulator in %s', async (language, file) => {
  const textsOf = async (name: string) => {
    const texts = JSON.parse(await readFile(join(FOLDER, `dist/lib/lang/${name}.json`), 'utf8')) as Readonly<Record<string, string>>
    return Object.values(texts).map((text) => text.replaceAll(/<[^>]+>/g, '').trim())
  }
  const known = new Set([...(await textsOf(file)), ...(await textsOf('en-US'))])
  const ours = Object.values(WORDS[language as keyof typeof WORDS])
  expect(ours.filter((text) => !known.has(text))).toEqual([])
})

test('works on the page of a bot under its own content security policy', async () => {
  const browser = await launchBrowser(undefined, real.zoom.flags)
  onTestFinished(() => browser.close())
  const meeting = real.zoom.meeting({ knock: 3712 })
  const { page, reports, violations } = await openUnderPolicy(browser, real.zoom, FOLDER, meeting)
  await eventually('the join is refused', () => reports.some((it) => it.kind === 'refused' && it.code === 3712))
  await page.locator('.zm-modal').first().waitFor()
  // A library of the SDK looks for `require` with `eval`, and works although that is blocked.
  expect([...new Set(violations)]).toEqual(['script-src eval'])
})
