/// <reference lib="dom" />
// Which streams the tracks of the page belong to: Zoom writes the owner into a stream's id.
import type { ZoomTrack } from '../report.ts'

/** Before the SDK is loaded, which may keep the constructor. */
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
