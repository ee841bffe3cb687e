// Owners of tracks with each track in print, so that a failed comparison can be read.
import { printTrackRef, type TrackOwner } from '../../src/domain/meeting.ts'

export function printedOwners(owners: readonly TrackOwner[] = []) {
  return owners.map(({ track, participantId, kind }) => ({ trackId: printTrackRef(track), participantId, kind }))
}
