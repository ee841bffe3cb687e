/// <reference lib="dom" />
// Installs the bot's microphone and camera in a page, and hides the object through which the bot calls them.
import { hide } from '../../worker/page/hidden.ts'
import { Camera } from './camera.ts'
import { replaceDevices } from './devices.ts'
import { type Clip, Microphone, type StartOutcome } from './microphone.ts'
import { bytesOf, Parts } from './parts.ts'

/** The page cannot guess the name. */
export function startOutgoing(name: string): void {
  // Pages without a secure origin have no devices.
  if (typeof MediaDevices === 'undefined') return
  const parts = new Parts()
  const microphone = new Microphone()
  const camera = new Camera()
  const clips = new Map<string, Clip>()
  replaceDevices({ microphone: () => microphone.track(), camera: () => camera.track() })

  const calls = {
    part: (file: string, base64: string): void => parts.add(file, base64),
    drop: (file: string): void => void parts.take(file),
    show: (file: string | null, type: string): Promise<boolean> => camera.show(file === null ? null : parts.take(file), type),
    play: (file: string): void => void clips.set(file, microphone.play(parts.take(file))),
    started: (file: string): Promise<StartOutcome> | undefined => clips.get(file)?.started,
    async ended(file: string): Promise<void> {
      await clips.get(file)?.ended
      clips.delete(file)
    },
    feed: (base64: string): void => microphone.feed(bytesOf(base64)),
    clear: (): void => microphone.clear(),
    isPlaying: (): boolean => microphone.isPlaying(),
  }
  hide(name, calls)
}
