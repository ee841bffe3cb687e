// A service whose bots find Google Meet on this machine, and what a test asks of both.
import { expect } from 'vitest'
import { type Meet, type Meeting, type MeetOptions, type Scenario, startMeet } from '../../sims/google-meet/meet.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { startTestService, type TestService } from './service.ts'
import { until } from './until.ts'

/** What a bot may press on its way in; anything else leads somewhere else. */
const PRESSABLE =
  /^(microphone|camera|join|without_devices|use_without_account|got_it|dismiss|close_toast|close_device_error|close_dialog|keep_waiting|consent_\w+)$/

export class MeetStage {
  readonly meet: Meet
  readonly service: TestService
  readonly hook: Receiver
  #meetings = 0

  static async open(options: MeetOptions = {}, settings: Record<string, string> = {}): Promise<MeetStage> {
    const meet = await startMeet(options)
    // As the real one it is a page of the internet, for which this machine is another network.
    const flags = [...meet.flags, `--ip-address-space-overrides=127.0.0.1:${meet.port}=public`]
    const CHROMIUM_FLAGS = flags.map((flag) => `"${flag}"`).join(' ')
    // One browser for all of them.
    const service = await startTestService({ CHROMIUM_FLAGS, BOTS_PER_HOST: '8', BOT_HOSTS: '1', ...settings })
    return new MeetStage(meet, service, await startReceiver())
  }

  private constructor(meet: Meet, service: TestService, hook: Receiver) {
    this.meet = meet
    this.service = service
    this.hook = hook
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.meet.stop()
    await this.hook.close()
  }

  /** A code that no other meeting of this stage has. */
  newCode(): string {
    this.#meetings += 1
    return `emi-ssar-${String.fromCharCode(97 + Math.floor(this.#meetings / 26), 97 + (this.#meetings % 26))}y`
  }

  meeting(scenario: Partial<Scenario> = {}): Meeting {
    return this.meet.meeting(this.newCode(), scenario)
  }

  async send(code: string, body: object = {}): Promise<string> {
    const link = { meeting_link: `https://meet.google.com/${code}`, callback_url: `${this.hook.url}/${code}` }
    const answer = await this.service.api('POST', '/api/v1/bots/create_bot', { ...link, ...body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.bot_id
  }

  /** The shortest wait a caller may ask for is a minute, and too long for a test. */
  async sendImpatient(code: string, waitingRoomSeconds: number): Promise<string> {
    const id = await this.send(code, { join_at: new Date(Date.now() + 3_600_000).toISOString() })
    const { spec } = await this.service.db
      .selectFrom('bots')
      .select('spec')
      .where('id', '=', id as never)
      .executeTakeFirstOrThrow()
    const impatient = JSON.stringify({ ...spec, leave: { ...spec.leave, waitingRoomSeconds } })
    await this.service.db
      .updateTable('bots')
      .set({ spec: impatient, launch_at: new Date() })
      .where('id', '=', id as never)
      .execute()
    return id
  }

  detail = async (id: string) => (await this.service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
  read = async (id: string, what: string) => (await this.service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  command = (id: string, name: string, body?: object) => this.service.api('POST', `/api/v1/bots/${id}/${name}`, body)
  remove = (id: string) => this.service.api('GET', `/api/v1/bots/${id}/remove_bot`)

  /** The bot's record, once its timeline has the stage. */
  async has(id: string, stage: string, withinMs = 40_000) {
    await until(`the bot reaches ${stage}`, async () => stage in (await this.detail(id)).StatusTimeline, withinMs)
    return this.detail(id)
  }

  async waits(meeting: Meeting, id: string): Promise<void> {
    await this.has(id, 'InWaitingRoom')
    await until('it knocks', () => meeting.knocks().length > 0, 10_000)
  }

  /** What the receiver was told of the bot up to its end, in order. */
  async told(id: string, withinMs = 60_000) {
    const heard = () => this.hook.received.filter(({ body }) => body.bot_id === id).map(({ body }) => body)
    await until('bot.done is delivered', () => heard().some((it) => it.bot_event === 'bot.done'), withinMs)
    return heard()
  }
}

export function pressesOf({ pressed }: Meeting): readonly string[] {
  const controls = pressed.map(({ control }) => control)
  expect(
    controls.filter((it) => !PRESSABLE.test(it)),
    'nothing else is pressed on the way in',
  ).toEqual([])
  return controls
}
