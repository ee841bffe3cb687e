/// <reference lib="dom" />
// The tap in the page: routes the frames of every receiver of every peer connection through the tap's worker.
import { onNewConnection } from '../../worker/page/connections.ts'
import type { TrackInfo } from '../wire.ts'
import type { FromWorker, Tap, TapConfig, Tapped, ToWorker } from './config.ts'
import { followLevels, type SetLevel } from './levels.ts'
import { recordTrack } from './media-recorder.ts'
import { blobUrl, followEncodedStreams, followTransforms, holdStreams, nativeStreams, wrapWorkers } from './page-transforms.ts'

const CHECK_EVERY_MS = 1_000

/** Scripts of the tap's workers, and the one that precedes the page's own workers. */
type PageTexts = { readonly worker: string; readonly relay: string; readonly prelude: string }

export function startTap(config: TapConfig, texts: PageTexts): void {
  if (!('RTCPeerConnection' in window)) return
  const setTransform = Object.getOwnPropertyDescriptor(RTCRtpReceiver.prototype, 'transform')?.set
  const setLevel = config.silent ? followLevels() : null
  const worker = lazyWorker(window.Worker, texts, (message) => handle(tap, setLevel, message))
  const tap: Tap = {
    config,
    tapped: new Map(),
    claimed: new WeakSet(),
    held: new Map(),
    send: (message, transfer) => worker().postMessage(message, transfer ?? []),
    announce(tapped) {
      tap.send({ kind: 'track', info: infoOf(tapped) })
    },
    take(receiver, way) {
      const known = tap.tapped.get(receiver)
      if (known) return known
      const tapped: Tapped = {
        number: tap.tapped.size,
        receiver,
        mid: '',
        streamId: '',
        way,
        flowing: false,
        audibleSinceMs: null,
        recorder: null,
      }
      tap.tapped.set(receiver, tapped)
      receiver.track.addEventListener('ended', () => tap.send({ kind: 'ended', number: tapped.number }))
      return tapped
    },
    attach(receiver) {
      if (tap.claimed.has(receiver)) return
      const tapped = tap.take(receiver, 'transform')
      if (!config.encoded) return
      try {
        setTransform?.call(receiver, new RTCRtpScriptTransform(worker(), { number: tapped.number }))
      } catch (error) {
        tap.send({ kind: 'problem', message: `transform: ${String(error)}` })
      }
    },
  }
  const streams = nativeStreams()
  followTransforms(tap)
  followEncodedStreams(tap, streams)
  if (config.wrapWorkers) wrapWorkers(tap, texts.prelude)
  watchConnections(
    tap,
    offering(tap, (receiver) => holdStreams(tap, streams, receiver)),
  )
  setInterval(() => check(tap), CHECK_EVERY_MS)
  hideVideo()
}

type Offering = { offer(receiver: RTCRtpReceiver): void; settle(): void }

/** A page may ask for a receiver's streams only in the task that made the receiver. The tap holds them until that task ends. */
function offering(tap: Tap, hold: (receiver: RTCRtpReceiver) => boolean): Offering {
  const settle = (): void => {
    const receivers = [...tap.held.keys()]
    tap.held.clear()
    for (const receiver of receivers) tap.attach(receiver)
  }
  return {
    settle,
    offer(receiver) {
      if (attached.has(receiver) || tap.claimed.has(receiver)) return
      attached.add(receiver)
      if (tap.config.encoded && hold(receiver)) setTimeout(settle)
      else tap.attach(receiver)
    },
  }
}

function watchConnections(tap: Tap, { offer, settle }: Offering): void {
  const { prototype } = RTCPeerConnection
  const { addTransceiver } = prototype
  const setRemoteDescription = prototype.setRemoteDescription as (this: RTCPeerConnection, ...args: unknown[]) => Promise<void>
  // On the prototype, so that subclasses and pages that borrow its methods are covered too.
  prototype.addTransceiver = function (...args) {
    const transceiver = addTransceiver.apply(this, args)
    if (!streaming.has(this)) offer(transceiver.receiver)
    return transceiver
  }
  Object.assign(prototype, {
    setRemoteDescription(this: RTCPeerConnection, ...args: unknown[]): Promise<void> {
      const done = setRemoteDescription.apply(this, args)
      // By then the page has had its `track` events, and no frame has arrived.
      done.then(settle, () => undefined)
      return done
    },
  })
  /** The browser decodes frames of these connections only if the page takes their streams, at any time. */
  const streaming = new WeakSet<RTCPeerConnection>()
  onNewConnection((connection, configuration) => {
    if (Reflect.get(Object(configuration), 'encodedInsertableStreams') === true) streaming.add(connection)
    connection.addEventListener('track', (event) => {
      onTrack(tap, event)
      if (!streaming.has(connection)) offer(event.receiver)
    })
  })
}

