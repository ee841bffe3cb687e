// What a bot does in a meeting besides being there: it records, streams to who listens, takes pictures, shows and says what it was given.
import type { Participant } from '../domain/meeting.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import type { Explain } from './explain.ts'
import { type Control, startControl } from './live/control.ts'
import type { ListenerTools } from './live/listeners.ts'
import { fetchClip, fetchPicture } from './outgoing/fetched.ts'
import type { Chat } from './own-chat.ts'
import type { Presence } from './presence.ts'
import { type Pulse, startPulse } from './pulse.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { Screenshots } from './screenshots.ts'
import type { Work } from './session.ts'

export type WorkTools = ListenerTools & {
  readonly driver: MeetingDriver
  readonly chat: Chat
  readonly explain: Explain
  readonly presence: Presence
  readonly screenshots: Screenshots
}

export type BotWork = Work &
  Pick<Recorder, 'whenBegun' | 'pause' | 'resume' | 'isWatched' | 'glance'> & {
    /** Decoded sound of one source, 20 ms of it. */
    hear(source: string, pcm: Int16Array, atMs: number): void
  }

export function createWork(tools: WorkTools): BotWork {
  const { driver, capture, presence, now } = tools
  const recorder = createRecorder(tools)
  const { begin, whenBegun, spokenMs, pause, resume, stop, isWatched, glance } = recorder
  let people: ReadonlyMap<string, Participant> = new Map()
  let control: Control | null = null
  let pulse: Pulse | null = null
  let ended: Promise<void> | null = null
  const still = Promise.withResolvers<string>()

  function speakerOf(source: string): { readonly id: string; readonly name: string } | null {
    const id = capture.participantOf(source)
    return id === null ? null : { id, name: people.get(id)?.name ?? '' }
  }

  async function finish(reason: string): Promise<void> {
    pulse?.stop()
    presence.stop()
    await Promise.all([recorder.end(reason), control?.end()])
  }

  return {
    ...{ begin, whenBegun, spokenMs, pause, resume, stop, isWatched, glance },
    still: still.promise,
    lastMediaAt: () => pulse?.lastMediaAt() ?? null,
    arrive() {
      pulse = startPulse({ touch: () => driver.page.touch(), health: () => capture.health() }, now)
      void pulse.still.then(still.resolve)
      control = openControl(tools)
      void present(tools)
    },
    see(event) {
      recorder.see(event)
      if (event.kind === 'tracks') capture.learn(event.tracks)
      if (event.kind === 'people') people = new Map(event.others.map((it) => [it.id, it]))
      if (event.kind === 'chat') control?.tellChat({ message: event.text, speaker: event.name })
    },
    hear: (source, pcm, atMs) => recorder.hear(speakerOf(source), pcm, atMs),
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
