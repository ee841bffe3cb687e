// A bucket for several nodes: its settings, and a bot's recording in it as far as it is uploaded.
import { text } from 'node:stream/consumers'
import type { BotId } from '../../src/domain/bot.ts'
import { joinManifests, type ManifestFact, manifestsAmong, type Track, tracksOf } from '../../src/domain/recording.ts'
import type { S3Options } from '../../src/storage/s3.ts'
import { type ObjectStore, recordingKey, recordingPrefix } from '../../src/storage/store.ts'

export function bucketSettings({ bucket, endpoint, region, credentials }: S3Options): Readonly<Record<string, string>> {
  const keys = { S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '', S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '' }
  return { S3_BUCKET: bucket, S3_ENDPOINT: endpoint ?? '', S3_REGION: region, ...keys }
}

type BucketRecording = { readonly facts: readonly ManifestFact[]; readonly tracks: readonly Track[] }

/** Without segments that the manifests know and the bucket has not. */
export async function readBucketRecording(store: ObjectStore, id: string): Promise<BucketRecording> {
  const prefix = recordingPrefix(id as BotId)
  const names = (await store.list(prefix)).map((key) => key.slice(prefix.length))
  const manifests = await Promise.all(manifestsAmong(names).map(({ name }) => store.get(recordingKey(id as BotId, name))))
  const manifest = joinManifests(await Promise.all(manifests.map((object) => (object ? text(object.stream) : ''))))
  const tracks = tracksOf(manifest).map((track) => ({ ...track, segments: track.segments.filter(({ file }) => names.includes(file)) }))
  return { facts: manifest.facts, tracks }
}