function onTrack(tap: Tap, { receiver, transceiver, streams }: RTCTrackEvent): void {
  const tapped = tap.take(receiver, 'transform')
  tapped.mid = transceiver.mid ?? ''
  tapped.streamId = streams[0]?.id ?? ''
  tap.announce(tapped)
}

const attached = new WeakSet<RTCRtpReceiver>()

function infoOf({ number, receiver, mid, streamId, way }: Tapped): TrackInfo {
  const { id, kind, label } = receiver.track
  return { number, id, kind: kind === 'video' ? 'video' : 'audio', codec: '', label, streamId, mid, way }
}

function handle(tap: Tap, setLevel: SetLevel | null, message: FromWorker): void {
  const all = [...tap.tapped.values()]
  if (message.kind === 'levels') {
    const loudest = new Map(message.levels)
    for (const { number, receiver } of all) setLevel?.(receiver, loudest.get(number))
  }
  if (message.kind === 'resume') for (const { recorder } of all) recorder?.restart()
  if (message.kind === 'reveal') sheet.disabled = message.on
  if (message.kind === 'flowing')
    flow(
      tap,
      all.find(({ number }) => number === message.number),
    )
}

function flow(tap: Tap, tapped: Tapped | undefined): void {
  if (!tapped) return
  tapped.flowing = true
  if (!tapped.recorder) return
  tapped.recorder.stop()
  tapped.recorder = null
  tapped.way = 'transform'
  tap.announce(tapped)
}

/** A track that plays without giving encoded frames uses the fallback. */
function check(tap: Tap): void {
  for (const tapped of tap.tapped.values()) {
    const { track } = tapped.receiver
    const audible = track.readyState === 'live' && !track.muted
    tapped.audibleSinceMs = audible ? (tapped.audibleSinceMs ?? performance.now()) : null
    if (tapped.flowing || tapped.audibleSinceMs === null || tapped.way === 'none' || tapped.recorder) continue
    if (tap.config.encoded && performance.now() - tapped.audibleSinceMs < tap.config.fallbackAfterMs) continue
    fallBack(tap, tapped)
  }
}

function fallBack(tap: Tap, tapped: Tapped): void {
  const { number, receiver } = tapped
  if (receiver.track.kind === 'video' && !tap.config.video) return
  try {
    if (receiver.track.kind === 'audio') play(receiver.track)
    tapped.recorder = recordTrack(receiver.track, (chunk) => tap.send({ kind: 'chunk', number, ...chunk }, [chunk.data]))
    tapped.way = 'recorder'
  } catch (error) {
    tapped.way = 'none'
    tap.send({ kind: 'problem', message: `recorder: ${String(error)}` })
  }
  tap.announce(tapped)
}

/** The browser decodes only sound that is played. */
function play(track: MediaStreamTrack): void {
  const player = new Audio()
  player.srcObject = new MediaStream([track])
  player.play().catch(() => undefined) // The page plays it itself, or its sound stays silent.
}

/** Starts the worker with the first media: most pages and frames never have any. */
function lazyWorker(NativeWorker: typeof Worker, texts: PageTexts, onMessage: (message: FromWorker) => void): () => Worker {
  let worker: Worker | null = null
  return () => {
    if (worker) return worker
    worker = new NativeWorker(blobUrl(texts.worker))
    lineTo(worker, texts.relay)
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => onMessage(data)
    return worker
  }
}

/** A page may forbid shared workers. The worker then connects by itself. */
function lineTo(worker: Worker, relayText: string): void {
  const post = (message: ToWorker, transfer: Transferable[] = []) => worker.postMessage(message, transfer)
  const connectDirectly = () => post({ kind: 'line', relay: null })
  try {
    const shared = new SharedWorker(blobUrl(relayText))
    shared.onerror = connectDirectly
    post({ kind: 'line', relay: shared.port }, [shared.port])
  } catch {
    connectDirectly()
  }
}

const sheet = new CSSStyleSheet()

/** Tiny pictures scaled up to tiles cost more to paint than to decode. */
function hideVideo(): void {
  sheet.replaceSync('video{visibility:hidden!important}')
  document.adoptedStyleSheets.push(sheet)
}
