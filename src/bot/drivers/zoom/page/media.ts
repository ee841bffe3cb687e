/// <reference lib="dom" />
// Reports each received track with its stream id, in which Zoom encodes the owner.
import type { ZoomTrack } from '../report.ts'

/** Must run before the SDK, which may keep the constructor. */
export function followTracks(publish: (tracks: readonly ZoomTrack[]) => void): void {
  const tracks = new Map<string, ZoomTrack>()
  window.RTCPeerConnection = new Proxy(window.RTCPeerConnection, {
    construct(target, given, newTarget) {
      const connection = Reflect.construct(target, given, newTarget) as RTCPeerConnection
      connection.addEventListener('track', ({ track, streams }) => {
        const kind = track.kind === 'video' ? 'video' : 'audio'
        tracks.set(track.id, { id: track.id, streamId: streams[0]?.id ?? '', kind })
        track.addEventListener('ended', () => tracks.delete(track.id) && publish([...tracks.values()]))
        publish([...tracks.values()])
      })
      return connection
    },
  })
}
