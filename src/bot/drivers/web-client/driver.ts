// The driver for a platform's web client: presses controls in its page, and reads its messages.
import type { JsonObject } from '../../../domain/bot.ts'
import type { Door } from '../../../domain/doctor.ts'
import type { Attendees, EntryOutcome, KnockOutcome, MeetingEvent } from '../../../domain/meeting.ts'
import { type AsyncQueue, createQueue } from '../../../kit/async-queue.ts'
import { Failure } from '../../../kit/failure.ts'
import { createTurns } from '../../../kit/in-turn.ts'
import type { DriverTools, MeetingDriver } from '../driver.ts'
import { approach } from './approach.ts'
import { followCall } from './call.ts'
import { linesOf, write } from './chat.ts'
import { leaveCall, turn, turnCaptionsOn } from './controls.ts'
import { displayInput } from './display-input.ts'
import { DoorSigns } from './door-signs.ts'
import { enter } from './enter.ts'
import type { Facts } from './facts.ts'
import { knock } from './knock.ts'
import { MeetingPage } from './meeting-page.ts'
import { clientScript } from './page-script.ts'
import { isUnnamedSound, readDoorSign, readMediaFailure } from './read-report.ts'
import { Roster } from './roster.ts'
import { Tab } from './tab.ts'
import type { ControlName, PlatformTables } from './tables.ts'
import { type Device, Upkeep } from './upkeep.ts'
import type { DoorTools } from './visit.ts'
import type { ClientRoster, RosterListeners, WebClient } from './web-client.ts'

export async function createWebClientDriver(builtIn: WebClient, tools: DriverTools): Promise<MeetingDriver> {
  const client = { ...builtIn, tables: await tablesFor(builtIn, tools.tables) }
  const names = Tab.names()
  const origins = [client.addressOf(tools.spec, tools.isLive).origin, ...(client.origins ?? [])]
  const scripts = [...tools.scripts, clientScript(names, client)]
  let driver: WebClientDriver | null = null
  const page = await MeetingPage.open(tools.browser, {
    ...{ display: tools.display, viewport: client.viewport ?? null, origins, scripts },
    furnish: (context) =>
      Promise.all([
        context.exposeBinding(names.binding, ({ frame }, report: unknown) => {
          if (frame === driver?.page.frame()) driver.receive(report)
        }),
        client.published?.follow(context, (report) => driver?.receive(report)),
      ]),
  })
  const wrong = tools.tables && (await wrongSelector(page, client.tables))
  if (wrong) {
    await page.close()
    throw new Failure('tables_invalid', `The tables of ${client.label} are invalid: ${wrong} is not a selector`)
  }
  driver = new WebClientDriver(client, page, names.global, tools)
  return driver
}

/** Loaded only when needed: the schema checker takes 5 MB and 0.2 s of CPU. */
const replacing = () => import('./replace-tables.ts')

/** The service checked them at its start. A problem here means that two versions run at once. */
async function tablesFor({ label, tables: builtIn }: WebClient, given: JsonObject | null): Promise<PlatformTables> {
  if (!given) return builtIn
  const { replaceTables } = await replacing()
  const { tables, problems } = replaceTables(builtIn, given)
  if (problems.length > 0) throw new Failure('tables_invalid', `The tables of ${label} are invalid: ${problems[0]}`)
  return tables
}

/** Only a browser can check a selector. */
async function wrongSelector(page: MeetingPage, tables: PlatformTables): Promise<string | null> {
  const { selectorsOf } = await replacing()
  const fails = '(css) => { try { document.querySelector(css); return false } catch { return true } }'
  const wrong = await page.run(`${JSON.stringify(selectorsOf(tables))}.find(${fails}) ?? null`)
  return typeof wrong === 'string' ? wrong : null
}

class WebClientDriver implements MeetingDriver {
  readonly page: MeetingPage
  readonly #client: WebClient
  readonly #tab: Tab
  readonly #tools: DriverTools
  readonly #queue: AsyncQueue<MeetingEvent> = createQueue()
  readonly #roster: ClientRoster
  readonly #signs: DoorSigns
  /** Own chat messages that the platform has sent back. */
  readonly #taken: string[] = []
  readonly #over = new AbortController()
  #isInside = false
  readonly #browser = { isSignedIn: false }
  /** The devices that the bot itself has turned on. */
  readonly #wanted: Record<Device, boolean> = { microphone: false, camera: false }
  #captionLanguage: string | null = null
  #hasCaptions = false
  /** Runs actions one after another: a panel may hide another control. */
  readonly #inTurn = createTurns()

