// A program that `emissary doctor` runs: opens the browser as a worker does, and approaches or joins a meeting as a bot does.
import type { BotId } from '../../domain/bot.ts'
import {
  type Check,
  type Difference,
  type DoctorOrders,
  type DoorReport,
  type DoorVisit,
  type FromDoctor,
  LEAVE,
  note,
  ok,
  problem,
} from '../../domain/doctor.ts'
import { type DriverName, isJoinable, PLATFORM_NAMES, PLATFORMS } from '../../domain/platforms.ts'
import { firstLine, publicErrorOf } from '../../kit/failure.ts'
import { createHttpClient } from '../../kit/http-client.ts'
import { pageScript } from '../capture/page-script.ts'
import { checkBrowser } from '../drivers/browser-check.ts'
import { replay } from '../drivers/browser-meeting/replay.ts'
import { Browsers, type BrowsersOptions } from '../drivers/browsers.ts'
import { compareBrowsers } from '../drivers/compare-browsers.ts'
import { displayPrograms } from '../drivers/display.ts'
import type { DriverTools, MeetingDriver, OpenBrowser } from '../drivers/driver.ts'
import { driverOf } from '../drivers/registry.ts'
import { createOutgoingMedia } from '../outgoing/outgoing.ts'
import { visitField } from './field-visit.ts'

const APPROACH_WITHIN_MS = 45_000
const KNOCK_WITHIN_MS = 60_000
const ENTER_WITHIN_MS = 10_000
/** The bot id that callers' servers receive. */
const DOCTOR = 'bot_doctor' as BotId

const NOTHING: FromDoctor = { checks: [], report: null, steps: null, replayed: null, differences: null }

const [mode, chromium, ...flags] = process.argv.slice(2)

