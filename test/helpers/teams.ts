// A service whose bots find Microsoft Teams on this machine, and what a test asks of both.
import { expect } from 'vitest'
import type { MicrosoftAccountsOptions } from '../../sims/microsoft-accounts/accounts.ts'
import { type Meeting, type Scenario, startTeams, type Teams } from '../../sims/teams/teams.ts'
import { type Browser, launchBrowser } from '../../src/bot/drivers/browser.ts'
import type { MeetingDriver } from '../../src/bot/drivers/driver.ts'
import { teams } from '../../src/bot/drivers/teams/client.ts'
import { createWebClientDriver } from '../../src/bot/drivers/web-client/driver.ts'
import { createOutgoingMedia } from '../../src/bot/outgoing/outgoing.ts'
import { LEAVE_DEFAULTS } from '../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../src/domain/bot.ts'
import { parseMeetingLink } from '../../src/domain/meeting-link.ts'
import type { SignInOrders } from '../../src/domain/protocol.ts'
import { hostTools } from './driver-tools.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { startTestService, type TestService } from './service.ts'
import { until } from './until.ts'

/** Camera and microphone of a page cost more than the rest of it: most meetings begin with both off. */
const CHEAP: Partial<Scenario> = { launcher: 'skipped', devicesOn: false }

export class TeamsStage {
  readonly teams: Teams
  readonly service: TestService
  readonly hook: Receiver

  static async open(options?: MicrosoftAccountsOptions, settings: Record<string, string> = {}): Promise<TeamsStage> {
    const teams = await startTeams(options)
    // As the real one it is a page of the internet, for which this machine is another network.
    const flags = [...teams.flags, `--ip-address-space-overrides=127.0.0.1:${teams.port}=public`]
    const CHROMIUM_FLAGS = flags.map((flag) => `"${flag}"`).join(' ')
    // One browser for all of them.
    const service = await startTestService({ CHROMIUM_FLAGS, BOTS_PER_HOST: '8', BOT_HOSTS: '1', ...settings })
    return new TeamsStage(teams, service, await startReceiver())
  }

  private constructor(teams: Teams, service: TestService, hook: Receiver) {
    this.teams = teams
    this.service = service
    this.hook = hook
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.teams.stop()
    await this.hook.close()
  }

  meeting(scenario: Partial<Scenario> = {}): Meeting {
    return this.teams.meeting({ ...CHEAP, ...scenario })
  }

  async send({ url }: Pick<Meeting, 'url'>, body: object = {}): Promise<string> {
    const given = { meeting_link: url, callback_url: `${this.hook.url}/teams`, ...body }
    const answer = await this.service.api('POST', '/api/v1/bots/create_bot', given)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.bot_id
  }

  detail = async (id: string) => (await this.service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
  read = async (id: string, what: string) => (await this.service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  command = (id: string, name: string, body?: object) => this.service.api('POST', `/api/v1/bots/${id}/${name}`, body)
  remove = (id: string) => this.service.api('GET', `/api/v1/bots/${id}/remove_bot`)

  /** The bot's record, once its timeline has the stage. */
  async has(id: string, stage: string, withinMs = 60_000) {
    await until(`the bot reaches ${stage}`, async () => stage in (await this.detail(id)).StatusTimeline, withinMs)
    return this.detail(id)
  }

  async waits(meeting: Meeting, id: string): Promise<void> {
    await this.has(id, 'InWaitingRoom')
    await until('it waits', () => meeting.waiting().length > 0, 20_000)
  }

  /** The names of the events of the bot up to its end, in order. */
  async told(id: string, withinMs = 60_000) {
    const heard = () => this.hook.received.filter(({ body }) => body.bot_id === id).map(({ body }) => body)
    await until('bot.done is delivered', () => heard().some((it) => it.bot_event === 'bot.done'), withinMs)
    return heard()
  }
}

/** The driver alone in one browser, without a service: most states of the door need no more. */
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

  /** A bot that has not gone anywhere yet. Whoever takes it makes it leave. */
  async driver(link: string, signIn: SignInOrders | null = null, client = teams): Promise<MeetingDriver> {
    const spec: Partial<BotSpec> = { name: 'Note taker', meeting: linkOf(link), leave: LEAVE_DEFAULTS }
    const scripts = [createOutgoingMedia().initScript]
    const given = { ...hostTools(), browser: this.#browser, display: null, signIn, scripts }
    return createWebClientDriver(client, { ...given, spec: spec as BotSpec })
  }
}

function linkOf(link: string): BotSpec['meeting'] {
  const meeting = parseMeetingLink(link)
  if (meeting.kind !== 'link') throw new Error(`${link} is no link to a meeting`)
  return meeting
}
