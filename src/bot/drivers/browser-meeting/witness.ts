// Collects all that the driver sees in one join, for `emissary doctor --bundle`. Nothing of it is redacted yet.
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import type { JsonObject } from '../../../domain/bot.ts'
import type { FieldStep } from '../../../domain/field-kit.ts'
import { pageCall, pageFunction } from '../../worker/page-bundle.ts'
import type { Facts } from './facts.ts'
import type { JoinWitness, SeenScreen } from './join-witness.ts'
import { at } from './json-fields.ts'
import type { MeetingClient } from './meeting-client.ts'
import type { SentRules } from './page/sent.ts'
import type { SnapshotRules, TreeElement } from './page/snapshot.ts'
import type { PageRules, Screen, Stage } from './page-rules.ts'
import { secretName } from './reports.ts'
import { ruleOf } from './screens.ts'
import { withElement } from './with-element.ts'

const READ_WITHIN_MS = 3_000
/** A call's page changes all the time. */
const CALL_EVERY_MS = 1_000
const MOST_SCREENS = 150
const MOST_STEPS = 20_000
const LONGEST_LINE = 2_000

/** Hides everything that shows a person or says something: text, pictures and video. */
const WITHOUT_CONTENT = `*, *::before, *::after, *::placeholder {
  color: transparent !important; -webkit-text-fill-color: transparent !important; -webkit-text-stroke: 0 !important;
  text-shadow: none !important; text-decoration-color: transparent !important; caret-color: transparent !important;
  background-image: none !important; list-style-image: none !important; border-image: none !important;
  transition: none !important; animation: none !important;
}
img, video, canvas, picture, object, svg image, svg text { visibility: hidden !important }`

type RawDocument = { readonly key: string; readonly url: string; readonly tree: TreeElement }
type Redacted = Extract<FieldStep, { kind: 'screen' }>
type RawScreen = Omit<Redacted, 'documents' | 'people'> & {
  readonly documents: readonly RawDocument[]
  readonly people: readonly Facts['people'][number][]
  readonly isInside: boolean
}
export type RawStep = RawScreen | Exclude<FieldStep, { kind: 'screen' | 'withheld' }>
type Other = Exclude<RawStep, RawScreen>
type WithoutTime<Step> = Step extends unknown ? Omit<Step, 'at'> : never

type WitnessTools = {
  readonly client: Pick<MeetingClient, 'pageRules' | 'traffic' | 'joinRequest'>
  readonly withPictures: boolean
  readonly now: () => number
}

export class Witness implements JoinWitness {
  readonly steps: RawStep[] = []
  readonly script: string
  readonly receivers: JoinWitness['receivers']
  readonly #tools: WitnessTools
  #lastScreen = ''
  #lastAt = 0
  #screens = 0

