/// <reference lib="dom" />
// Lets pages process encoded frames themselves. The tap wraps their transforms, and records the frames that they write or else those that they read.

import type { CopiedFrame, EncodedFrame, EncodedStreams, Tap, Tapped } from './config.ts'
import { copyOf, FrameHandling, observedReadable, observedWritable, ReadWriteObserver } from './read-write-observer.ts'
import { tinyFrame } from './tiny-frames.ts'

type WithStreams = { createEncodedStreams?: (this: RTCRtpReceiver) => EncodedStreams }

/** A transform that the page sets replaces the tap's, and the prelude in its worker taps it. The page never sees the tap's own. */
export function followTransforms(tap: Tap): void {
  const native = Object.getOwnPropertyDescriptor(RTCRtpReceiver.prototype, 'transform')
  if (!native?.set) return
  const set = native.set
  const pages = new WeakMap<RTCRtpReceiver, unknown>()
  Object.defineProperty(RTCRtpReceiver.prototype, 'transform', {
    ...native,
    get(this: RTCRtpReceiver) {
      return pages.get(this) ?? null
    },
    set(this: RTCRtpReceiver, transform: unknown) {
      pages.set(this, transform)
      if (transform === null || transform === undefined) {
        tap.claimed.delete(this)
        tap.attach(this)
        return
      }
      tap.claimed.add(this)
      tap.held.delete(this)
      const tapped = tap.take(this, 'page-transform')
      tapped.way = 'page-transform'
      // Its frames come as another track from the page's worker.
      tap.send({ kind: 'ended', number: tapped.number })
      set.call(this, transform)
    },
  })
}

/** Creates the receiver's streams while the page may still ask for them. False if there are none. */
export function holdStreams(tap: Tap, native: EncodedStreamsOf | undefined, receiver: RTCRtpReceiver): boolean {
  if (!native || tap.held.has(receiver)) return native !== undefined
  try {
    tap.held.set(receiver, native.call(receiver))
    return true
  } catch {
    return false
  }
}

type EncodedStreamsOf = (this: RTCRtpReceiver) => EncodedStreams

export const nativeStreams = (): EncodedStreamsOf | undefined => (RTCRtpReceiver.prototype as unknown as WithStreams).createEncodedStreams

/** The older API: gives the page streams whose frames are observed when it reads and when it writes them. */
export function followEncodedStreams(tap: Tap, native: EncodedStreamsOf | undefined): void {
  if (!native) return
  const handlings = { audio: new FrameHandling(), video: new FrameHandling() }
  const prototype = RTCRtpReceiver.prototype as unknown as WithStreams
  prototype.createEncodedStreams = function (this: RTCRtpReceiver) {
    // The browser throws once the tap has the receiver, as it does for a page that asks too late.
    const { readable, writable } = tap.held.get(this) ?? native.call(this)
    tap.held.delete(this)
    tap.claimed.add(this)
    const tapped = tap.take(this, 'page-streams')
    tapped.way = 'page-streams'
    tap.announce(tapped)
    const { number } = tapped
    const ship = (frame: CopiedFrame) => tap.send({ kind: 'frame', number, frame }, [frame.data])
    const observer = new ReadWriteObserver(this.track.kind === 'video' ? handlings.video : handlings.audio, ship)
    return {
      readable: observedReadable(readable, (frame) => observer.read(frame)),
      writable: observedWritable(writable, (frame) => {
        if (observer.write(frame)) ship(copyOf(frame))
        makeTiny(tapped, frame)
      }),
    }
  }
}

function makeTiny({ receiver }: Tapped, frame: EncodedFrame): void {
  if (receiver.track.kind !== 'video') return
  const tiny = tinyFrame(frame.getMetadata().mimeType?.split('/')[1]?.toLowerCase() ?? '')
  if (tiny) frame.data = tiny
}

/** Starts the page's workers with the tap's prelude, which does nothing unless they transform media. */
export function wrapWorkers(tap: Tap, preludeText: string): void {
  const channelName = `frames-${crypto.randomUUID()}`
  const prelude = `${preludeText}(${JSON.stringify(channelName)});\n`
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }: MessageEvent<number>) => void nameSource(tap, data)
  window.Worker = new Proxy(window.Worker, {
    construct(target, args: ConstructorParameters<typeof Worker>, newTarget) {
      return Reflect.construct(target, [wrapped(prelude, args) ?? args[0], ...args.slice(1)], newTarget)
    },
  })
}

/** Null if the script cannot be read: the page's worker then runs without the tap. */
function wrapped(prelude: string, [script, options]: ConstructorParameters<typeof Worker>): string | null {
  try {
    const url = new URL(String(script), document.baseURI).href
    // Pages often revoke a blob URL as soon as the worker exists, so its text is read now.
    const own = url.startsWith('blob:') ? readNow(url) : null
    if (options?.type === 'module')
      return blobUrl(`import ${JSON.stringify(blobUrl(prelude))};\n${own ?? `import ${JSON.stringify(url)};`}`)
    return blobUrl(prelude + (own ?? `importScripts(${JSON.stringify(url)})`))
  } catch {
    return null
  }
}

function readNow(url: string): string {
  const request = new XMLHttpRequest()
  request.open('GET', url, false)
  request.send()
  return request.responseText
}

export function blobUrl(text: string): string {
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
}

const NAME_TRIES = 20
const NAME_AGAIN_MS = 250

/** A worker knows only the SSRC of a source. The page knows its receiver, a moment after the first frame. */
async function nameSource(tap: Tap, ssrc: number, tries = NAME_TRIES): Promise<void> {
  const owners = await Promise.all([...tap.tapped.values()].map(async (tapped) => ((await hasSource(tapped, ssrc)) ? [tapped] : [])))
  for (const tapped of owners.flat()) {
    tapped.flowing = true
    tap.send({ kind: 'source', ssrc, id: tapped.receiver.track.id, streamId: tapped.streamId, mid: tapped.mid })
  }
  if (owners.flat().length === 0 && tries > 0) setTimeout(() => void nameSource(tap, ssrc, tries - 1), NAME_AGAIN_MS)
}

async function hasSource({ receiver }: Tapped, ssrc: number): Promise<boolean> {
  const stats: Iterable<{ type: string; ssrc?: number }> = (await receiver.getStats()).values()
  return [...stats].some((stat) => stat.type === 'inbound-rtp' && stat.ssrc === ssrc)
}
