// A service whose bots reach the simulated Microsoft Teams, and its helpers.
import type { MicrosoftAccountsOptions } from '../../../sims/microsoft-accounts/accounts.ts'
import { type Meeting, type Scenario, startTeams, type Teams } from '../../../sims/teams/teams.ts'
import { type Browser, launchBrowser } from '../../../src/bot/drivers/browser.ts'
import { createBrowserDriver } from '../../../src/bot/drivers/browser-meeting/driver.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { teams } from '../../../src/bot/drivers/teams/client.ts'
import { createOutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { LEAVE_DEFAULTS } from '../../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import { parseMeetingLink } from '../../../src/domain/meeting-link.ts'
import type { SignInOrders } from '../../../src/domain/protocol.ts'
import { until } from '../until.ts'
import { workerTools } from './driver-tools.ts'
import { openStage, PlatformStage, type StageParts } from './platform-stage.ts'

/** Camera and microphone cost more than the rest of a page, so most meetings begin with both off. */
const CHEAP: Partial<Scenario> = { devicesOn: false }

export class TeamsStage extends PlatformStage {
  readonly teams: Teams

  static async open(options?: MicrosoftAccountsOptions, settings: Record<string, string> = {}): Promise<TeamsStage> {
    const teams = await startTeams(options)
    // The simulator counts as a public site, for which this machine is another network.
    const flags = [...teams.flags, `--ip-address-space-overrides=127.0.0.1:${teams.port}=public`]
    return new TeamsStage(teams, await openStage(flags, { MICROSOFT_LOGIN_URL: teams.loginUrl, ...settings }))
  }

  private constructor(teams: Teams, parts: StageParts) {
    super(parts)
    this.teams = teams
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.teams.stop()
    await this.hook.close()
  }

  meeting(scenario: Partial<Scenario> = {}): Meeting {
    return this.teams.meeting({ ...CHEAP, ...scenario })
  }

  async waits(meeting: Meeting, id: string): Promise<void> {
    await this.has(id, 'InWaitingRoom')
    await until('it waits', () => meeting.waiting().length > 0, 20_000)
  }
}

/** The driver by itself in one browser, without a service. */
export class TeamsBench {
  readonly teams: Teams
  readonly #browser: Browser

  static async open(options?: MicrosoftAccountsOptions): Promise<TeamsBench> {
    const teams = await startTeams(options)
    return new TeamsBench(teams, await launchBrowser(undefined, teams.flags))
  }

  private constructor(teams: Teams, browser: Browser) {
    this.teams = teams
    this.#browser = browser
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await this.teams.stop()
  }

  meeting(scenario: Partial<Scenario> = {}): Meeting {
    return this.teams.meeting({ ...CHEAP, ...scenario })
  }

  /** A driver that has not opened the meeting yet. The caller makes it leave. */
  async driver(link: string, signIn: SignInOrders | null = null, client = teams): Promise<MeetingDriver> {
    const spec: Partial<BotSpec> = { name: 'Note taker', meeting: linkOf(link), leave: LEAVE_DEFAULTS }
    const scripts = [createOutgoingMedia().initScript]
    const given = { ...workerTools(), browser: this.#browser, display: null, signIn, scripts }
    return createBrowserDriver(client, { ...given, spec: spec as BotSpec })
  }
}

function linkOf(link: string): BotSpec['meeting'] {
  const meeting = parseMeetingLink(link)
  if (meeting.kind !== 'link') throw new Error(`${link} is not a meeting link`)
  return meeting
}
