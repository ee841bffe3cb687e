// What a bot does in a meeting besides being there: it records, streams to who listens, takes pictures, shows and says what it was given.
import type { Participant } from '../domain/meeting.ts'
import type { Owners } from './capture/owners.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import type { Explain } from './explain.ts'
import { type Control, startControl } from './live/control.ts'
import { type Listeners, type ListenerTools, openListeners } from './live/listeners.ts'
import { fetchClip, fetchPicture } from './outgoing/fetched.ts'
import type { Chat } from './own-chat.ts'
import type { Presence } from './presence.ts'
import { type Pulse, startPulse } from './pulse.ts'
import type { Screenshots } from './screenshots.ts'
import type { Work } from './session.ts'
import { createSpeakingClock } from './speaking.ts'

export type WorkTools = ListenerTools & {
  readonly driver: MeetingDriver
  readonly chat: Chat
  readonly explain: Explain
  readonly owners: Owners
  readonly presence: Presence
  readonly screenshots: Screenshots
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
  const speaking = createSpeakingClock(now)
  let people: ReadonlyMap<string, Participant> = new Map()
  let listeners: Listeners | null = null
  let control: Control | null = null
  let pulse: Pulse | null = null
  let ended: Promise<void> | null = null
  const still = Promise.withResolvers<string>()

  function speakerOf(source: string): { readonly id: string; readonly name: string } | null {
    const id = owners.participantOf(source)
    return id === null ? null : { id, name: people.get(id)?.name ?? '' }
  }

  async function finish(reason: string): Promise<void> {
    pulse?.stop()
    screenshots.stop()
    presence.stop()
    await Promise.all([listeners?.end(), control?.end()])
    await capture.end(reason)
  }

  return {
    still: still.promise,
    lastMediaAt: () => pulse?.lastMediaAt() ?? null,
    async begin() {
      await capture.begin()
      // Not when it was opened, but the moment from which everything in it is counted.
      report({ kind: 'recording', botId, fence, at: Math.round(now() - capture.nowMs()) })
      pulse = startPulse({ touch: () => driver.page.touch(), health: () => capture.health() }, now)
      void pulse.still.then(still.resolve)
      listeners = openListeners(tools)
      control = openControl(tools)
      if (capture.health().paused) for (const it of [listeners, speaking]) it.pause()
      void present(tools)
      screenshots.everyMinute()
    },
    see(event) {
      if (event.kind === 'voice') speaking.hear(event.speakers, event.at)
      if (event.kind === 'tracks') owners.learn(event.tracks)
      if (event.kind === 'people') people = new Map(event.others.map((it) => [it.id, it]))
      if (event.kind === 'caption') listeners?.see(event)
      if (event.kind === 'chat') control?.tellChat({ message: event.text, speaker: event.name })
    },
    spokenMs: () => speaking.totals(),
    hear: (source, pcm, atMs) => listeners?.hear(speakerOf(source), pcm, atMs),
    pause() {
      for (const it of [capture, listeners, speaking]) it?.pause()
    },
    resume() {
      for (const it of [capture, listeners, speaking]) it?.resume()
    },
    stop() {
      capture.stop()
      listeners?.stop()
    },
    end(reason) {
      ended ??= finish(reason)
      return ended
    },
  }
}

function openControl({ orders, chat, presence, outgoing, failed, explain }: WorkTools): Control | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.controlUrl) return null
  const perform = {
    audio: presence.feed,
    clearAudio: presence.hush,
    image: (bytes: Buffer) => presence.show(bytes, null),
    imageUrl: async (url: string) => presence.show(await fetchPicture(outgoing, url), null),
    chat: (text: string) => chat.write(text),
  }
  return startControl({
    url: spec.controlUrl,
    botId,
    allowPrivate,
    perform,
    onProblem: (message) => void failed('control socket', message),
    explain,
  })
}

/** The picture and the clip that were ordered. Where they cannot be had the meeting goes on without, and the record says why. */
async function present({ orders, outgoing, presence, failed, explain }: WorkTools): Promise<void> {
  const { imageUrl, initialAudioUrl } = orders.spec
  const note = (step: string, otherwise: string) => (error: unknown) => {
    const { message, code } = explain(error, { code: 'media_failed', message: otherwise })
    return failed(step, message, code)
  }
  if (imageUrl)
    await fetchPicture(outgoing, imageUrl)
      .then((picture) => presence.stand(picture))
      .catch(note('bot_image_url', 'The picture could not be shown'))
  if (initialAudioUrl && !orders.isGreeted)
    await fetchClip(outgoing, initialAudioUrl)
      .then((clip) => presence.play(clip))
      .catch(note('initial_audio', 'The clip could not be played'))
}