const asked = new AbortController()
process.once('message', (orders: DoctorOrders) => {
  process.on('message', (message) => message === LEAVE && asked.abort())
  examine(orders).then(
    (found) => process.send?.(found, undefined, undefined, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(1))

async function examine({ visit, field, replay: replayed, comparesFor }: DoctorOrders): Promise<FromDoctor> {
  const checks: Check[] = [checkDisplay()]
  const browsers = new Browsers<null>({
    mode: mode as BrowsersOptions<null>['mode'],
    executable: chromium || undefined,
    flags,
    onDied: () => undefined,
    log: (_level, message, why) => checks.push(note('isolation', `${message} (${why})`, 'See docs/security.md.')),
  })
  const homes = visit
    ? [homeOf(visit.driver, visit.spec.meeting.platform)]
    : PLATFORM_NAMES.filter(isJoinable).map((name) => homeOf(name, name))
  try {
    if (replayed) {
      const { kit, pageRules } = replayed
      const opened = await browsers.take('headless', null)
      return { ...NOTHING, replayed: await replay(driverOf(kit.header.driver), opened, { kit, pageRules }) }
    }
    const opened = await browsers.take(visit ? driverOf(visit.driver).profile.browser : 'headed', null)
    checks.push(
      ...(await checkBrowser(
        opened,
        homes.flatMap(({ label, home }) => (home ? [{ label, home }] : [])),
      )),
    )
    const differences = comparesFor && (await compare(opened, comparesFor))
    if (differences) checks.push(checkView(differences))
    if (!visit) return { ...NOTHING, checks, differences }
    const freshBrowser = () => browsers.replace(driverOf(visit.driver).profile.browser, null)
    const tools = { ...opened, freshBrowser }
    if (field) {
      const open = (witness: DriverTools['witness']) => openDriver(tools, visit, witness)
      return { ...NOTHING, checks, steps: await visitField({ ...visit, ...field }, open, asked.signal) }
    }
    const report = await visitDoor(tools, visit)
    return { ...NOTHING, checks: [...checks, checkDoor(report)], report, differences }
  } catch (error) {
    const { message } = publicErrorOf(error, { code: 'start_failed', message: `The browser does not work: ${firstLine(error)}` })
    const cure = 'Install Chromium, or set CHROMIUM_PATH to a browser that starts.'
    return { ...NOTHING, checks: [...checks, problem('browser', message, cure)] }
  } finally {
    await browsers.close()
  }
}

function homeOf(driver: DriverName, platform: keyof typeof PLATFORMS): { readonly label: string; readonly home: string | null } {
  return { label: PLATFORMS[platform].label, home: driverOf(driver).home }
}

function checkDisplay(): Check {
  const { xvfb, xdotool } = displayPrograms()
  const cure = 'Install the packages xvfb and xdotool.'
  if (mode === 'headless') return ok('display', 'Not used: BROWSER_MODE is headless')
  if (!xvfb) return note('display', 'Xvfb is not installed, so browsers are headless, which platforms suspect more often', cure)
  return xdotool
    ? ok('display', 'Xvfb and xdotool are installed')
    : note('display', 'xdotool is not installed, so pages are used without a pointer', cure)
}

function checkDoor({ door, knock }: DoorReport): Check {
  const says = `The page shows ${door.screen}, and the bot would ${door.next}`
  return door.leadsIn ? ok('door', says) : problem('door', says, knock ?? 'Compare the picture that was kept. See docs/doctor.md.')
}

/** With the code that bots on this platform have in their pages. Without media the recording opens no connection. */
function compare(browser: OpenBrowser, driver: DriverName): Promise<readonly Difference[]> {
  const { openPage, profile } = driverOf(driver)
  const { encoded, wrapWorkers, silent = false } = profile
  const tap = pageScript({ url: '', token: '', batchMs: 0, video: true, encoded, wrapWorkers, silent, fallbackAfterMs: 0 })
  const scripts = [tap, createOutgoingMedia().initScript]
  return compareBrowsers({ browser, openPage, scripts, executable: chromium || undefined, flags })
}

function checkView(differences: readonly Difference[]): Check {
  const unknown = differences.filter(({ why }) => why === null).map(({ fact }) => fact)
  if (unknown.length === 0)
    return ok('view', `A page sees ${differences.length} differences from an ordinary browser, each for a known reason`)
  return note(
    'view',
    `A page sees differences from an ordinary browser without a known reason: ${unknown.join(', ')}`,
    'See docs/doctor.md.',
  )
}

type Opened = OpenBrowser & Pick<DriverTools, 'freshBrowser'>

async function openDriver(opened: Opened, visit: DoorVisit, witness?: DriverTools['witness']): Promise<MeetingDriver> {
  const { knocks: _knocks, allowPrivateUrls, ...orders } = visit
  const http = createHttpClient({ allowPrivate: allowPrivateUrls })
  const scripts = [createOutgoingMedia().initScript]
  const onRefused = async () => undefined
  const own = { onRefused, isLive: false, botId: DOCTOR, http, now: Date.now, scripts, ...(witness && { witness }) }
  const driver = await driverOf(visit.driver).create({ ...opened, ...orders, ...own })
  const { leave } = driver
  return Object.assign(driver, {
    async leave(manner: 'politely' | 'at once'): Promise<void> {
      await leave.call(driver, manner)
      await http.close()
    },
  })
}

async function visitDoor(opened: Opened, visit: DoorVisit): Promise<DoorReport> {
  const driver = await openDriver(opened, visit)
  try {
    const door = await driver.approach(AbortSignal.timeout(APPROACH_WITHIN_MS))
    const knock = visit.knocks ? await knockAt(driver) : null
    const [pageText, picture] = await Promise.all([driver.page.text(), driver.page.picture()])
    return { door, knock, pageText, picture: picture?.toString('base64') ?? null }
  } finally {
    await driver.leave('politely')
  }
}

/** Knocks and leaves soon after it is admitted. */
async function knockAt(driver: MeetingDriver): Promise<string> {
  const knocked = await driver.knock(AbortSignal.timeout(KNOCK_WITHIN_MS))
  if (knocked.kind !== 'asked') return `${knocked.reason}: ${knocked.message}`
  const entered = await driver.enter(AbortSignal.timeout(ENTER_WITHIN_MS))
  const outcomes = {
    admitted: 'It was let in',
    refused: 'It was refused',
    never_admitted: `It was not let in within ${ENTER_WITHIN_MS / 1000} s`,
  }
  return entered.kind === 'over' ? `${entered.reason}: ${entered.message}` : outcomes[entered.kind]
}
