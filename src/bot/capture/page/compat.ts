/// <reference lib="dom" />
// Pages that treat encoded frames themselves go on doing so: the tap stands around them, and takes what they write or else what they read.
import { BothSides, before, copyOf, Habit, looking } from './both-sides.ts'
import type { CopiedFrame, EncodedFrame, EncodedStreams, Tap, Tapped } from './config.ts'
import { tinyFrame } from './tiny-frames.ts'

type WithStreams = { createEncodedStreams?: (this: RTCRtpReceiver) => EncodedStreams }

/** A transform that the page sets wins; the prelude in its worker taps it. The page never sees ours. */
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
      // Its frames come as another track, from the page's worker.
      tap.send({ say: 'ended', number: tapped.number })
      set.call(this, transform)
    },
  })
}

/** Takes the receiver's streams before it is too late for the page to ask for them. False where there are none to be had. */
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

/** The older way: the page gets streams whose frames are looked at when it reads them and when it writes them. */
export function followEncodedStreams(tap: Tap, native: EncodedStreamsOf | undefined): void {
  if (!native) return
  const habits = { audio: new Habit(), video: new Habit() }
  const prototype = RTCRtpReceiver.prototype as unknown as WithStreams
  prototype.createEncodedStreams = function (this: RTCRtpReceiver) {
    // Once the tap has taken the receiver the browser refuses, as it does for a page that asks too late.
    const { readable, writable } = tap.held.get(this) ?? native.call(this)
    tap.held.delete(this)
    tap.claimed.add(this)
    const tapped = tap.take(this, 'page-streams')
    tapped.way = 'page-streams'
    tap.note(tapped)
    const { number } = tapped
    const ship = (frame: CopiedFrame) => tap.send({ say: 'frame', number, frame }, [frame.data])
    const sides = new BothSides(this.track.kind === 'video' ? habits.video : habits.audio, ship)
    return {
      readable: looking(readable, (frame) => sides.read(frame)),
      writable: before(writable, (frame) => {
        if (sides.write(frame)) ship(copyOf(frame))
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

/** The page's workers start with the tap's prelude, which does nothing unless they transform media. */
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

/** Null where the script cannot be had: the page's worker then runs as it would without us. */
function wrapped(prelude: string, [script, options]: ConstructorParameters<typeof Worker>): string | null {
  try {
    const url = new URL(String(script), document.baseURI).href
    // Pages often revoke a blob's address as soon as the worker is made, so its text is taken now.
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

function blobUrl(text: string): string {
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
}

const NAME_TRIES = 20
const NAME_AGAIN_MS = 250

/** A worker knows a source by its number only; the page knows which receiver that is, a moment after the first frame. */
async function nameSource(tap: Tap, ssrc: number, tries = NAME_TRIES): Promise<void> {
  const owners = await Promise.all([...tap.tapped.values()].map(async (tapped) => ((await hasSource(tapped, ssrc)) ? [tapped] : [])))
  for (const tapped of owners.flat()) {
    tapped.flowing = true
    tap.send({ say: 'source', ssrc, id: tapped.receiver.track.id, streamId: tapped.streamId, mid: tapped.mid })
  }
  if (owners.flat().length === 0 && tries > 0) setTimeout(() => void nameSource(tap, ssrc, tries - 1), NAME_AGAIN_MS)
}

async function hasSource({ receiver }: Tapped, ssrc: number): Promise<boolean> {
  const stats: Iterable<{ type: string; ssrc?: number }> = (await receiver.getStats()).values()
  return [...stats].some((stat) => stat.type === 'inbound-rtp' && stat.ssrc === ssrc)
}
