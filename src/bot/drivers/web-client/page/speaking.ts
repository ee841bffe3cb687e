/// <reference lib="dom" />
// Active speakers by contributing source. A few tracks carry all participants in turn, so a source stands for a participant, not a track.
import type { Listened, Report } from './listeners.ts'
import { followUnnamedSound } from './unnamed-sound.ts'

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

export type Speaking = {
  readonly onConnection: (connection: RTCPeerConnection) => void
  /** A packet from an encoded frame that the page takes. */
  readonly onFrame: (sources: readonly number[], level: number | null) => void
}

export function followSpeaking({ ignoredSources: ignored, unnamedSound }: SpeakingOptions, report: Report): Speaking {
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

  if (unnamedSound) followUnnamedSound(connections, () => hasNamed, report)

  return {
    onConnection: (connection) => void connections.add(connection),
    onFrame(sources, level) {
      const named = sources.filter((it) => !ignored.includes(it))
      // A level of several sources belongs to none of them.
      const areSpeaking = level === null || (named.length === 1 && level >= QUIETEST)
      if (areSpeaking) for (const source of named) lastLoud.set(source, performance.now())
    },
  }
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
