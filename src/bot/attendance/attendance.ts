// A bot’s attendance of a meeting: recording, live outputs, screenshots, and its own picture and audio.
import type { MeetingEvent, Participant } from '../../domain/meeting.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import type { Speaker } from '../live/audio-frame.ts'
import { type Control, startControl } from '../live/control-socket.ts'
import type { LiveOutputTools } from '../live/live-outputs.ts'
import { fetchClip, fetchPicture } from '../outgoing/fetch-media.ts'
import { type Liveness, watchLiveness } from './liveness.ts'
import type { Chat } from './own-chat.ts'
import type { Presence } from './presence.ts'
import type { Explain } from './problems.ts'
import { createRecorder } from './recorder.ts'
import type { Screenshots } from './screenshots.ts'

export type AttendanceTools = LiveOutputTools & {
  readonly driver: MeetingDriver
  readonly chat: Chat
  readonly explain: Explain
  readonly presence: Presence
  readonly screenshots: Screenshots
}

export type BotAttendance = ReturnType<typeof createAttendance>

export function createAttendance(tools: AttendanceTools) {
  const { driver, capture, presence, now } = tools
  const recorder = createRecorder(tools)
  let people: ReadonlyMap<string, Participant> = new Map()
  let speakers: readonly string[] = []
  let control: Control | null = null
  let liveness: Liveness | null = null
  let ended: Promise<void> | null = null
  const frozen = Promise.withResolvers<string>()

  /** A mix is the sound of the only one who speaks. */
  function speakerOf(source: string): Speaker | null {
    const sole = speakers.length === 1 && capture.isUnnamedMix(source) ? speakers[0] : null
    const id = capture.participantOf(source) ?? sole ?? null
    return id === null ? null : { id, name: people.get(id)?.name ?? '' }
  }

  async function finish(reason: string): Promise<void> {
    liveness?.stop()
    presence.stop()
    await Promise.all([recorder.end(reason), control?.end()])
  }

  return {
    ...recorder,
    /** Resolves with a message when the page or the recording in it is frozen. */
    frozen: frozen.promise,
    lastMediaAt: () => liveness?.lastMediaAt() ?? null,
    /** True while the page is silent and its browser waits for a CPU. */
    isStarved: () => liveness?.isStarved() ?? false,
    /** The bot is in: starts the liveness check and the control socket. Nothing is recorded yet. */
    arrive(): void {
      liveness = watchLiveness({ touch: () => driver.page.touch(), health: () => capture.health() }, now)
      void liveness.frozen.then(frozen.resolve)
      control = openControl(tools)
      void present(tools)
    },
    onEvent(event: MeetingEvent): void {
      recorder.onEvent(event)
      if (event.kind === 'voice') speakers = event.speakers
      if (event.kind === 'tracks') capture.setOwners(event.tracks)
      if (event.kind === 'people') people = new Map(event.others.map((it) => [it.id, it]))
      if (event.kind === 'chat') control?.sendChat({ message: event.text, speaker: event.name })
    },
    /** 20 ms of decoded audio of one source. */
    onAudio: (source: string, pcm: Int16Array, atMs: number): void => recorder.onAudio(speakerOf(source), pcm, atMs),
    /** Resolves when the recording is on the disk. May be called twice. */
    end(reason: string): Promise<void> {
      ended ??= finish(reason)
      return ended
    },
  }
}

function openControl({ orders, chat, presence, http, failed, explain }: AttendanceTools): Control | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.controlUrl) return null
  const actions = {
    audio: presence.feed,
    clearAudio: presence.stopAudio,
    image: (bytes: Buffer) => presence.show(bytes, null),
    imageUrl: async (url: string) => presence.show(await fetchPicture(http, url), null),
    chat: (text: string) => chat.write(text),
  }
  return startControl({
    url: spec.controlUrl,
    botId,
    allowPrivate,
    perform: actions,
    onProblem: (message) => void failed('control socket', message),
    explain,
  })
}

/** Shows the picture and plays the clip of the bot's request. A failure is reported, and the bot stays. */
async function present({ orders, http, presence, failed, explain }: AttendanceTools): Promise<void> {
  const { imageUrl, initialAudioUrl } = orders.spec
  const note = (step: string, otherwise: string) => (error: unknown) => {
    const { message, code } = explain(error, { code: 'media_failed', message: otherwise })
    return failed(step, message, code)
  }
  if (imageUrl)
    await fetchPicture(http, imageUrl)
      .then((picture) => presence.showByDefault(picture))
      .catch(note('bot_image_url', 'The picture could not be shown'))
  if (initialAudioUrl && !orders.isGreeted)
    await fetchClip(http, initialAudioUrl)
      .then((clip) => presence.play(clip))
      .catch(note('initial_audio', 'The clip could not be played'))
}
