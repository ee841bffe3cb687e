// The recording that a bot left on the disk, by person.
import path from 'node:path'
import { type ManifestFact, type Track, type TrackKind, tracksOf } from '../../../src/domain/recording.ts'
import { readManifest } from './manifest.ts'
import { type Picture, pictures, type Sound, sound } from './recorded-media.ts'

export type LeftRecording = {
  readonly facts: readonly ManifestFact[]
  readonly tracks: readonly Track[]
  of(participantId: string, kind: TrackKind): readonly Track[]
  pictures(...tracks: readonly Track[]): readonly Picture[]
  sounds(...tracks: readonly Track[]): readonly Sound[]
}

export function readRecording(folder: string): LeftRecording {
  const { facts } = readManifest(folder)
  const tracks = tracksOf({ facts })
  const files = (of: readonly Track[]) => of.flatMap(({ segments }) => segments.map((it) => path.join(folder, it.file)))
  return {
    facts,
    tracks,
    of: (participantId, kind) => tracks.filter((track) => track.participantId === participantId && track.kind === kind),
    pictures: (...of) => files(of).flatMap(pictures),
    sounds: (...of) => files(of).map(sound),
  }
}
