// Stores objects in an S3-compatible bucket. Uploads are atomic, and every request has a timeout.
import { addAbortSignal, Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { ByteRange } from './byte-range.ts'
import { upload } from './s3-upload.ts'
import { checkedKey, checkedPrefix, checkType, contentTypeOf, type ObjectInfo, type ObjectStore, streamOf } from './store.ts'

export type S3Options = {
  readonly bucket: string
  /** Null: Amazon's endpoint of the region. */
  readonly endpoint: string | null
  readonly region: string
  /** Null: the default AWS credential chain (environment, instance role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
  /** Redirects readers to the bucket, which they must be able to reach. */
  readonly directReads: boolean
  /** Idle timeout. A whole request, such as one part of an upload, gets four times this. */
  readonly timeoutMs: number
}

const TRIES = 3
const AT_ONCE = 8
const DIRECT_READ_SECONDS = 120

/** `onRequest` gets the operation of each request, also of a repeated one: buckets are billed by them. */
export function openS3(options: S3Options, onRequest: (operation: string) => void = () => undefined): ObjectStore {
  const { bucket: Bucket } = options
  const client = clientOf(options)
  client.middlewareStack.add(
    (next, { commandName }) =>
      (request) => {
        onRequest((commandName ?? '').replace(/Command$/, ''))
        return next(request)
      },
    { step: 'finalizeRequest', priority: 'low' },
  )
  const statOf = async (key: string) =>
    client.send(new HeadObjectCommand({ Bucket, Key: checkedKey(key) })).then((it) => infoOf(it, key), unless(ABSENT))
  const removeOne = async (key: string) => {
    const was = await statOf(key)
    if (was) await client.send(new DeleteObjectCommand({ Bucket, Key: key }))
    return was !== null
  }
  return {
    async put(key, source, { contentType, signal }) {
      checkType(checkedKey(key), contentType)
      await upload({ client, place: { Bucket, Key: key }, contentType, signal }, streamOf(source))
    },
    async get(key, { range, signal } = {}) {
      const command = new GetObjectCommand({ Bucket, Key: checkedKey(key), ...(range && { Range: `bytes=${range.first}-${range.last}` }) })
      const found = await client.send(command, signal ? { abortSignal: signal } : {}).catch(unless(ABSENT))
      if (!found) return null
      const stream = bytesOf(found, key)
      return { ...infoOf(found, key), range: partOf(found), stream: signal ? addAbortSignal(signal, stream) : stream }
    },
    stat: statOf,
    async remove(keys) {
      const all = keys.map(checkedKey)
      let removed = 0
      for (let done = 0; done < all.length; done += AT_ONCE) {
        const were = await Promise.all(all.slice(done, done + AT_ONCE).map(removeOne))
        removed += were.filter(Boolean).length
      }
      return removed
    },
    async list(prefix) {
      const keys: string[] = []
      for (let page: string | undefined, more = true; more; ) {
        const command = new ListObjectsV2Command({ Bucket, Prefix: checkedPrefix(prefix), ...(page && { ContinuationToken: page }) })
        const { Contents = [], NextContinuationToken, IsTruncated = false } = await client.send(command)
        keys.push(...Contents.flatMap(({ Key }) => Key ?? []))
        page = NextContinuationToken
        more = IsTruncated
      }
      return keys.sort()
    },
    async directLink(key, { fileName }) {
      if (!options.directReads) return null
      const ResponseContentDisposition = `inline; filename*=UTF-8''${encodeURIComponent(fileName)}`
      const command = new GetObjectCommand({ Bucket, Key: checkedKey(key), ResponseContentDisposition })
      return getSignedUrl(client, command, { expiresIn: DIRECT_READ_SECONDS })
    },
  }
}

function clientOf({ endpoint, region, credentials, timeoutMs }: S3Options): S3Client {
  return new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: TRIES,
    // Many S3-compatible servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: timeoutMs, socketTimeout: timeoutMs, requestTimeout: 4 * timeoutMs, throwOnRequestTimeout: true },
  })
}

function infoOf({ ContentLength, ContentRange, ETag }: HeadObjectCommandOutput | GetObjectCommandOutput, key: string): ObjectInfo {
  const whole = ContentRange?.split('/')[1]
  return { size: Number(whole ?? ContentLength ?? 0), contentType: contentTypeOf(key), etag: ETag ?? '""' }
}

function partOf({ ContentRange }: GetObjectCommandOutput): ByteRange | null {
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(ContentRange ?? '') ?? []
  return first === undefined ? null : { first: Number(first), last: Number(last) }
}

function bytesOf({ Body }: GetObjectCommandOutput, key: string): Readable {
  if (!(Body instanceof Readable)) throw new Error(`storage: ${key} was answered without a body stream`)
  return Body
}

const ABSENT = 404

function unless(status: number): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof S3ServiceException) || error.$metadata.httpStatusCode !== status) throw error
    return null
  }
}
