/// <reference lib="dom" />
// Audio levels for pages that play no sound: the browser gives a receiver's level only while its track is played, and playing costs a bot
// more than recording. The tap's worker reads the levels from the packets.

/** As long as the browser lists a source after its last packet. */
const LISTED_MS = 10_000

type Level = { readonly level: number; readonly atMs: number }

/** Sets the level of a receiver's loudest packet since the last call; undefined if it had none. */
export type SetLevel = (receiver: RTCRtpReceiver, level: number | undefined) => void

export function followLevels(): SetLevel {
  const levels = new WeakMap<RTCRtpReceiver, Level>()
  const native = RTCRtpReceiver.prototype.getSynchronizationSources
  RTCRtpReceiver.prototype.getSynchronizationSources = function (this: RTCRtpReceiver) {
    const played = native.call(this)
    const last = levels.get(this)
    if (played.length > 0 || !last || performance.now() - last.atMs > LISTED_MS) return played
    return [{ source: 0, rtpTimestamp: 0, timestamp: performance.timeOrigin + last.atMs, audioLevel: last.level }]
  }
  return (receiver, level) => {
    if (level !== undefined) levels.set(receiver, { level, atMs: performance.now() })
  }
}
