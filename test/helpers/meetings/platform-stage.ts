// A service whose bots reach a simulated platform, for the stages of all platforms.
import path from 'node:path'
import { expect } from 'vitest'
import type { BotSpec } from '../../../src/domain/bot.ts'
import type { ManifestFact } from '../../../src/domain/recording.ts'
import { type Receiver, startReceiver } from '../callers/receiver.ts'
import { type LeftRecording, readRecording } from '../media/recording.ts'
import { startTestService, type TestService } from '../service/service.ts'
import { until } from '../until.ts'

export type StageParts = {
  readonly service: TestService
  readonly hook: Receiver
  readonly startNode: (settings: Readonly<Record<string, string>>) => Promise<TestService>
}

/** One browser for all bots. `flags` lead it to the simulator. */
export async function openStage(flags: readonly string[], settings: Readonly<Record<string, string>>): Promise<StageParts> {
  const CHROMIUM_FLAGS = flags.map((flag) => `"${flag}"`).join(' ')
  const startNode = (own: Readonly<Record<string, string>> = {}) =>
    startTestService({ CHROMIUM_FLAGS, BOTS_PER_WORKER: '8', BOT_WORKERS: '1', ...settings, ...own })
  return { service: await startNode(), hook: await startReceiver(), startNode }
}

export class PlatformStage {
  readonly service: TestService
  readonly hook: Receiver
  readonly #startNode: StageParts['startNode']

  protected constructor({ service, hook, startNode }: StageParts) {
    this.service = service
    this.hook = hook
    this.#startNode = startNode
  }

  /** Another node on the same database. The test stops it. */
  startOtherNode = (): Promise<TestService> => this.#startNode({ DATABASE_URL: this.service.databaseUrl })

  async send({ url }: { readonly url: string }, body: object = {}): Promise<string> {
    const given = { meeting_link: url, callback_url: `${this.hook.url}/events`, ...body }
    const answer = await this.service.api('POST', '/api/v1/bots/create_bot', given)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.bot_id
  }

  /** The API allows no wait below one minute, which is too long for a test. */
  async sendWithLeave(meeting: { readonly url: string }, leave: Partial<BotSpec['leave']>): Promise<string> {
    const id = await this.send(meeting, { join_at: new Date(Date.now() + 3_600_000).toISOString() })
    const { db } = this.service
    const { spec } = await db
      .selectFrom('bots')
      .select('spec')
      .where('id', '=', id as never)
      .executeTakeFirstOrThrow()
    const changed = JSON.stringify({ ...spec, leave: { ...spec.leave, ...leave } })
    await db
      .updateTable('bots')
      .set({ spec: changed, launch_at: new Date() })
      .where('id', '=', id as never)
      .execute()
    return id
  }

  detail = async (id: string) => (await this.service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
  read = async (id: string, what: string) => (await this.service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  command = (id: string, name: string, body?: object) => this.service.api('POST', `/api/v1/bots/${id}/${name}`, body)
  remove = (id: string) => this.service.api('GET', `/api/v1/bots/${id}/remove_bot`)

  /** Returns the bot's details once its timeline has the stage. */
  async has(id: string, stage: string, withinMs = 60_000) {
    await until(`the bot reaches ${stage}`, async () => stage in (await this.detail(id)).StatusTimeline, withinMs)
    return this.detail(id)
  }

  /** The bot's events up to bot.done, in order. */
  async receivedEvents(id: string, withinMs = 60_000) {
    const received = () => this.hook.received.filter(({ body }) => body.bot_id === id).map(({ body }) => body)
    await until('bot.done is delivered', () => received().some((it) => it.bot_event === 'bot.done'), withinMs)
    return received()
  }

  /** The bot's recording on the disk, until the bot is done. */
  recordingOf = (id: string): LeftRecording => readRecording(path.join(this.service.directory, 'recordings', id))

  /** Resolves with the gap of a killed worker, once `enoughMs` are recorded after it. */
  recordsAgain(id: string, enoughMs: number): Promise<ManifestFact> {
    const passedGap = () => this.recordingOf(id).facts.find((it) => it.fact === 'gap' && this.lastMsOf(id) > it.toMs + enoughMs)
    return until('it is back, and records', passedGap, 90_000)
  }

  /** The end of the recorded media on the disk. */
  lastMsOf(id: string): number {
    return Math.max(0, ...this.recordingOf(id).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
  }
}
