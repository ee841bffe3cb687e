// The load while faults happen: bots are created and read through the API, and their events are received.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { API_KEY } from '../harness/server.ts'
import { linkWithoutDriver } from '../harness/without-driver.ts'
import type { Subject } from './service-under-test.ts'

const CREATE_EVERY_MS = 200
const READ_EVERY_MS = 50
const ANSWER_WITHIN_MS = 5_000
const MOST_AT_ONCE = 40

/** Events by bot, in the order of arrival. */
export class Receipts {
  readonly #eventsOf = new Map<string, string[]>()
  readonly #server: Server

  static async open(): Promise<Receipts> {
    const receipts = new Receipts()
    await new Promise<void>((resolve) => receipts.#server.listen(0, '127.0.0.1', resolve))
    return receipts
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { bot_id, event_id } = JSON.parse(Buffer.concat(chunks).toString()) as Record<'bot_id' | 'event_id', string>
        this.#eventsOf.set(bot_id, [...this.of(bot_id), event_id])
        response.end()
      })
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  of(bot: string): readonly string[] {
    return this.#eventsOf.get(bot) ?? []
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export type Answered = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

/** Asks a random node. */
export async function requestApi(subject: Subject, method: 'GET' | 'POST', path: string, body?: object): Promise<Answered> {
  const { url } = subject.anyNode(Math.random)
  const headers = { authorization: `Token ${API_KEY}`, ...(body && { 'content-type': 'application/json' }) }
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const answer = await fetch(`${url}/api/v1/bots/${path}`, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: (await answer.json()) as Answered['body'] }
}

export class Load {
  readonly #subject: Subject
  readonly #receiver: string
  readonly #acknowledged: string[] = []
  readonly #timers: NodeJS.Timeout[] = []
  #underWay = 0
  #created = 0
  #unanswered = 0

  constructor(subject: Subject, receiver: string) {
    this.#subject = subject
    this.#receiver = receiver
    this.#timers.push(setInterval(() => this.#send(() => this.#create()), CREATE_EVERY_MS))
    this.#timers.push(setInterval(() => this.#send(() => this.#read()), READ_EVERY_MS))
  }

  /** The bots whose creation was answered with 201. */
  acknowledged(): readonly string[] {
    return this.#acknowledged
  }

  /** Requests without an answer, or with a server error. */
  unanswered(): number {
    return this.#unanswered
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** A failed request is expected of a broken service, and is not acknowledged. */
  #send(request: () => Promise<Answered | null>): void {
    if (this.#underWay >= MOST_AT_ONCE) return
    this.#underWay += 1
    request()
      .catch(() => ({ status: 0 }))
      .then((answer) => {
        this.#underWay -= 1
        if (answer && (answer.status === 0 || answer.status >= 500)) this.#unanswered += 1
      })
  }

  async #create(): Promise<Answered> {
    const body = { meeting_link: linkWithoutDriver(++this.#created), callback_url: this.#receiver }
    const answer = await requestApi(this.#subject, 'POST', 'create_bot', body)
    if (answer.status === 201) this.#acknowledged.push(String(answer.body.bot_id))
    return answer
  }

  async #read(): Promise<Answered | null> {
    const bot = this.#acknowledged[Math.floor(Math.random() * this.#acknowledged.length)]
    return bot ? requestApi(this.#subject, 'GET', `${bot}/status`) : null
  }
}
