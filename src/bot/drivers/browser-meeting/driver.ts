// The driver of a meeting in a browser: presses controls in the platform's page, and reads its messages.
import type { Door } from '../../../domain/doctor.ts'
import type { Attendees, EntryOutcome, KnockOutcome, MeetingEvent } from '../../../domain/meeting.ts'
import { type AsyncQueue, createQueue } from '../../../kit/async-queue.ts'
import { Failure } from '../../../kit/failure.ts'
import { createSerialQueue } from '../../../kit/serial-queue.ts'
import type { DriverTools, MeetingDriver, OpenBrowser } from '../driver.ts'
import { approach } from './approach.ts'
import { followCall } from './call.ts'
import { linesOf, write } from './chat.ts'
import { openClientPage } from './client-page.ts'
import { leaveCall, turn, turnCaptionsOn } from './controls.ts'
import { displayInput } from './display-input.ts'
import { DoorSigns } from './door-signs.ts'
import { enter } from './enter.ts'
import type { Facts } from './facts.ts'
import { at } from './json-fields.ts'
import { knock } from './knock.ts'
import { MeetingCaptions } from './meeting-captions.ts'
import type { ClientRoster, MeetingClient, RosterListeners } from './meeting-client.ts'
import type { MeetingPage } from './meeting-page.ts'
import { checkSelectors, pageRulesFor } from './own-page-rules.ts'
import type { ControlName } from './page-rules.ts'
import { readDoorSign } from './read-report.ts'
import { followRooms } from './rooms.ts'
import { rosterOf } from './roster.ts'
import { isInRoom } from './screens.ts'
import { Tab } from './tab.ts'
import { createUpkeep, type Device } from './upkeep.ts'
import type { Afresh, DoorTools } from './visit.ts'

export async function createBrowserDriver(builtIn: MeetingClient, tools: DriverTools): Promise<MeetingDriver> {
  const client = { ...builtIn, pageRules: await pageRulesFor(builtIn, tools.pageRules) }
  const origins = [client.addressOf(tools.spec, 'look').origin, ...(client.redirects?.origins ?? [])]
  let driver: BrowserDriver | null = null
  const { page, observers } = await openClientPage(client, {
    browser: tools,
    origins,
    scripts: tools.scripts,
    receive: (report, frame) => {
      if (frame === driver?.page.frame()) driver.receive(report)
    },
    ...(tools.witness && { witness: tools.witness }),
  })
  if (tools.pageRules) await checkSelectors(page, client)
  driver = new BrowserDriver(client, page, observers, tools)
  return driver
}

class BrowserDriver implements MeetingDriver {
  readonly page: MeetingPage
  readonly #client: MeetingClient
  readonly #tab: Tab
  readonly #tools: DriverTools
  readonly #queue: AsyncQueue<MeetingEvent> = createQueue()
  readonly #roster: ClientRoster
  readonly #signs: DoorSigns
  /** Own chat messages that the platform has sent back. */
  readonly #taken: string[] = []
  readonly #over = new AbortController()
  #isInside = false
  readonly #browser: DoorTools['browser'] = { isSignedIn: false, cookies: [] }
  #opened: OpenBrowser
  /** The devices that the bot itself has turned on. */
  readonly #wanted: Record<Device, boolean> = { microphone: false, camera: false }
  readonly #captions: MeetingCaptions
  /** The breakout room that the page shows. */
  #room: string | null = null
  /** Runs actions one after another: a panel may hide another control. */
  readonly #serially = createSerialQueue()

  constructor(client: MeetingClient, page: MeetingPage, observers: string, tools: DriverTools) {
    this.page = page
    this.#client = client
    this.#tools = tools
    this.#opened = tools
    this.#signs = new DoorSigns(client, page.log)
    const listeners: RosterListeners = [(event) => this.#queue.push(event), (line) => this.#taken.push(line)]
    this.#roster = rosterOf(client, tools.spec, ...listeners)
    this.#tab = new Tab({
      page: () => page.page,
      observers,
      pageRules: client.pageRules,
      isGone: () => page.died || page.page.isClosed(),
      published: () => this.#roster.screen ?? null,
      onSeen: async (seen) => tools.witness?.see({ ...seen, hasAsked: this.#signs.hasAsked, page: page.page }),
    })
    this.#captions = new MeetingCaptions({
      turnOn: (language) => this.#serially(() => turnCaptionsOn(this.#tab, language, client)),
      onProblem: (message) => this.#queue.push({ kind: 'problem', step: 'captions', message, at: tools.now() }),
      now: tools.now,
    })
    page.frame = () => this.#tab.frame
    page.onDied(() => this.#end('broken'))
  }

