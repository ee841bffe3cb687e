// Google Meet, as a person meets it: a page that is looked at and pressed, beside which we hear what the meeting tells its own page.
import type { Attendees, EntryOutcome, KnockOutcome, MeetingEvent } from '../../../domain/meeting.ts'
import { type AsyncQueue, createQueue } from '../../../kit/async-queue.ts'
import { createTurns } from '../../../kit/in-turn.ts'
import type { DriverTools, MeetingDriver } from '../driver.ts'
import { MeetingPage } from '../meeting-page.ts'
import { followCall } from './call.ts'
import { write } from './chat.ts'
import { leaveCall, turn, turnCaptionsOn } from './controls.ts'
import { enter } from './enter.ts'
import { knock } from './knock.ts'
import { readTold } from './protocol.ts'
import { Roster } from './roster.ts'
import type { ControlName } from './selectors.ts'
import { Tab } from './tab.ts'

export async function createGoogleMeetDriver(tools: DriverTools): Promise<MeetingDriver> {
  const { name, tellName, script } = Tab.scripted()
  const origin = new URL(tools.spec.meeting.url).origin
  const meeting = await MeetingPage.open(tools.browser, { origin, scripts: [...tools.scripts, script] })
  const driver = new GoogleMeetDriver(meeting, new Tab(meeting.page, name, () => meeting.died || meeting.page.isClosed()), tools)
  await meeting.page.exposeBinding(tellName, ({ frame }, told: unknown) => {
    if (frame === meeting.page.mainFrame()) driver.hear(told)
  })
  return driver
}

class GoogleMeetDriver implements MeetingDriver {
  readonly #meeting: MeetingPage
  readonly #tab: Tab
  readonly #tools: DriverTools
  readonly #queue: AsyncQueue<MeetingEvent> = createQueue()
  readonly #roster: Roster
  /** Lines of the bot's own that the meeting has told back. */
  readonly #taken: string[] = []
  readonly #over = new AbortController()
  #isInside = false
  /** One hand: what is pressed is pressed one after the other. */
  readonly #inTurn = createTurns()

  constructor(meeting: MeetingPage, tab: Tab, tools: DriverTools) {
    this.#meeting = meeting
    this.#tab = tab
    this.#tools = tools
    this.#roster = new Roster(
      (event) => this.#queue.push(event),
      (line) => this.#taken.push(line),
    )
    meeting.onDied(() => this.#end('broken'))
  }

  hear(told: unknown): void {
    const understood = readTold(told)
    if (understood) this.#roster.hear(understood, this.#tools.now())
  }

  knock(signal: AbortSignal): Promise<KnockOutcome> {
    const { spec, signIn: account, now } = this.#tools
    return knock({ tab: this.#tab, spec, account, now }, signal)
  }

  async enter(signal: AbortSignal): Promise<EntryOutcome> {
    const outcome = await enter(this.#tab, this.#tools.now, signal)
    if (outcome.kind === 'admitted') this.#follow()
    return outcome
  }

  events(): AsyncIterable<MeetingEvent> {
    return this.#queue
  }

  attendees(): Attendees {
    return this.#roster.at(this.#tools.now())
  }

  write(text: string): Promise<void> {
    return this.#inTurn(() => {
      const before = this.#taken.length
      return write(this.#tab, text, (line) => this.#taken.indexOf(line, before) >= 0)
    })
  }

  turn(device: 'microphone' | 'camera', on: boolean): Promise<void> {
    return this.#inTurn(() => turn(this.#tab, device, on))
  }

  captions(language: string | null): Promise<void> {
    return this.#inTurn(() => turnCaptionsOn(this.#tab, language))
  }

  async leave(how: 'politely' | 'at once'): Promise<void> {
    this.#over.abort()
    // Closing the page leaves as well; pressing the button only spares the others a frozen picture.
    if (how === 'politely' && this.#isInside && !this.died()) await leaveCall(this.#tab).catch(() => undefined)
    this.#isInside = false
    this.#queue.end()
    await this.#meeting.close()
  }

  run = (expression: string) => this.#meeting.run(expression)
  died = () => this.#meeting.died
  touch = () => this.#meeting.touch()
  pageText = () => this.#meeting.text()
  picture = (withinMs?: number) => this.#meeting.picture(withinMs)

  #follow(): void {
    this.#isInside = true
    const press = (control: ControlName) => this.#inTurn(() => this.#tab.press(control))
    followCall({ tab: this.#tab, roster: this.#roster, press, now: this.#tools.now }, this.#over.signal).then(
      (how) => how && this.#end(how),
      // A page that can no longer be looked at.
      () => this.#end('broken'),
    )
  }

  #end(how: Extract<MeetingEvent, { kind: 'ended' }>['how']): void {
    this.#over.abort()
    this.#isInside = false
    this.#queue.push({ kind: 'ended', how, at: this.#tools.now() })
    this.#queue.end()
  }
}
