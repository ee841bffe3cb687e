// Checks a browser for meetings: reports, codecs, encoded frames, fonts, and access to the platforms.
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { type Check, note, ok, problem } from '../../domain/doctor.ts'
import { hiddenObject } from '../worker/page-bundle.ts'
import { receiveReports, secretName } from './browser-meeting/reports.ts'
import type { OpenBrowser } from './driver.ts'

const REPORTED_WITHIN_MS = 5_000
const OPEN_WITHIN_MS = 20_000
/** Certificates and signatures tolerate a few minutes. */
const LARGEST_CLOCK_ERROR_S = 60
const WANTED_CODECS = ['VP8', 'H264', 'opus']
const OTHER_BROWSER = 'Install the Chromium of your distribution or Google Chrome, or set CHROMIUM_PATH.'

type Platform = { readonly label: string; readonly home: string }

export async function checkBrowser({ browser, display }: OpenBrowser, platforms: readonly Platform[]): Promise<readonly Check[]> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const about = ok('browser', `${browser.browserType().name()} ${browser.version()}, ${display ? 'headed' : 'headless'}`)
    return [about, await checkReports(browser), await checkCodecs(page), await checkFonts(page), ...(await checkPlatforms(page, platforms))]
  } finally {
    await context.close()
  }
}

/** A page whose code cannot report shows a bot that joins, sees no one and never learns of the end. */
async function checkReports(browser: Browser): Promise<Check> {
  const context = await browser.newContext()
  try {
    const [name, received] = [secretName(), Promise.withResolvers<true>()]
    await receiveReports(context, { [name]: () => received.resolve(true) })
    const page = await context.newPage()
    await page.evaluate(`${hiddenObject(name)}?.({})`)
    const isReceived = await Promise.race([received.promise, delay(REPORTED_WITHIN_MS, false, { ref: false })])
    if (isReceived) return ok('reports', 'The code of a bot in a page reaches its driver')
    return problem(
      'reports',
      'The code of a bot in a page does not reach its driver',
      'Install the playwright-core of package-lock.json: npm ci.',
    )
  } finally {
    await context.close()
  }
}

async function checkCodecs(page: Page): Promise<Check> {
  const codecs =
    "['audio', 'video'].flatMap((kind) => RTCRtpReceiver.getCapabilities(kind).codecs.map(({ mimeType }) => mimeType.split('/')[1]))"
  const found = (await page.evaluate(codecs)) as readonly string[]
  const missing = WANTED_CODECS.filter((codec) => !found.includes(codec))
  if (missing.length > 0) return problem('codecs', `The browser lacks ${missing.join(', ')}`, OTHER_BROWSER)
  if (!(await page.evaluate("'createEncodedStreams' in RTCRtpReceiver.prototype || 'RTCRtpScriptTransform' in window")))
    return problem('codecs', 'The browser provides no encoded frames, so nothing can be recorded', OTHER_BROWSER)
  return ok('codecs', `The browser has ${WANTED_CODECS.join(', ')} and provides encoded frames`)
}

/** A character without a font is drawn as the same box as a character that does not exist. */
const LACKS = `(() => {
  const draw = (text) => {
    const context = Object.assign(document.createElement('canvas'), { width: 40, height: 40 }).getContext('2d')
    context.font = '30px sans-serif'
    context.fillText(text, 2, 32)
    return context.getImageData(0, 0, 40, 40).data.join()
  }
  const [box, nothing] = [draw('\\u{10fffe}'), draw('')]
  return Object.entries({ Latin: 'g', Chinese: '议', emoji: '😀' }).filter(([, text]) => [box, nothing].includes(draw(text))).map(([name]) => name)
})()`

async function checkFonts(page: Page): Promise<Check> {
  const lacking = (await page.evaluate(LACKS)) as readonly string[]
  if (lacking.includes('Latin'))
    return problem('fonts', 'The browser has no font for Latin letters', 'Install a font, such as the package fonts-liberation.')
  if (lacking.length === 0) return ok('fonts', 'Latin, Chinese and emoji are drawn')
  return note('fonts', `Screenshots show boxes for ${lacking.join(' and ')}`, 'Install fonts-noto-cjk and fonts-noto-color-emoji.')
}

async function checkPlatforms(page: Page, platforms: readonly Platform[]): Promise<readonly Check[]> {
  const answers = []
  for (const platform of platforms) answers.push({ ...platform, ...(await visit(page, platform.home)) })
  const dates = answers.map(({ date }) => date).filter((date) => date !== undefined)
  const cure = 'Let this machine reach it by HTTPS and UDP, or name a proxy in CHROMIUM_FLAGS (--proxy-server=…).'
  const reached = answers.map(({ label, home, why }) =>
    why === undefined ? ok('network', `${label} answers`) : problem('network', `${label} does not answer at ${home}: ${why}`, cure),
  )
  return [...reached, ...(dates[0] ? [checkClock(dates[0])] : [])]
}

function checkClock(theirs: string): Check {
  const seconds = Math.round(Math.abs(Date.now() - Date.parse(theirs)) / 1000)
  if (seconds <= LARGEST_CLOCK_ERROR_S) return ok('clock', 'The clock of this machine agrees with the platform’s')
  return problem(
    'clock',
    `The clock of this machine differs from the platform’s by ${seconds} s`,
    'Set it, for example by systemd-timesyncd or chrony.',
  )
}

async function visit(page: Page, home: string): Promise<{ readonly why?: string; readonly date?: string }> {
  try {
    const response = await page.goto(home, { waitUntil: 'commit', timeout: OPEN_WITHIN_MS })
    const date = response?.headers().date
    return date === undefined ? {} : { date }
  } catch (error) {
    return { why: /net::\w+/.exec(String(error))?.[0] ?? 'its page does not load' }
  }
}
