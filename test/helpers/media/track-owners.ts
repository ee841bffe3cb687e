// Track owners with printed tracks, so that a failed comparison is readable.
import { printTrackRef, type TrackOwner } from '../../../src/domain/meeting.ts'

export function printedOwners(owners: readonly TrackOwner[] = []) {
  return owners.map(({ track, participantId, kind }) => ({ trackId: printTrackRef(track), participantId, kind }))
}
