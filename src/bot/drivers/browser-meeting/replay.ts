// Plays a field kit into today's page rules and parsers: recorded pages are opened again, recorded messages are read again.
import type { Page, Route } from 'playwright-core'
import type { JsonObject } from '../../../domain/bot.ts'
import { type FieldDocument, type FieldKit, type FieldStep, OWN_NAME, type ReplayReport } from '../../../domain/field-kit.ts'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import { firstLine } from '../../../kit/failure.ts'
import type { OpenBrowser } from '../driver.ts'
import { USERS_WITHIN_MS } from './call.ts'
import type { Facts } from './facts.ts'
import type { ClientRoster, MeetingClient } from './meeting-client.ts'
import { pageRulesFor } from './own-page-rules.ts'
import type { PageRules } from './page-rules.ts'
import { clientScript } from './page-script.ts'
import { readDoorSign } from './read-report.ts'
import { ReplayedVerdict } from './replayed-verdict.ts'
import { secretName } from './reports.ts'
import { type Readable, rosterOf } from './roster.ts'
import { isInRoom, ruleOf } from './screens.ts'
import { Tab } from './tab.ts'

export type ReplayedClient = Pick<MeetingClient, 'label' | 'profile' | 'pageRules' | 'joinRequest'> & Readable

type ScreenStep = Extract<FieldStep, { kind: 'screen' }>
const VIEWPORT = { width: 1280, height: 720 }

type Replay = {
  readonly kit: FieldKit
  /** The operator's own. */
  readonly pageRules: JsonObject | null
}

export async function replay(builtIn: ReplayedClient, { browser }: OpenBrowser, { kit, pageRules }: Replay): Promise<ReplayReport> {
  const client = { ...builtIn, pageRules: await pageRulesFor(builtIn, pageRules) }
  const context = await browser.newContext({ viewport: VIEWPORT })
  try {
    const names = { observers: secretName(), reports: secretName() }
    await context.addInitScript({ content: clientScript(names, { profile: client.profile, pageRules: client.pageRules }) })
    const page = await context.newPage()
    const player = new Player(client, page, names.observers)
    await page.route('**/*', (route) => player.serve(route))
    for (const step of kit.steps) await player.play(step)
    return player.report()
  } finally {
    await context.close()
  }
}

class Player {
  readonly #client: ReplayedClient
  readonly #page: Page
  readonly #tab: Tab
  readonly #roster: ClientRoster
  readonly #verdict: ReplayedVerdict
  readonly #lines: string[] = []
  #differences = 0
  #documents: readonly FieldDocument[] = []
  #startedAt: number | null = null
  /** The time of the first screen of the call. */
  #enteredAt: number | null = null
  /** The people of the last such event, as recorded and as read today. */
  #recorded: readonly string[] = []
  #read: readonly string[] = []
  #events: MeetingEvent[] = []

  constructor(client: ReplayedClient, page: Page, observers: string) {
    this.#client = client
    this.#page = page
    const roster = rosterOf(
      client,
      { name: OWN_NAME },
      (event) => this.#events.push(event),
      () => undefined,
    )
    this.#roster = roster
    this.#verdict = new ReplayedVerdict(client, page)
    const { pageRules } = client
    this.#tab = new Tab({ page: () => page, observers, pageRules, isGone: () => false, published: () => roster.screen ?? null })
  }

  /** Answers each request with a recorded document, or with nothing. */
  async serve(route: Route): Promise<void> {
    const key = new URL(route.request().url()).searchParams.get('kit-frame') ?? '0'
    const found = route.request().isNavigationRequest() && this.#documents.find((it) => it.key === key)
    if (found) await route.fulfill({ contentType: 'text/html; charset=utf-8', body: found.html })
    else await route.fulfill({ status: 204 })
  }

  async play(step: FieldStep): Promise<void> {
    this.#startedAt ??= step.at
    if (step.kind === 'screen') await this.#showScreen(step)
    if (step.kind === 'report') this.#readReport(step)
    if (step.kind === 'event' && step.event.kind === 'people') this.#recorded = namesIn(step.event.others)
    if (step.kind === 'console') this.#verdict.log(step.text, step.at)
    if (step.kind === 'status') this.#say(step.at, 'status', step.status)
    if (step.kind === 'withheld') this.#say(step.at, 'withheld', `a ${step.of} that contained something private`)
    if (step.kind === 'verdict') this.#conclude(step)
  }

