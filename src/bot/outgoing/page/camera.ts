/// <reference lib="dom" />
// The bot's camera: a canvas that shows a picture, still or moving, and goes on being sent for those who come later.
import { type Frame, framesOf } from './frames.ts'

const WIDTH = 1280
const HEIGHT = 720
const GROUND = '#202124'
/** What stands still is sent again and again, because somebody who joins has seen none of it. */
const SENT_EVERY_MS = 200

type Opened = { readonly pen: CanvasRenderingContext2D; readonly source: CanvasCaptureMediaStreamTrack }

export class Camera {
  readonly #handedOut = new Set<MediaStreamTrack>()
  #opened: Opened | null = null
  #shown: 'ground' | 'picture' = 'ground'
  /** Raised by every `show`: a picture that is decoded too late is never painted. */
  #turn = 0
  /** Aborted when what is shown gives way to something else. */
  #showing = new AbortController()
  #timer = 0

  /** A clone, so that a page which stops its track does not stop the camera. */
  track(): MediaStreamTrack {
    const track = this.#open().source.clone()
    this.#handedOut.add(track)
    this.#sendOn()
    return track
  }

  /** Settles when the first frame is painted. False: it could not be decoded, and what was shown before still is. */
  async show(file: Blob | null, type: string): Promise<boolean> {
    const turn = ++this.#turn
    const showing = new AbortController()
    const frames = file && framesOf(file, type, showing.signal)
    const first = (await frames?.next().catch(() => null))?.value ?? null
    if (turn !== this.#turn) return this.#drop(frames)
    if (frames && !first) return false
    this.#showing.abort()
    this.#showing = showing
    this.#shown = first ? 'picture' : 'ground'
    this.#paint(first)
    this.#sendOn()
    if (frames) void this.#play(frames, showing.signal)
    return true
  }

  #open(): Opened {
    if (this.#opened) return this.#opened
    const canvas = Object.assign(document.createElement('canvas'), { width: WIDTH, height: HEIGHT })
    // Kept where the frames are read from; there is nothing to gain from a graphics card here.
    const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
    const [source] = canvas.captureStream(0).getVideoTracks()
    if (!pen || !(source instanceof CanvasCaptureMediaStreamTrack)) throw new Error('this page has no canvas to paint on')
    this.#opened = { pen, source }
    this.#paint(null)
    return this.#opened
  }

  /** Contained in the frame, in the middle. */
  #paint(image: Frame | null): void {
    const { pen, source } = this.#open()
    pen.fillStyle = GROUND
    pen.fillRect(0, 0, WIDTH, HEIGHT)
    if (image) {
      const [width, height] = 'displayWidth' in image ? [image.displayWidth, image.displayHeight] : [image.width, image.height]
      const scale = Math.min(WIDTH / width, HEIGHT / height)
      pen.imageSmoothingQuality = 'high'
      pen.drawImage(image, (WIDTH - width * scale) / 2, (HEIGHT - height * scale) / 2, width * scale, height * scale)
    }
    source.requestFrame()
  }

  async #play(frames: AsyncGenerator<Frame, void>, signal: AbortSignal): Promise<void> {
    try {
      for await (const frame of frames) {
        if (signal.aborted) return
        this.#paint(frame)
      }
    } catch {
      // A moving picture that is broken further on stands still where it broke.
    }
  }

  async #drop(frames: AsyncGenerator<Frame, void> | null): Promise<true> {
    await frames?.return()
    return true
  }

  #sendOn(): void {
    clearTimeout(this.#timer)
    for (const track of this.#handedOut) if (track.readyState === 'ended') this.#handedOut.delete(track)
    // A page may have cloned the track it was given and stopped the first, unseen by us: a picture is sent on in any case.
    if (this.#shown === 'ground' && this.#handedOut.size === 0) return
    this.#timer = window.setTimeout(() => {
      this.#touch()
      this.#sendOn()
    }, SENT_EVERY_MS)
  }

  /** A canvas on which nothing was painted gives no frame: one point is painted as it is. */
  #touch(): void {
    const { pen, source } = this.#open()
    pen.putImageData(pen.getImageData(0, 0, 1, 1), 0, 0)
    source.requestFrame()
  }
}
