// The witness of a join in a browser by itself: what its pictures show, and that its copy of a page reads like the page.
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../src/bot/drivers/browser.ts'
import { clientScript } from '../../src/bot/drivers/browser-meeting/page-script.ts'
import { replay } from '../../src/bot/drivers/browser-meeting/replay.ts'
import { secretName } from '../../src/bot/drivers/browser-meeting/reports.ts'
import { Tab } from '../../src/bot/drivers/browser-meeting/tab.ts'
import { Witness } from '../../src/bot/drivers/browser-meeting/witness.ts'
import { driverOf, folderOf } from '../../src/bot/drivers/registry.ts'
import { knownWords } from '../../src/bot/field-kit/known-words.ts'
import { redactJoin } from '../../src/bot/field-kit/redact.ts'
import type { DriverName } from '../../src/domain/platforms.ts'
import { openForFile } from '../helpers/for-file.ts'

const LONG = 60_000
const browser = openForFile(() => launchBrowser(undefined, []))

type Looked = { readonly witness: Witness; readonly page: Page }

type Look = { readonly withPictures?: boolean; readonly whileCopied?: (witness: Witness) => void }

/** Looks once at a page with this content. */
async function witnessed(name: DriverName, url: string, body: string, { withPictures = false, whileCopied }: Look = {}): Promise<Looked> {
  const client = driverOf(name)
  const names = { observers: secretName(), reports: secretName() }
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } })
  onTestFinished(() => context.close())
  await context.addInitScript({ content: clientScript(names, { profile: client.profile, pageRules: client.pageRules }) })
  const page = await context.newPage()
  const frame = '<!doctype html><body>Press the button to prove that you are a person</body>'
  await page.route('**/*', (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      body: route.request().frame().parentFrame() ? frame : `<!doctype html><meta charset="utf-8">${body}`,
    }),
  )
  await page.goto(url)
  const witness = new Witness({ client, withPictures, now: Date.now })
  const { pageRules } = client
  const tab = new Tab({
    page: () => page,
    observers: names.observers,
    pageRules,
    isGone: () => false,
    onSeen: (seen) => {
      const again = () => seen.again().finally(() => whileCopied?.(witness))
      return witness.see({ ...seen, again, hasAsked: false, page })
    },
  })
  await tab.see('door')
  return { witness, page }
}

async function pictureOf(name: string, withPictures: boolean): Promise<string> {
  const body = `<style>* { font: 20px monospace; transition: color 5s }</style>
    <button style="color: #c00 !important">${name}</button><p>Hello ${name}</p><input value="${name}"><input placeholder="${name}">
    <div style="background-image: linear-gradient(${name === 'Zofia' ? 'red' : 'blue'}, white)">&nbsp;</div>
    <svg width="90" height="30"><text y="20">${name}</text></svg>`
  const { witness } = await witnessed('google_meet', 'https://meet.google.com/abc-defg-hij', body, { withPictures })
  const [screen] = witness.steps
  return (screen?.kind === 'screen' && screen.picture) || 'no picture'
}

test('hides texts and pictures in screenshots, and shows them when it is asked to', { timeout: LONG }, async () => {
  const [zofia, boris] = [await pictureOf('Zofia', false), await pictureOf('Boris', false)]
  expect(zofia).toHaveLength(boris.length)
  expect(zofia === boris).toBe(true)
  expect(Buffer.from(zofia, 'base64').subarray(0, 2).toString('hex')).toBe('ffd8')
  expect((await pictureOf('Zofia', true)) === (await pictureOf('Boris', true))).toBe(false)
})

test('keeps a screen before the reports that came while it was copied', { timeout: LONG }, async () => {
  const whileCopied = (it: Witness) => it.receive({ kind: 'phase' })
  const { witness } = await witnessed('room', 'http://room.test/room/sync', '<p>One moment</p>', { whileCopied })
  expect(witness.steps.map(({ kind }) => kind).filter((kind) => kind !== 'response')).toEqual(['screen', 'report'])
})

const PAGES: readonly (readonly [what: string, driver: DriverName, url: string, body: string])[] = [
  [
    'hidden, disabled, empty and typed elements',
    'google_meet',
    'https://meet.google.com/abc-defg-hij',
    `<input type="text" aria-label="Your name" value=""><button style="display:none">Leave call</button>
     <button aria-label="Turn off microphone" style="width:40px;height:40px;padding:0"></button>
     <div aria-label="Turn off camera" role="button" style="width:40px;height:40px"><svg width="20" height="20"></svg></div>
     <button disabled><span>Ask to join</span></button><div style="opacity:0"><button>Got it</button></div>
     <script>document.querySelector('input').value = 'Emissary'</script>`,
  ],
  [
    'a wall in a shadow root',
    'zoom_web',
    'https://app.zoom.us/wc/81234567890/join',
    `<div id="host"></div><script>host.attachShadow({ mode: 'open' }).innerHTML = "<h1>Automated bots aren't allowed to join this meeting.</h1>"</script>`,
  ],
  [
    'a captcha in a frame',
    'google_meet',
    'https://meet.google.com/abc-defg-hij',
    '<p>One moment</p><iframe src="https://www.google.com/recaptcha/api2/bframe?k=1" width="400" height="300"></iframe>',
  ],
  [
    'a sign-in page of another host',
    'teams',
    'https://login.microsoftonline.com/common/oauth2/authorize?login_hint=zofia@x.test',
    '<input type="email" name="loginfmt"><input type="submit" value="Next">',
  ],
]

test.each(PAGES)('reads a copy of %s like the page', { timeout: LONG }, async (_what, driver, url, body) => {
  const { witness } = await witnessed(driver, url, body)
  const meeting = { platform: 'google_meet', url: 'https://meet.google.com/abc-defg-hij' } as never
  const steps = redactJoin(witness.steps, { name: 'Emissary', meeting }, knownWords(folderOf(driver)))
  const [screen] = steps
  expect(screen).toMatchObject({ kind: 'screen', documents: [expect.anything(), ...(body.includes('<iframe') ? [expect.anything()] : [])] })
  expect(screen?.kind === 'screen' && screen.screen).not.toBe('unknown')
  expect(JSON.stringify(steps)).not.toContain('zofia')
  const header = { kind: 'field_kit', version: 1, emissary: '0', driver, at: 0, machine: {}, settings: {} } as const
  const { lines, differences } = await replay(driverOf(driver), { browser, display: null }, { kit: { header, steps }, pageRules: null })
  expect(differences, lines.join('\n')).toBe(0)
})
