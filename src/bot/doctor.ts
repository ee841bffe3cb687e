// A program for `emissary doctor`, started as a host is: opens the browser as hosts do, and goes to the door of a meeting as bots do.
import type { BotId } from '../domain/bot.ts'
import { type Check, type DoorReport, type DoorVisit, type FromDoctor, note, ok, problem } from '../domain/doctor.ts'
import { PLATFORM_NAMES, PLATFORMS } from '../domain/platforms.ts'
import { firstLine, toldOf } from '../kit/failure.ts'
import { createOutgoing } from '../kit/outgoing.ts'
import { checkBrowser } from './drivers/browser-check.ts'
import { Browsers, type BrowsersOptions, type OpenBrowser } from './drivers/browsers.ts'
import { displayPrograms } from './drivers/display.ts'
import { driverOf, homeOf } from './drivers/registry.ts'
import { createOutgoingMedia } from './outgoing/outgoing.ts'

const APPROACH_WITHIN_MS = 45_000
const KNOCK_WITHIN_MS = 60_000
const ENTER_WITHIN_MS = 10_000
/** What callers' servers are told. */
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
  const platform = visit?.spec.meeting.platform
  const names = platform ? [platform] : PLATFORM_NAMES
  const platforms = names.map((name) => ({ label: PLATFORMS[name].label, home: homeOf(name) }))
  try {
    const opened = await browsers.take(platform ? driverOf(platform).profile.browser : 'headed', null)
    checks.push(
      ...(await checkBrowser(
        opened,
        platforms.flatMap(({ label, home }) => (home ? [{ label, home }] : [])),
      )),
    )
    const report = visit && (await goThere(opened, visit))
    return { checks: report ? [...checks, checkDoor(report)] : checks, report }
  } catch (error) {
    const { message } = toldOf(error, { code: 'start_failed', message: `The browser does not work: ${firstLine(error)}` })
    return {
      checks: [...checks, problem('browser', message, 'Install Chromium, or set CHROMIUM_PATH to a browser that starts.')],
      report: null,
    }
  } finally {
    await browsers.close()
  }
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

async function goThere(opened: OpenBrowser, { knocks, allowPrivateUrls, ...visit }: DoorVisit): Promise<DoorReport> {
  const { create } = driverOf(visit.spec.meeting.platform)
  const outgoing = createOutgoing({ allowPrivate: allowPrivateUrls })
  const scripts = [createOutgoingMedia().initScript]
  const driver = await create({ ...opened, ...visit, botId: DOCTOR, outgoing, now: Date.now, scripts })
  try {
    const door = await driver.approach(AbortSignal.timeout(APPROACH_WITHIN_MS))
    const knock = knocks ? await knockAt(driver) : null
    const [pageText, picture] = await Promise.all([driver.page.text(), driver.page.picture()])
    return { door, knock, pageText, picture: picture?.toString('base64') ?? null }
  } finally {
    await driver.leave('politely')
    await outgoing.close()
  }
}

/** Leaves soon: whoever is let in sees what it needed. */
async function knockAt(driver: Awaited<ReturnType<ReturnType<typeof driverOf>['create']>>): Promise<string> {
  const knocked = await driver.knock(AbortSignal.timeout(KNOCK_WITHIN_MS))
  if (knocked.kind !== 'asked') return `${knocked.reason}: ${knocked.message}`
  const entered = await driver.enter(AbortSignal.timeout(ENTER_WITHIN_MS))
  const words = {
    admitted: 'It was let in',
    refused: 'It was refused',
    never_admitted: `Nobody let it in within ${ENTER_WITHIN_MS / 1000} s`,
  }
  return entered.kind === 'over' ? `${entered.reason}: ${entered.message}` : words[entered.kind]
}
