// What a bot does in a meeting besides being there: it records, streams to who listens, takes pictures, shows and says what it was given.
import type { Participant } from '../domain/meeting.ts'
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import type { NativeSettings } from '../domain/speech-providers.ts'
import type { Outgoing } from '../kit/outgoing.ts'
import type { Speech } from '../speech/registry.ts'
import type { Capture } from './capture/capture.ts'
import type { Owners } from './capture/owners.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import { type Control, startControl } from './live/control.ts'
import { type LiveAudio, startLiveAudio } from './live/live-audio.ts'
import type { LiveWords } from './live/live-words.ts'
import { openLiveWords } from './live/spoken-out.ts'
import { fetchClip, fetchPicture } from './outgoing/fetched.ts'
import type { Presence } from './presence.ts'
import { type Pulse, startPulse } from './pulse.ts'
import type { Screenshots } from './screenshots.ts'
import type { Work } from './session.ts'

export type WorkTools = {
  readonly orders: BotOrders
  readonly driver: MeetingDriver
  readonly capture: Capture
  readonly owners: Owners
  readonly presence: Presence
  readonly screenshots: Screenshots
  readonly outgoing: Outgoing
  readonly now: () => number
  readonly report: (report: FromHost) => void
  /** Something the meeting goes on without. */
  readonly failed: (step: string, message: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

export type BotWork = Work & {
  /** Decoded sound of one source, 20 ms of it. */
  hear(source: string, pcm: Int16Array, atMs: number): void
  pause(): void
  resume(): void
}

export function createWork(tools: WorkTools): BotWork {
  const { orders, driver, capture, owners, presence, screenshots, now, report } = tools
  const { botId, fence } = orders
  let people: ReadonlyMap<string, Participant> = new Map()
  let listeners: readonly (LiveAudio | LiveWords)[] = []
  let control: Control | null = null
  let pulse: Pulse | null = null
  let ended: Promise<void> | null = null
  let tellStill = (_words: string): void => undefined
  const still = new Promise<string>((resolve) => {
    tellStill = resolve
  })

  function speakerOf(source: string): { readonly id: string; readonly name: string } | null {
    const id = owners.participantOf(source)
    return id === null ? null : { id, name: people.get(id)?.name ?? '' }
  }

  async function finish(reason: string): Promise<void> {
    pulse?.stop()
    screenshots.stop()
    presence.stop()
    await Promise.all([...listeners.map((it) => it.end()), control?.end()])
    await capture.end(reason)
  }

  return {
    still,
    lastMediaAt: () => pulse?.lastMediaAt() ?? null,
    async begin() {
      await capture.begin()
      report({ kind: 'recording', botId, fence, at: now() })
      pulse = startPulse({ touch: () => driver.touch(), health: () => capture.health() }, now)
      void pulse.still.then(tellStill)
      listeners = [openLiveAudio(tools), openLiveWords(tools)].filter((it) => it !== null)
      control = openControl(tools)
      if (capture.health().paused) for (const it of listeners) it.pause()
      void present(tools)
      screenshots.everyMinute()
    },
    see(event) {
      if (event.kind === 'tracks') owners.learn(event.tracks)
      if (event.kind === 'people') people = new Map(event.others.map((it) => [it.id, it]))
      if (event.kind === 'chat') control?.tellChat({ message: event.text, speaker: event.name })
    },
    hear(source, pcm, atMs) {
      const speaker = speakerOf(source)
      for (const it of listeners) it.hear(speaker, pcm, atMs)
    },
    pause() {
      capture.pause()
      for (const it of listeners) it.pause()
    },
    resume() {
      capture.resume()
      for (const it of listeners) it.resume()
    },
    stop: () => capture.stop(),
    end(reason) {
      ended ??= finish(reason)
      return ended
    },
  }
}

function openLiveAudio({ orders, capture, failed }: WorkTools): LiveAudio | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveAudioUrl) return null
  capture.live(true)
  const onProblem = (message: string) => void failed('live audio', message)
  return startLiveAudio({ url: spec.liveAudioUrl, botId, allowPrivate, nowMs: () => capture.nowMs(), onProblem })
}

function openControl({ orders, driver, presence, outgoing, failed }: WorkTools): Control | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.controlUrl) return null
  const perform = {
    audio: presence.feed,
    clearAudio: presence.hush,
    image: (bytes: Buffer) => presence.show(bytes, null),
    imageUrl: async (url: string) => presence.show(await fetchPicture(outgoing, url), null),
    chat: (text: string) => driver.write(text),
  }
  return startControl({
    url: spec.controlUrl,
    botId,
    allowPrivate,
    perform,
    onProblem: (message) => void failed('control socket', message),
  })
}

/** The picture and the clip that were ordered. Where they cannot be had the meeting goes on without, and the record says why. */
async function present({ orders, outgoing, presence, failed }: WorkTools): Promise<void> {
  const { imageUrl, initialAudioUrl } = orders.spec
  const note = (step: string) => (error: unknown) => failed(step, error instanceof Error ? error.message : String(error))
  if (imageUrl)
    await fetchPicture(outgoing, imageUrl)
      .then((picture) => presence.stand(picture))
      .catch(note('bot_image_url'))
  if (initialAudioUrl)
    await fetchClip(outgoing, initialAudioUrl)
      .then((clip) => presence.play(clip))
      .catch(note('initial_audio'))
}