  constructor(tools: WitnessTools) {
    this.#tools = tools
    const { channels = [], sockets = {} } = tools.client.traffic?.listensTo ?? {}
    const rules: SentRules = { channels, sockets: Object.values(sockets) }
    const reports = secretName()
    this.script = pageCall(import.meta.url, 'page/sent.ts', 'followSent', reports, rules)
    this.receivers = { [reports]: (report) => this.#receiveSent(report) }
  }

  furnish(context: BrowserContext): void {
    context.on('console', (message) => {
      this.add({ kind: 'console', text: `${message.type()}: ${message.text()}`.slice(0, LONGEST_LINE) })
      // Logged objects would otherwise stay in the page's memory.
      for (const handle of message.args()) handle.dispose().catch(() => undefined)
    })
    context.on('weberror', (failed) => this.add({ kind: 'console', text: `uncaught: ${failed.error().message}`.slice(0, LONGEST_LINE) }))
    context.on('response', (response) => {
      const url = response.url()
      if (response.request().isNavigationRequest() || this.#isRead(url)) this.add({ kind: 'response', url, status: response.status() })
    })
  }

  #receiveSent(report: unknown): void {
    const kind = at(report, 'kind')
    if (kind === 'sent' || kind === 'description') this.add(report as WithoutTime<Other>)
  }

  receive(report: unknown): void {
    this.add({ kind: 'report', report: Object(report) as JsonObject })
  }

  add(step: WithoutTime<Other>): void {
    if (this.steps.length < MOST_STEPS) this.steps.push({ ...step, at: this.#tools.now() } as Other)
  }

  /** Keeps the screen if it differs from the last one, without its documents if the page changed while they were copied. */
  async see({ stage, facts, screen, hasAsked, page, again }: Parameters<JoinWitness['see']>[0]): Promise<void> {
    const { pageRules } = this.#tools.client
    const now = this.#tools.now()
    const state = stateOf(stage, screen, facts)
    const isSoon = stage === 'call' && now - this.#lastAt < CALL_EVERY_MS
    if (state === this.#lastScreen || isSoon || this.#screens >= MOST_SCREENS) return
    // Reports that come while it is copied are later than it.
    const place = this.steps.length
    const copied = await within(documentsOf(page.mainFrame(), rulesOf(pageRules), { key: '0', withinMs: READ_WITHIN_MS }))
    const isSame = signsOf(await again()) === signsOf({ facts, screen })
    const documents = isSame ? (copied ?? []) : []
    this.#lastScreen = state
    this.#lastAt = now
    this.#screens += 1
    const rule = ruleOf(facts, pageRules, stage)
    const picture = await this.#picture(page)
    this.steps.splice(place, 0, {
      kind: 'screen',
      at: now,
      stage,
      screen,
      rule: rule?.screen === screen ? pageRules.screens[stage].indexOf(rule) : null,
      hasAsked,
      controls: [...facts.visible],
      people: facts.people,
      documents,
      isInside: screen === 'inside' || screen === 'moving',
      picture,
    })
  }

  async #picture(page: Page): Promise<string | null> {
    const style = this.#tools.withPictures ? '' : WITHOUT_CONTENT
    const taken = await within(page.screenshot({ type: 'jpeg', quality: 50, style, timeout: READ_WITHIN_MS }))
    return taken?.toString('base64') ?? null
  }

  #isRead(url: string): boolean {
    const { traffic, joinRequest } = this.#tools.client
    const { answers = {}, texts = {} } = traffic?.listensTo ?? {}
    const parts = [...Object.values(answers), ...Object.values(texts), ...(joinRequest ? [joinRequest.url] : [])]
    return parts.some((part) => url.includes(part))
  }
}

/** What a replay must find on the page again. */
function signsOf({ screen, facts }: Pick<SeenScreen, 'screen' | 'facts'>): string {
  return JSON.stringify([screen, [...facts.visible], facts.people.map(({ name }) => name)])
}

/** Clocks and counters are no change of the screen. */
function stateOf(stage: Stage, screen: Screen, { url, text, visible, people }: Facts): string {
  return JSON.stringify([stage, screen, url, text.replaceAll(/\d+/g, '0'), [...visible], people.map(({ id, name }) => [id, name])])
}

function rulesOf({ talk, chatLines, people }: PageRules): SnapshotRules {
  return { talk: [...talk, ...chatLines].join(), tiles: people.tile }
}

type Place = { readonly key: string; readonly withinMs: number }

/** The document of the frame, then those of the frames in it. A frame that does not answer in half the time of its own frame has none. */
async function documentsOf(frame: Frame, rules: SnapshotRules, { key, withinMs }: Place): Promise<readonly RawDocument[]> {
  const take = `${pageFunction(import.meta.url, 'page/snapshot.ts', 'snapshot')}(${JSON.stringify(rules)})`
  const own = { key, url: frame.url(), tree: (await frame.evaluate(take)) as TreeElement }
  const half = withinMs / 2
  const inner = await Promise.all(frame.childFrames().map((it) => within(inFrame(it, rules, { key, withinMs: half }), half)))
  return [own, ...inner.flatMap((it) => it ?? [])]
}

async function inFrame(frame: Frame, rules: SnapshotRules, { key, withinMs }: Place): Promise<readonly RawDocument[]> {
  const index = await withElement(await frame.frameElement(), (element) =>
    element.evaluate((it) => [...(it as Element).ownerDocument.querySelectorAll('iframe')].indexOf(it as HTMLIFrameElement)),
  )
  return documentsOf(frame, rules, { key: `${key}.${index}`, withinMs })
}

/** Null on an error, or after a while. */
function within<Value>(work: Promise<Value>, withinMs = READ_WITHIN_MS): Promise<Value | null> {
  return Promise.race([work.catch(() => null), delay(withinMs, null, { ref: false })])
}
