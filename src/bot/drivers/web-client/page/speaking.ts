/// <reference lib="dom" />
// Active speakers by contributing source. A few tracks carry all participants in turn, so a source stands for a participant, not a track.
import type { Report } from './listeners.ts'

const LOOK_EVERY_MS = 100
const REPORT_EVERY_MS = 200
/** Steady speech is reported again, so that it differs from silence. */
const AGAIN_AFTER_MS = 1_000
/** Words have gaps. */
const HOLD_MS = 400
/** Sources stay listed for ten seconds after their last packet. */
const SAME_MOMENT_MS = 50
const STALE_AFTER_MS = 300
const QUIETEST = 0.01
const CLEARLY_LOUDER = 2

type Heard = { newest: number; advancedAt: number }

export type Speaking = {
  readonly onConnection: (connection: RTCPeerConnection) => void
  /** A packet that the page takes itself. */
  readonly onFrame: (sources: readonly number[], level: number) => void
}

export function followSpeaking(ignored: readonly number[], report: Report): Speaking {
  const connections = new Set<RTCPeerConnection>()
  const heard = new WeakMap<RTCRtpReceiver, Heard>()
  const lastLoud = new Map<number, number>()
  let reported = ''
  let reportedAt = 0

  setInterval(() => {
    const now = performance.now()
    for (const receiver of receiversOf(connections)) {
      const source = loudestIn(receiver, heard, now, ignored)
      if (source !== null) lastLoud.set(source, now)
    }
  }, LOOK_EVERY_MS)

  setInterval(() => {
    const now = performance.now()
    const sources = heldIn(lastLoud, now)
    const list = sources.join()
    if (list === reported && (list === '' || now - reportedAt < AGAIN_AFTER_MS)) return
    reported = list
    reportedAt = now
    report({ kind: 'voice', sources })
  }, REPORT_EVERY_MS)

  return {
    onConnection: (connection) => void connections.add(connection),
    onFrame(sources, level) {
      const [source, ...others] = sources.filter((it) => !ignored.includes(it))
      // A packet of several participants at once names no speaker.
      if (source !== undefined && others.length === 0 && level >= QUIETEST) lastLoud.set(source, performance.now())
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

/** The source that is clearly the loudest in this receiver at this moment; null where there is none. */
function loudestIn(
  receiver: RTCRtpReceiver,
  heard: WeakMap<RTCRtpReceiver, Heard>,
  now: number,
  ignored: readonly number[],
): number | null {
  const sources = receiver.getContributingSources().filter(({ source }) => !ignored.includes(source))
  const newest = Math.max(...sources.map(({ timestamp }) => timestamp))
  const before = heard.get(receiver)
  if (before?.newest === newest && now - before.advancedAt > STALE_AFTER_MS) return null
  if (before?.newest !== newest) heard.set(receiver, { newest, advancedAt: now })
  const current = sources.filter(({ timestamp }) => newest - timestamp <= SAME_MOMENT_MS)
  const [first, second] = current.map(({ source, audioLevel = 0 }) => ({ source, audioLevel })).sort((a, b) => b.audioLevel - a.audioLevel)
  if (!first || first.audioLevel < QUIETEST) return null
  return second && first.audioLevel < CLEARLY_LOUDER * second.audioLevel ? null : first.source
}
