// A program that `emissary doctor` runs: opens the browser as a host does, and approaches a meeting as a bot does.
import type { BotId } from '../domain/bot.ts'
import { type Check, type DoorReport, type DoorVisit, type FromDoctor, note, ok, problem } from '../domain/doctor.ts'
import { type DriverName, isJoinable, PLATFORM_NAMES, PLATFORMS } from '../domain/platforms.ts'
import { firstLine, publicErrorOf } from '../kit/failure.ts'
import { createHttpClient } from '../kit/http-client.ts'
import { checkBrowser } from './drivers/browser-check.ts'
import { Browsers, type BrowsersOptions, type OpenBrowser } from './drivers/browsers.ts'
import { displayPrograms } from './drivers/display.ts'
import { driverOf } from './drivers/registry.ts'
import { createOutgoingMedia } from './outgoing/outgoing.ts'

const APPROACH_WITHIN_MS = 45_000
const KNOCK_WITHIN_MS = 60_000
const ENTER_WITHIN_MS = 10_000
/** The bot id that callers' servers receive. */
const DOCTOR = 'bot_doctor' as BotId

const [mode, chromium, ...flags] = process.argv.slice(2)

process.once('message', ({ visit }: { readonly visit: DoorVisit | null }) => {
  examine(visit).then(
    (found) => process.send?.(found, undefined, undefined, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(1))

async function examine(visit: DoorVisit | null): Promise<FromDoctor> {
  const checks: Check[] = [checkDisplay()]
  const browsers = new Browsers<null>({
    ...{ mode: mode as BrowsersOptions<null>['mode'], executable: chromium || undefined, flags, onDied: () => undefined },
    log: (_level, message, why) => checks.push(note('isolation', `${message} (${why})`, 'See docs/security.md.')),
  })
  const homes = visit
    ? [homeOf(visit.driver, visit.spec.meeting.platform)]
    : PLATFORM_NAMES.filter(isJoinable).map((name) => homeOf(name, name))
  try {
    const opened = await browsers.take(visit ? driverOf(visit.driver).profile.browser : 'headed', null)
    checks.push(
      ...(await checkBrowser(
        opened,
        homes.flatMap(({ label, home }) => (home ? [{ label, home }] : [])),
      )),
    )
    const report = visit && (await visitDoor(opened, visit))
    return { checks: report ? [...checks, checkDoor(report)] : checks, report }
  } catch (error) {
    const { message } = publicErrorOf(error, { code: 'start_failed', message: `The browser does not work: ${firstLine(error)}` })
    return {
      checks: [...checks, problem('browser', message, 'Install Chromium, or set CHROMIUM_PATH to a browser that starts.')],
      report: null,
    }
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

async function visitDoor(opened: OpenBrowser, { knocks, allowPrivateUrls, ...visit }: DoorVisit): Promise<DoorReport> {
  const { create } = driverOf(visit.driver)
  const http = createHttpClient({ allowPrivate: allowPrivateUrls })
  const scripts = [createOutgoingMedia().initScript]
  const driver = await create({ ...opened, ...visit, isLive: false, botId: DOCTOR, http, now: Date.now, scripts })
  try {
    const door = await driver.approach(AbortSignal.timeout(APPROACH_WITHIN_MS))
    const knock = knocks ? await knockAt(driver) : null
    const [pageText, picture] = await Promise.all([driver.page.text(), driver.page.picture()])
    return { door, knock, pageText, picture: picture?.toString('base64') ?? null }
  } finally {
    await driver.leave('politely')
    await http.close()
  }
}

/** Knocks and leaves soon after it is admitted. */
async function knockAt(driver: Awaited<ReturnType<ReturnType<typeof driverOf>['create']>>): Promise<string> {
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
