/// <reference lib="dom" />
// This page's microphone and camera. A muted microphone keeps its track, and a camera that is off has none.

export type Kind = 'microphone' | 'camera'
type Listener = () => void

class Devices {
  readonly #tracks: Record<Kind, MediaStreamTrack | null> = { microphone: null, camera: null }
  readonly #on: Record<Kind, boolean> = { microphone: false, camera: false }
  readonly #missing: Record<Kind, boolean> = { microphone: false, camera: false }
  readonly #listeners = new Set<Listener>()

  isOn = (kind: Kind): boolean => this.#on[kind]
  isMissing = (kind: Kind): boolean => this.#missing[kind]
  track = (kind: Kind): MediaStreamTrack | null => this.#tracks[kind]

  onChange(listener: Listener): void {
    this.#listeners.add(listener)
  }

  async turn(kind: Kind, on: boolean): Promise<void> {
    if (on) await this.#open(kind)
    this.#on[kind] = on && this.#tracks[kind] !== null
    const track = this.#tracks[kind]
    if (kind === 'microphone' && track) track.enabled = this.#on[kind]
    if (kind === 'camera' && !on) {
      track?.stop()
      this.#tracks[kind] = null
    }
    for (const listener of this.#listeners) listener()
  }

  toggle = (kind: Kind): Promise<void> => this.turn(kind, !this.#on[kind])

  async #open(kind: Kind): Promise<void> {
    if (this.#tracks[kind]) return
    const wanted = kind === 'microphone' ? { audio: true } : { video: { width: 1280, height: 720 } }
    try {
      const stream = await navigator.mediaDevices.getUserMedia(wanted)
      this.#tracks[kind] = stream.getTracks()[0] ?? null
    } catch {
      // Without device or permission, the page shows a toast and continues.
      this.#missing[kind] = true
    }
  }
}

export const devices = new Devices()
