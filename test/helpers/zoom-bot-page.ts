// The page of a Zoom bot in a browser that applies its content security policy, which the driver's own browser bypasses.
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { Meeting, Zoom } from '../../sims/zoom/zoom.ts'
import { openBotPage } from '../../src/bot/drivers/zoom/page-server.ts'
import { REPORT, type ZoomReport } from '../../src/bot/drivers/zoom/report.ts'
import { zoomSignature } from '../../src/service/accounts/zoom-app.ts'

export type OpenedPage = {
  readonly page: Page
  readonly reports: readonly ZoomReport[]
  /** Violations of the policy: the directive and the address. */
  readonly violations: readonly string[]
}

export async function openUnderPolicy(browser: Browser, zoom: Zoom, sdk: string, meeting: Meeting): Promise<OpenedPage> {
  const bot = await openBotPage(sdk)
  const signature = zoomSignature(zoom.app, meeting.number, new Date())
  const join = { signature, meetingNumber: meeting.number, userName: 'Note taker', passWord: meeting.passcodeToken }
  bot.give({ join, retry: { code: 0, afterMs: 0 } })
  const context = await browser.newContext({ bypassCSP: false })
  onTestFinished(async () => {
    await context.close()
    bot.close()
  })
  await context.grantPermissions(['microphone', 'camera', 'local-network-access'], { origin: bot.url.origin })
  const [reports, violations]: [ZoomReport[], string[]] = [[], []]
  await context.exposeFunction(REPORT, (report: ZoomReport) => void reports.push(report))
  await context.exposeFunction('onViolation', (violation: string) => void violations.push(violation))
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (it) => onViolation(it.effectiveDirective + ' ' + it.blockedURI))`,
  )
  const page = await context.newPage()
  await page.goto(bot.url.href)
  return { page, reports, violations }
}
