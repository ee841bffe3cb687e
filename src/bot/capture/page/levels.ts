/// <reference lib="dom" />
// Audio levels for pages that play no sound: the browser gives a receiver's level only while its track is played, and playing costs a bot
// more than recording. The tap's worker reads the levels from the packets.

/** As long as the browser lists a source after its last packet. */
const LISTED_MS = 10_000

type Level = { readonly level: number; readonly atMs: number }

export type Levels = {
  /** The loudest packet of a receiver since the last call; undefined if it had none. */
  set(receiver: RTCRtpReceiver, level: number | undefined): void
}

export function followLevels(): Levels {
  const levels = new WeakMap<RTCRtpReceiver, Level>()
  const native = RTCRtpReceiver.prototype.getSynchronizationSources
  RTCRtpReceiver.prototype.getSynchronizationSources = function (this: RTCRtpReceiver) {
    const played = native.call(this)
    const last = levels.get(this)
    if (played.length > 0 || !last || performance.now() - last.atMs > LISTED_MS) return played
    return [{ source: 0, rtpTimestamp: 0, timestamp: performance.timeOrigin + last.atMs, audioLevel: last.level }]
  }
  return {
    set(receiver, level) {
      if (level !== undefined) levels.set(receiver, { level, atMs: performance.now() })
    },
  }
}