  constructor(client: WebClient, page: MeetingPage, global: string, tools: DriverTools) {
    this.page = page
    this.#client = client
    this.#tools = tools
    this.#signs = new DoorSigns(client, page.log)
    const listeners: RosterListeners = [(event) => this.#queue.push(event), (line) => this.#taken.push(line)]
    this.#roster = client.published?.createRoster(...listeners) ?? new Roster(client.createReaders({ name: tools.spec.name }), ...listeners)
    this.#tab = new Tab({
      ...{ page: page.page, global, tables: client.tables },
      ...{ isGone: () => page.died || page.page.isClosed(), published: () => this.#roster.screen ?? null },
    })
    page.frame = () => this.#tab.frame
    page.onDied(() => this.#end('broken'))
  }

  receive(report: unknown): void {
    const sign = readDoorSign(report, this.#client.doorReaders ?? {})
    const failure = readMediaFailure(report)
    // A recording that lacks a participant must not pass for a whole one.
    if (failure !== null)
      this.#end('lost', `The sound and pictures that ${this.#client.label}'s client decodes could not be recorded: ${failure}`)
    else if (sign) this.#signs.receive(sign)
    else if (isUnnamedSound(report)) this.#nameSpeakers()
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
    return { ...outcome, ...(this.#client.asksToRecord && { asksToRecord: true }) }
  }

  events(): AsyncIterable<MeetingEvent> {
    return this.#queue
  }

  attendees(): Attendees {
    return this.#roster.at(this.#tools.now())
  }

  write(text: string): Promise<void> {
    const { calls } = this.#client
    if (calls) return this.#inTurn(() => this.#call(linesOf(text, this.#client.longestChatLine).map(calls.write)))
    return this.#inTurn(() => {
      const before = this.#taken.length
      const isTaken = (line: string) => this.#taken.indexOf(line, before) >= 0
      return write({ tab: this.#tab, longestLine: this.#client.longestChatLine, isTaken }, text)
    })
  }

  turn(device: Device, on: boolean): Promise<void> {
    this.#wanted[device] = on
    return this.#inTurn(() => turn(this.#tab, device, on))
  }

  captions(language: string | null): Promise<void> {
    this.#captionLanguage = language
    return this.#inTurn(async () => {
      const { captions, tables } = this.#client
      const isOn = captions && (await this.#tab.run(captions.begin(language))) === true
      if (!isOn) await turnCaptionsOn(this.#tab, language, tables)
      this.#hasCaptions = true
    })
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
    const { calls } = this.#client
    return calls ? this.#call([calls.leave]) : leaveCall(this.#tab)
  }

  /** Runs the expressions one after another. */
  async #call(expressions: readonly string[]): Promise<void> {
    for (const expression of expressions) {
      const problem = await this.#tab.run(expression)
      if (problem !== null) throw new Failure('control_failed', `The meeting’s client reported a problem: ${String(problem)}`)
    }
  }

  #doorTools(): DoorTools {
    const { display, spec, isLive, signIn, now } = this.#tools
    // A Zoom app is no account: the browser does not sign in.
    const account = signIn?.kind === 'zoom_app' ? null : signIn
    const input = display?.hasInput ? displayInput(this.#tab, display) : this.#tab
    const refusal = () => this.#roster.refusal?.(now()) ?? null
    return { client: this.#client, tab: this.#tab, input, signs: this.#signs, browser: this.#browser, spec, isLive, account, refusal, now }
  }

  #follow(): void {
    this.#isInside = true
    const press = (control: ControlName) => this.#inTurn(() => this.#tab.press(control))
    const notices = this.#client.tables.notices.call
    const upkeep = (facts: Facts) => keeper.look(facts)
    const keeper = this.#createUpkeep()
    followCall({ tab: this.#tab, roster: this.#roster, press, notices, upkeep, now: this.#tools.now }, this.#over.signal).then(
      (cause) => cause && this.#end(cause),
      // The page can no longer be read.
      () => this.#end('broken'),
    )
  }

  /** Only captions name the speakers in such a call. Without them, speakers stay unnamed. */
  #nameSpeakers(): void {
    if (!this.#hasCaptions) this.captions(this.#captionLanguage).catch(ignored)
  }

  #createUpkeep(): Upkeep {
    const isWanted = (device: Device) => this.#wanted[device]
    return new Upkeep({
      ...{ tab: this.#tab, client: this.#client, now: this.#tools.now, isWanted, captionLanguage: () => this.#captionLanguage },
      receive: (report) => this.receive(report),
      // A button that does not answer is tried again at the next look.
      open: (control) => this.#inTurn(() => this.#tab.press(control)).then(ignored, ignored),
      // The bot may want the device on by then.
      turnOff: (device) => this.#inTurn(async () => isWanted(device) || turn(this.#tab, device, false)).then(ignored, ignored),
    })
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
