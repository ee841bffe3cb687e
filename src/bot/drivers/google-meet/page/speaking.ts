/// <reference lib="dom" />
// Who is speaking, by the sources that the page's receivers name. A few tracks carry everybody in turn, so a source is a person, not a track.
import type { Tell } from './hear.ts'

const LOOK_EVERY_MS = 100
const TELL_EVERY_MS = 200
/** Somebody who goes on speaking is told again, so that silence and steady speech differ. */
const AGAIN_AFTER_MS = 1_000
/** Words have gaps. */
const HOLD_MS = 400
/** Sources stay listed for ten seconds after their last packet. */
const SAME_MOMENT_MS = 50
const STALE_AFTER_MS = 300
const QUIETEST = 0.01
const CLEARLY_LOUDER = 2
/** Listed at times, and nobody's. */
const NOBODY = 42

type Heard = { newest: number; advancedAt: number }

export function followSpeaking(tell: Tell): (connection: RTCPeerConnection) => void {
  const connections = new Set<RTCPeerConnection>()
  const heard = new WeakMap<RTCRtpReceiver, Heard>()
  const lastLoud = new Map<number, number>()
  let told = ''
  let toldAt = 0

  setInterval(() => {
    const now = performance.now()
    for (const receiver of earsOf(connections)) {
      const source = loudestIn(receiver, heard, now)
      if (source !== null) lastLoud.set(source, now)
    }
  }, LOOK_EVERY_MS)

  setInterval(() => {
    const now = performance.now()
    const sources = heldIn(lastLoud, now)
    const words = sources.join()
    if (words === told && (words === '' || now - toldAt < AGAIN_AFTER_MS)) return
    told = words
    toldAt = now
    tell({ kind: 'voice', sources })
  }, TELL_EVERY_MS)

  return (connection) => void connections.add(connection)
}

function earsOf(connections: Set<RTCPeerConnection>): readonly RTCRtpReceiver[] {
  for (const it of connections) if (it.connectionState === 'closed') connections.delete(it)
  return [...connections].flatMap((it) => it.getReceivers()).filter(({ track }) => track.kind === 'audio')
}

function heldIn(lastLoud: Map<number, number>, now: number): readonly number[] {
  for (const [source, at] of lastLoud) if (now - at > HOLD_MS) lastLoud.delete(source)
  return [...lastLoud.keys()].sort((a, b) => a - b)
}

/** The one who is clearly heard in this receiver at this moment; null where it is nobody, or not sure who. */
function loudestIn(receiver: RTCRtpReceiver, heard: WeakMap<RTCRtpReceiver, Heard>, now: number): number | null {
  const sources = receiver.getContributingSources().filter(({ source }) => source !== NOBODY)
  const newest = Math.max(...sources.map(({ timestamp }) => timestamp))
  const before = heard.get(receiver)
  if (before?.newest === newest && now - before.advancedAt > STALE_AFTER_MS) return null
  if (before?.newest !== newest) heard.set(receiver, { newest, advancedAt: now })
  const current = sources.filter(({ timestamp }) => newest - timestamp <= SAME_MOMENT_MS)
  const [first, second] = current.map(({ source, audioLevel = 0 }) => ({ source, audioLevel })).sort((a, b) => b.audioLevel - a.audioLevel)
  if (!first || first.audioLevel < QUIETEST) return null
  return second && first.audioLevel < CLEARLY_LOUDER * second.audioLevel ? null : first.source
}