  receive(report: unknown): void {
    this.#tools.witness?.receive(report)
    const sign = readDoorSign(report, this.#client.joinRequest)
    const kind = at(report, 'kind')
    // A recording that lacks a participant must not pass for a whole one.
    if (kind === 'media_failed') {
      const media = `The sound and pictures that ${this.#client.label}'s client decodes`
      this.#end('lost', `${media} could not be recorded: ${String(at(report, 'text'))}`)
    } else if (sign) this.#signs.receive(sign)
    else this.#roster.receive(report, this.#tools.now())
    // Before admission any report may be the answer. In the call reports are frequent, and only its end cannot wait for the next look.
    if (!this.#isInside || this.#roster.ownEnd) this.#tab.wake()
  }

  approach(signal: AbortSignal): Promise<Door> {
    return approach(this.#doorTools(), signal)
  }

  knock(signal: AbortSignal): Promise<KnockOutcome> {
    return knock(this.#doorTools(), signal)
  }

  async enter(signal: AbortSignal): Promise<EntryOutcome> {
    const outcome = await enter(this.#doorTools(), signal)
    if (outcome.kind !== 'admitted') return outcome
    this.#follow()
    return { ...outcome, ...(this.#client.published?.asksToRecord && { asksToRecord: true }) }
  }

  events(): AsyncIterable<MeetingEvent> {
    return this.#queue
  }

  attendees(): Attendees {
    return this.#roster.at(this.#tools.now())
  }

  write(text: string): Promise<void> {
    const { functions, longestChatLine: longestLine } = this.#client
    if (functions) return this.#serially(() => this.#call(linesOf(text, longestLine).map(functions.write)))
    return this.#serially(() => {
      const before = this.#taken.length
      const isTaken = (line: string) => this.#taken.indexOf(line, before) >= 0
      return write({ tab: this.#tab, longestLine, isTaken }, text)
    })
  }

  turn(device: Device, on: boolean): Promise<void> {
    this.#wanted[device] = on
    return this.#serially(() => turn(this.#tab, device, on))
  }

  captions(language: string | null): Promise<void> {
    return this.#captions.request(language)
  }

  async leave(manner: 'politely' | 'at once'): Promise<void> {
    this.#over.abort()
    // Closing the page leaves as well. The button only spares the others a frozen picture.
    if (manner === 'politely' && this.#isInside && !this.page.died) await this.#leaveCall().catch(() => undefined)
    this.#isInside = false
    this.#queue.end()
    await this.page.close()
  }

  #leaveCall(): Promise<void> {
    const { functions } = this.#client
    return functions ? this.#call([functions.leave]) : leaveCall(this.#tab)
  }

  /** Runs the expressions one after another. */
  async #call(expressions: readonly string[]): Promise<void> {
    for (const expression of expressions) {
      const problem = await this.#tab.run(expression)
      if (problem !== null) throw new Failure('control_failed', `The meeting’s client reported a problem: ${String(problem)}`)
    }
  }

  async #tryAfresh(where: Afresh, why: string): Promise<DoorTools> {
    await this.#tools.onRefused(why)
    const own = this.#opened
    this.#opened = await this.page.renew(where === 'browser' ? this.#tools.freshBrowser : async () => own, this.#browser.cookies)
    return this.#doorTools()
  }

  #doorTools(): DoorTools {
    const { spec, signIn, identity, now } = this.#tools
    const { display } = this.#opened
    const purpose = this.#tools.isLive ? 'live' : 'record'
    // A Zoom app is no account: the browser does not sign in.
    const account = signIn?.kind === 'zoom_app' ? null : signIn
    const token = identity?.kind === 'token' ? identity.token : null
    const input = display?.hasInput ? displayInput(this.#tab, display) : this.#tab
    const refusal = () => this.#roster.refusal?.(now()) ?? null
    const tryAfresh = this.#tryAfresh.bind(this)
    const own = { client: this.#client, tab: this.#tab, signs: this.#signs, browser: this.#browser }
    return { ...own, input, tryAfresh, spec, purpose, account, token, refusal, now }
  }

  #follow(): void {
    this.#isInside = true
    const press = (control: ControlName) => this.#serially(() => this.#tab.press(control))
    const { pageRules } = this.#client
    const notices = pageRules.notices.call
    const upkeep = this.#createUpkeep()
    const { now } = this.#tools
    const emit = (event: MeetingEvent) => {
      if (event.kind === 'room') this.#room = event.name
      this.#queue.push(event)
    }
    const rooms = followRooms({ pageRules, reported: () => this.#roster.room ?? null, press, emit, now })
    const own = { tab: this.#tab, roster: this.#roster, isInRoom: (facts: Facts) => isInRoom(facts, pageRules) }
    followCall({ ...own, press, notices, upkeep, rooms, now }, this.#over.signal).then(
      (cause) => cause && this.#end(cause),
      // The page can no longer be read.
      () => this.#end('broken'),
    )
  }

  #createUpkeep(): (facts: Facts) => Promise<void> {
    const isWanted = (device: Device) => this.#wanted[device]
    const upkeep = createUpkeep({
      tab: this.#tab,
      client: this.#client,
      now: this.#tools.now,
      isWanted,
      captionLanguage: () => this.#captions.language,
      receive: (report) => this.receive(report),
      // A button that does not answer is tried again at the next look.
      open: (control) => this.#serially(() => this.#tab.press(control)).then(ignored, ignored),
      // The bot may want the device on by then.
      turnOff: (device) => this.#serially(async () => isWanted(device) || turn(this.#tab, device, false)).then(ignored, ignored),
    })
    return async (facts) => {
      await upkeep(facts)
      // The platform or the page may be the first to show a move. The end of the meeting must be seen while captions are turned on.
      void this.#captions.keep(this.#roster.needsCaptions ?? false, JSON.stringify([this.#roster.room, this.#room]))
    }
  }

  #end(cause: Extract<MeetingEvent, { kind: 'ended' }>['cause'], message = this.#roster.endMessage): void {
    this.#over.abort()
    this.#isInside = false
    const by = cause === 'removed' ? this.#roster.removedBy : null
    this.#queue.push({ kind: 'ended', cause, ...(by && { by }), ...(message && { message }), at: this.#tools.now() })
    this.#queue.end()
  }
}

function ignored(): void {}
