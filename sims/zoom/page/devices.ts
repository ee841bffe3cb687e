/// <reference lib="dom" />
// This page's own microphone and camera. A muted microphone keeps its track; a camera that is off has none.

export type Kind = 'microphone' | 'camera'

export class Devices {
  readonly #tracks: Record<Kind, MediaStreamTrack | null> = { microphone: null, camera: null }
  readonly #on: Record<Kind, boolean> = { microphone: false, camera: false }
  readonly #listeners = new Set<() => void>()

  isOn = (kind: Kind): boolean => this.#on[kind]
  track = (kind: Kind): MediaStreamTrack | null => this.#tracks[kind]

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Opens the microphone, muted or not, for "join audio". */
  async open(): Promise<void> {
    this.#tracks.microphone ??= await opened('microphone')
    if (this.#tracks.microphone) this.#tracks.microphone.enabled = this.#on.microphone
    this.#notify()
  }

  async turn(kind: Kind, on: boolean): Promise<void> {
    if (on) this.#tracks[kind] ??= await opened(kind)
    const track = this.#tracks[kind]
    this.#on[kind] = on && track !== null
    if (kind === 'microphone' && track) track.enabled = on
    if (kind === 'camera' && !on) {
      track?.stop()
      this.#tracks.camera = null
    }
    this.#notify()
  }

  stop(): void {
    for (const track of Object.values(this.#tracks)) track?.stop()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

async function opened(kind: Kind): Promise<MediaStreamTrack | null> {
  const wanted = kind === 'microphone' ? { audio: true } : { video: { width: 1280, height: 720 } }
  // No device or no permission: the switch stays off.
  const stream = await navigator.mediaDevices.getUserMedia(wanted).catch(() => null)
  return stream?.getTracks()[0] ?? null
}
