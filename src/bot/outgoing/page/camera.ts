/// <reference lib="dom" />
// The bot's camera: a canvas with a still or moving picture, which it keeps sending for participants who join later.
import { type Frame, framesOf } from './frames.ts'

const WIDTH = 1280
const HEIGHT = 720
const BACKGROUND = '#202124'
/** A still picture is repeated, because a participant who joins later has received none of it. */
const SEND_EVERY_MS = 200

type Opened = { readonly pen: CanvasRenderingContext2D; readonly source: CanvasCaptureMediaStreamTrack }

export class Camera {
  readonly #tracks = new Set<MediaStreamTrack>()
  #opened: Opened | null = null
  #shown: 'background' | 'picture' = 'background'
  /** Raised by every `show`, so that a picture that is decoded too late is not painted. */
  #turn = 0
  /** Aborted when another picture replaces the current one. */
  #showing = new AbortController()
  #timer = 0

  /** A clone, so that a page that stops its track does not stop the camera. */
  track(): MediaStreamTrack {
    const track = this.#open().source.clone()
    this.#tracks.add(track)
    this.#keepSending()
    return track
  }

  /** Resolves when the first frame is painted. False if it cannot be decoded; the picture before stays. */
  async show(file: Blob | null, type: string): Promise<boolean> {
    const turn = ++this.#turn
    const showing = new AbortController()
    const frames = file && framesOf(file, type, showing.signal)
    const first = (await frames?.next().catch(() => null))?.value ?? null
    if (turn !== this.#turn) return this.#drop(frames)
    if (frames && !first) return false
    this.#showing.abort()
    this.#showing = showing
    this.#shown = first ? 'picture' : 'background'
    this.#paint(first)
    this.#keepSending()
    if (frames) void this.#play(frames, showing.signal)
    return true
  }

  #open(): Opened {
    if (this.#opened) return this.#opened
    const canvas = Object.assign(document.createElement('canvas'), { width: WIDTH, height: HEIGHT })
    // In main memory, where the frames are read from. A GPU canvas would be slower here.
    const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
    const [source] = canvas.captureStream(0).getVideoTracks()
    if (!pen || !(source instanceof CanvasCaptureMediaStreamTrack)) throw new Error('The page provides no canvas for the bot camera.')
    this.#opened = { pen, source }
    this.#paint(null)
    return this.#opened
  }

  /** Fits the image into the frame, centred. */
  #paint(image: Frame | null): void {
    const { pen, source } = this.#open()
    pen.fillStyle = BACKGROUND
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
      // A moving picture with a broken frame stops at the frame before.
    }
  }

  async #drop(frames: AsyncGenerator<Frame, void> | null): Promise<true> {
    await frames?.return()
    return true
  }

  #keepSending(): void {
    clearTimeout(this.#timer)
    for (const track of this.#tracks) if (track.readyState === 'ended') this.#tracks.delete(track)
    // The page may have cloned its track and stopped the original, which the camera cannot know. So a picture is always sent.
    if (this.#shown === 'background' && this.#tracks.size === 0) return
    this.#timer = window.setTimeout(() => {
      this.#touch()
      this.#keepSending()
    }, SEND_EVERY_MS)
  }

  /** A canvas gives no frame without a change, so one pixel is painted over with itself. */
  #touch(): void {
    const { pen, source } = this.#open()
    pen.putImageData(pen.getImageData(0, 0, 1, 1), 0, 0)
    source.requestFrame()
  }
}
