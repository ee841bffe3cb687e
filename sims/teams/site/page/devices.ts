/// <reference lib="dom" />
// This page's microphone and camera. A muted microphone keeps its track, and a camera that is off has none.

export type Kind = 'microphone' | 'camera'

class Devices {
  readonly #tracks: Record<Kind, MediaStreamTrack | null> = { microphone: null, camera: null }
  readonly #on: Record<Kind, boolean> = { microphone: false, camera: false }
  readonly #listeners = new Set<() => void>()

  isOn = (kind: Kind): boolean => this.#on[kind]
  track = (kind: Kind): MediaStreamTrack | null => this.#tracks[kind]
  toggle = (kind: Kind): Promise<void> => this.turn(kind, !this.#on[kind])

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  async turn(kind: Kind, on: boolean): Promise<void> {
    if (on) this.#tracks[kind] ??= await open(kind)
    const track = this.#tracks[kind]
    this.#on[kind] = on && track !== null
    if (kind === 'microphone' && track) track.enabled = on
    if (kind === 'camera' && !on) {
      track?.stop()
      this.#tracks.camera = null
    }
    for (const listener of this.#listeners) listener()
  }
}

async function open(kind: Kind): Promise<MediaStreamTrack | null> {
  const wanted = kind === 'microphone' ? { audio: true } : { video: { width: 1280, height: 720 } }
  // Without device or permission, the switch stays off.
  const stream = await navigator.mediaDevices.getUserMedia(wanted).catch(() => null)
  return stream?.getTracks()[0] ?? null
}

export const devices = new Devices()
