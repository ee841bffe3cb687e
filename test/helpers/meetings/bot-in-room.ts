// A service, guests in its rooms, and bots sent to them through the API.
import { expect, onTestFinished } from 'vitest'
import { type Guests, inviteGuests } from '../../../sims/room/guest.ts'
import type { Script } from '../../../sims/room/people.ts'
import type { TestService } from '../service/service.ts'
import { until } from '../until.ts'

export const ADA: Script = { name: 'Ada', colour: '#b03060', tone: 440, joinAt: null }
export const BEN: Script = { name: 'Ben', colour: '#2e8b57', tone: 700, joinAt: null }
export const CY: Script = { name: 'Cy', colour: '#2040c0', tone: 1000, joinAt: null }

/** For stories that judge no video: cameras take most of a meeting's CPU. */
export const withoutCamera = (script: Script): Script => ({ ...script, query: { ...script.query, cam: '0' } })
/** Fields of create_bot for it: nothing is composed after the call. */
export const NO_VIDEO = { video_required: false }

export function rgbOf(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

export function isNear(seen: readonly number[], wanted: readonly number[], within = 40): boolean {
  return seen.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) < within)
}

/** Resolves when all have joined. They leave when the test is over. */
export async function joinRoom(roomUrl: string, ...scripts: Script[]): Promise<Guests> {
  const guests = await inviteGuests(roomUrl, scripts)
  try {
    onTestFinished(() => guests.stop())
  } catch {
    // Guests of a hook are stopped by that hook.
  }
  for (const guest of guests.people) await guest.join()
  return guests
}

export class Stage {
  readonly service: TestService

  constructor(service: TestService) {
    this.service = service
  }

  link = (room: string): string => `${this.service.url}/room/${room}`

  cast = (room: string, ...scripts: Script[]): Promise<Guests> => joinRoom(this.link(room), ...scripts)

  async send(room: string, body: object = {}): Promise<string> {
    const answer = await this.service.api('POST', '/api/v1/bots/create_bot', { meeting_link: this.link(room), ...body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.bot_id
  }

  detail = async (id: string) => (await this.service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
  read = async (id: string, what: string) => (await this.service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  command = (id: string, name: string, body?: object) => this.service.api('POST', `/api/v1/bots/${id}/${name}`, body)

  async has(id: string, stage: string, withinMs = 60_000): Promise<void> {
    let reached: readonly string[] = []
    const hasReached = async (): Promise<boolean> => {
      reached = Object.keys((await this.detail(id)).StatusTimeline)
      return reached.includes(stage)
    }
    await until(`the bot reaches ${stage}`, hasReached, withinMs).catch((cause: unknown) => {
      throw new Error(`The bot has not reached ${stage}, only ${reached.join(', ')}`, { cause })
    })
  }

  async remove(id: string): Promise<void> {
    expect((await this.service.api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
    await this.has(id, 'Stopped')
  }

  /** Waits until the bot is out and its recording is processed. */
  async finish(id: string): Promise<void> {
    await this.remove(id)
    await this.has(id, 'Done', 120_000)
  }
}
