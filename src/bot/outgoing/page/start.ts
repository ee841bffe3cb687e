/// <reference lib="dom" />
// Our microphone and camera put into a page, and the words by which we reach them from outside.
import { Camera } from './camera.ts'
import { replaceDevices } from './devices.ts'
import { type Began, type Clip, Microphone } from './microphone.ts'
import { bytesOf, Parts } from './parts.ts'

/** The page finds nothing of it by looking through its window, and cannot guess the name. */
export function startOutgoing(name: string): void {
  // Pages that were not reached safely have no devices, and so neither do we there.
  if (!('MediaDevices' in window)) return
  const parts = new Parts()
  const microphone = new Microphone()
  const camera = new Camera()
  const clips = new Map<string, Clip>()
  replaceDevices({ microphone: () => microphone.track(), camera: () => camera.track() })

  const words = {
    part: (file: string, base64: string): void => parts.add(file, base64),
    drop: (file: string): void => void parts.take(file),
    show: (file: string | null, type: string): Promise<boolean> => camera.show(file === null ? null : parts.take(file), type),
    play: (file: string): void => void clips.set(file, microphone.play(parts.take(file))),
    begun: (file: string): Promise<Began> | undefined => clips.get(file)?.begun,
    async over(file: string): Promise<void> {
      await clips.get(file)?.over
      clips.delete(file)
    },
    feed: (base64: string): void => microphone.feed(bytesOf(base64)),
    clear: (): void => microphone.clear(),
    sounding: (): boolean => microphone.sounding(),
  }
  Object.defineProperty(window, name, { value: Object.freeze(words) })
}
