// A bucket for several nodes: its settings, and a bot's recording in it as far as it is uploaded.
import { buffer } from 'node:stream/consumers'
import type { BotId } from '../../../src/domain/bot.ts'
import { joinManifests, type ManifestFact, manifestsAmong, type Track, tracksOf } from '../../../src/domain/recording.ts'
import { unpackBundle } from '../../../src/storage/bundle.ts'
import type { S3Options } from '../../../src/storage/s3.ts'
import { listRecording, type ObjectStore } from '../../../src/storage/store.ts'

export function bucketSettings({ bucket, endpoint, region, credentials }: S3Options): Readonly<Record<string, string>> {
  const keys = { S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '', S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '' }
  return { S3_BUCKET: bucket, S3_ENDPOINT: endpoint ?? '', S3_REGION: region, ...keys }
}

/** The files of a bot's recording as they are in the store, whether they share objects or not. `read` has the bundles of earlier calls. */
export async function storedFiles(store: ObjectStore, id: string, read = new Map<string, Buffer>()): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const key of await listRecording(store, id as BotId)) {
    const object = read.has(key) ? null : await store.get(key)
    const content = read.get(key) ?? (object && (await buffer(object.stream)))
    if (!content) continue
    if (!key.endsWith('.bundle')) {
      files.set(key.slice(key.lastIndexOf('/') + 1), content)
      continue
    }
    read.set(key, content)
    for (const part of unpackBundle(content).parts) {
      const before = files.get(part.file) ?? Buffer.alloc(0)
      const file = Buffer.alloc(Math.max(before.length, part.from + part.content.length))
      before.copy(file)
      part.content.copy(file, part.from)
      files.set(part.file, file)
    }
  }
  return files
}

type BucketRecording = { readonly facts: readonly ManifestFact[]; readonly tracks: readonly Track[] }

/** Without segments that the manifests know and the bucket has not. */
export async function readBucketRecording(store: ObjectStore, id: string, read?: Map<string, Buffer>): Promise<BucketRecording> {
  const files = await storedFiles(store, id, read)
  const manifest = joinManifests(manifestsAmong([...files.keys()]).map(({ name }) => files.get(name)?.toString() ?? ''))
  const tracks = tracksOf(manifest).map((track) => ({ ...track, segments: track.segments.filter(({ file }) => files.has(file)) }))
  return { facts: manifest.facts, tracks }
}
