/// <reference lib="dom" />
// Active speakers by contributing source. A few tracks carry all participants in turn, so a source stands for a participant, not a track.

import type { Report } from './hidden-binding.ts'
import type { Listened } from './listeners.ts'

const LOOK_EVERY_MS = 100
const REPORT_EVERY_MS = 200
/** Steady speech is reported again, so that it differs from silence. */
const AGAIN_AFTER_MS = 1_000
/** Speech has short pauses between words. */
const HOLD_MS = 400
/** Sources stay listed for ten seconds after their last packet. */
const SAME_MOMENT_MS = 50
const STALE_AFTER_MS = 300
const QUIETEST = 0.01
const CLEARLY_LOUDER = 2

type NewestPacket = { newest: number; advancedAt: number }

type SpeakingOptions = Pick<Listened, 'ignoredSources' | 'unnamedSound'>

/** Returns a function that takes each connection. */
export function followSpeaking(
  { ignoredSources: ignored, unnamedSound }: SpeakingOptions,
  report: Report,
): (connection: RTCPeerConnection) => void {
  const connections = new Set<RTCPeerConnection>()
  const newestPackets = new WeakMap<RTCRtpReceiver, NewestPacket>()
  const lastLoud = new Map<number, number>()
  let hasNamed = false
  let reported = ''
  let reportedAt = 0

  setInterval(() => {
    const now = performance.now()
    for (const receiver of receiversOf(connections)) {
      for (const source of speakingIn(receiver, newestPackets, now, ignored)) lastLoud.set(source, now)
    }
  }, LOOK_EVERY_MS)

  setInterval(() => {
    const now = performance.now()
    const sources = heldIn(lastLoud, now)
    hasNamed ||= sources.length > 0
    const list = sources.join()
    if (list === reported && (list === '' || now - reportedAt < AGAIN_AFTER_MS)) return
    reported = list
    reportedAt = now
    report({ kind: 'voice', sources })
  }, REPORT_EVERY_MS)

  if (unnamedSound) followSound(connections, () => hasNamed, report)

  followFrames((sources, level) => {
    const named = sources.filter((it) => !ignored.includes(it))
    // A level of several sources belongs to none of them.
    const areSpeaking = level === null || (named.length === 1 && level >= QUIETEST)
    if (areSpeaking) for (const source of named) lastLoud.set(source, performance.now())
  })

  return (connection) => void connections.add(connection)
}

function receiversOf(connections: Set<RTCPeerConnection>): readonly RTCRtpReceiver[] {
  for (const it of connections) if (it.connectionState === 'closed') connections.delete(it)
  return [...connections].flatMap((it) => it.getReceivers()).filter(({ track }) => track.kind === 'audio')
}

function heldIn(lastLoud: Map<number, number>, now: number): readonly number[] {
  for (const [source, at] of lastLoud) if (now - at > HOLD_MS) lastLoud.delete(source)
  return [...lastLoud.keys()].sort((a, b) => a - b)
}

/** The speaking sources of this receiver: the clearly loudest one, or all where none has a level. */
function speakingIn(
  receiver: RTCRtpReceiver,
  newestPackets: WeakMap<RTCRtpReceiver, NewestPacket>,
  now: number,
  ignored: readonly number[],
): readonly number[] {
  const sources = receiver.getContributingSources().filter(({ source }) => !ignored.includes(source))
  const newest = Math.max(...sources.map(({ timestamp }) => timestamp))
  const before = newestPackets.get(receiver)
  if (before?.newest === newest && now - before.advancedAt > STALE_AFTER_MS) return []
  if (before?.newest !== newest) newestPackets.set(receiver, { newest, advancedAt: now })
  const current = sources.filter(({ timestamp }) => newest - timestamp <= SAME_MOMENT_MS)
  // A mixer without levels lists only speaking sources.
  if (current.every(({ audioLevel }) => audioLevel === undefined)) return current.map(({ source }) => source)
  const [first, second] = current.map(({ source, audioLevel = 0 }) => ({ source, audioLevel })).sort((a, b) => b.audioLevel - a.audioLevel)
  if (!first || first.audioLevel < QUIETEST) return []
  return second && first.audioLevel < CLEARLY_LOUDER * second.audioLevel ? [] : [first.source]
}

type Frame = { getMetadata(): { readonly contributingSources?: readonly number[]; readonly audioLevel?: number } }
type Streams = { readonly readable: ReadableStream<Frame>; readonly writable: WritableStream<Frame> }
type WithStreams = { createEncodedStreams?: (this: RTCRtpReceiver) => Streams }

/** Reads sources from encoded frames that the page takes from its receivers: the browser then reports none. */
function followFrames(onFrame: (sources: readonly number[], level: number | null) => void): void {
  const prototype = RTCRtpReceiver.prototype as unknown as WithStreams
  const native = prototype.createEncodedStreams
  if (!native) return
  prototype.createEncodedStreams = function (this: RTCRtpReceiver) {
    const streams = native.call(this)
    if (this.track.kind !== 'audio') return streams
    const looking = new TransformStream<Frame, Frame>({
      transform(frame, controller) {
        const { contributingSources = [], audioLevel = null } = frame.getMetadata()
        onFrame(contributingSources, audioLevel)
        controller.enqueue(frame)
      },
    })
    return { readable: streams.readable.pipeThrough(looking), writable: streams.writable }
  }
}

/** Statistics of a connection cost a millisecond, so silence is looked at less often. Sound may have begun right after the look before. */
const SILENCE_EVERY_MS = 500
const SOUND_EVERY_MS = 250
/** Speech of this length has more energy, room noise less. */
const AUDIBLE_ENERGY_PER_MS = 0.000_000_1
/** Looks without sound that end a stretch of it. */
const SILENT_LOOKS = 2

/** Reports where sound begins and ends, until a packet names its speaker: in some calls none does. */
function followSound(connections: ReadonlySet<RTCPeerConnection>, hasNamed: () => boolean, report: Report): void {
  let [energy, atMs, lastLoudMs, silentLooks] = [0, performance.now(), 0, SILENT_LOOKS]
  const look = async (): Promise<void> => {
    const [energyNow, now] = [await energyOf(connections), performance.now()]
    const isLoud = energyNow - energy > AUDIBLE_ENERGY_PER_MS * (now - atMs)
    if (isLoud && silentLooks >= SILENT_LOOKS) report({ kind: 'sound', isAudible: true, agoMs: now - atMs })
    if (isLoud) lastLoudMs = now
    silentLooks = isLoud ? 0 : silentLooks + 1
    if (silentLooks === SILENT_LOOKS) report({ kind: 'sound', isAudible: false, agoMs: now - lastLoudMs })
    ;[energy, atMs] = [energyNow, now]
  }
  const next = (): void => {
    if (hasNamed()) return
    const everyMs = silentLooks >= SILENT_LOOKS ? SILENCE_EVERY_MS : SOUND_EVERY_MS
    // A closing connection has no statistics.
    setTimeout(
      () =>
        void look()
          .catch(() => undefined)
          .finally(next),
      everyMs,
    )
  }
  next()
}

/** The energy of all audio received so far. */
async function energyOf(connections: ReadonlySet<RTCPeerConnection>): Promise<number> {
  const reports = await Promise.all([...connections].map((it) => it.getStats()))
  const received = reports.flatMap((it) => [...it.values()]).filter(({ type, kind }) => type === 'inbound-rtp' && kind === 'audio')
  return received.reduce((sum, { totalAudioEnergy = 0 }) => sum + totalAudioEnergy, 0)
}