  report(): ReplayReport {
    return { lines: this.#lines, differences: this.#differences }
  }

  async #showScreen(step: ScreenStep): Promise<void> {
    this.#documents = step.documents
    const [first] = step.documents
    if (!first) {
      this.#verdict.trust(step)
      return this.#say(step.at, 'screen', `${step.screen}, whose page changed before it was copied`)
    }
    const { url } = first
    // The same address with another fragment would not be loaded.
    await this.#page.goto('about:blank')
    if (/^https?:/.test(url)) await this.#page.goto(url)
    const { facts, screen } = await this.#tab.see(step.stage)
    if (step.stage === 'call' && screen === 'inside') this.#see(facts, step.at)
    this.#verdict.see(step, { facts, screen, ownEnd: this.#roster.ownEnd })
    const rule = ruleOf(facts, this.#client.pageRules, step.stage)
    this.#compare(step.at, 'screen', step.screen, screen, ruleInWords(this.#client.pageRules, step.stage, rule))
    // A page that publishes its screen was not read.
    if (step.rule === null && step.controls.length + step.people.length === 0) return
    this.#compare(step.at, 'controls', step.controls.toSorted().join(' '), [...facts.visible].toSorted().join(' '))
    this.#compare(step.at, 'tiles', step.people.join(', '), facts.people.map(({ name }) => name).join(', '))
  }

  /** Tiles count where no message lists the people. */
  #see(facts: Facts, at: number): void {
    this.#enteredAt ??= at
    if (at - this.#enteredAt <= USERS_WITHIN_MS) return
    this.#events = []
    this.#roster.see(facts.people, at, isInRoom(facts, this.#client.pageRules))
    this.#takePeople()
  }

  #takePeople(): void {
    for (const event of this.#events) if (event.kind === 'people') this.#read = namesIn(event.others)
  }

  #readReport({ at, report }: Extract<FieldStep, { kind: 'report' }>): void {
    this.#events = []
    const sign = readDoorSign(report, this.#client.joinRequest)
    if (sign) this.#verdict.receive(sign)
    else this.#receive(report, at)
    this.#takePeople()
    const made = [...(sign ? [`a sign: ${sign.detail}`] : []), ...this.#events.map(inWords)]
    this.#say(at, 'report', `${String(report.kind)}: ${made.join('; ') || 'no change'}`)
  }

  /** A report that another version understood may be of no use to this one. */
  #receive(report: JsonObject, at: number): void {
    try {
      this.#roster.receive(report, at)
    } catch (error) {
      this.#differences += 1
      this.#say(at, 'report', `${String(report.kind)} cannot be read: ${firstLine(error)}   DIFFERS`)
    }
  }

  #conclude({ at, verdict }: Extract<FieldStep, { kind: 'verdict' }>): void {
    this.#compare(at, 'people', this.#recorded.join(', '), this.#read.join(', '))
    this.#compare(at, 'verdict', verdict, this.#verdict.at(at, verdict))
  }

  #compare(at: number, what: string, recorded: string, today: string, more = ''): void {
    const isSame = recorded === today
    if (isSame && today === '') return
    if (!isSame) this.#differences += 1
    this.#say(at, what, `${isSame ? today : `${recorded || 'nothing'} → ${today || 'nothing'}   DIFFERS`}${more && `   ${more}`}`)
  }

  #say(at: number, what: string, text: string): void {
    const seconds = ((at - (this.#startedAt ?? at)) / 1000).toFixed(1)
    this.#lines.push(`${seconds.padStart(7)} s  ${what.padEnd(9)} ${text}`)
  }
}

function namesIn(others: unknown): readonly string[] {
  const names = Array.isArray(others) ? others.map((it: { name?: unknown }) => String(it.name)) : []
  return names.toSorted()
}

function inWords(event: MeetingEvent): string {
  if (event.kind === 'people') return `people: ${namesIn(event.others).join(', ') || 'none'}`
  if (event.kind === 'tracks') return `${event.tracks.length} tracks with owners`
  if (event.kind === 'voice') return `speaking: ${event.speakers.length}`
  if (event.kind === 'chat' || event.kind === 'caption') return `a ${event.kind} line of ${event.name || 'an unnamed participant'}`
  return event.kind
}

function ruleInWords({ screens }: PageRules, stage: ScreenStep['stage'], rule: ReturnType<typeof ruleOf>): string {
  return rule ? `rule ${screens[stage].indexOf(rule) + 1} of the ${stage}: ${JSON.stringify(rule.when)}` : ''
}
