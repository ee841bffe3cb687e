// The page of a Zoom bot in a browser that applies its content security policy, which the driver's own browser bypasses.
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { Meeting, Zoom } from '../../../sims/zoom/zoom.ts'
import { receiveReports } from '../../../src/bot/drivers/browser-meeting/reports.ts'
import { openBotPage } from '../../../src/bot/drivers/zoom-sdk/page-server.ts'
import type { ZoomReport } from '../../../src/bot/drivers/zoom-sdk/report.ts'
import { hiddenObject } from '../../../src/bot/worker/page-bundle.ts'
import { zoomSignature } from '../../../src/service/accounts/zoom-app.ts'

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
  bot.give({ join: () => join, nextMs: () => null, reports: 'reports' })
  const context = await browser.newContext({ bypassCSP: false })
  onTestFinished(async () => {
    await context.close()
    bot.close()
  })
  await context.grantPermissions(['microphone', 'camera', 'local-network-access'], { origin: bot.url.origin })
  const [reports, violations]: [ZoomReport[], string[]] = [[], []]
  await receiveReports(context, {
    reports(report) {
      const { violation } = report as { readonly violation?: string }
      if (violation === undefined) reports.push(report as ZoomReport)
      else violations.push(violation)
    },
  })
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (it) => ${hiddenObject('reports')}({ violation: it.effectiveDirective + ' ' + it.blockedURI }))`,
  )
  const page = await context.newPage()
  await page.goto(bot.url.href)
  return { page, reports, violations }
}
