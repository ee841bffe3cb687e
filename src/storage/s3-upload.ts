// Uploads an object to a bucket: small ones in one request, large ones in parts. A failed upload leaves no parts.
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

type Place = { readonly Bucket: string; readonly Key: string }
type Upload = { readonly client: S3Client; readonly place: Place; readonly contentType: string; readonly signal: AbortSignal | undefined }

/** A multipart upload is a request for each part and two more. A bundle of a recording is smaller than a part, and so one request. */
export const PART_BYTES = 16 * 1024 * 1024

export async function upload(to: Upload, stream: Readable): Promise<void> {
  const parts = inParts(stream)[Symbol.asyncIterator]()
  // An abort also ends the wait for a stalled source stream.
  const stop = () => stream.destroy(asError(to.signal?.reason))
  to.signal?.addEventListener('abort', stop, { once: true })
  try {
    to.signal?.throwIfAborted()
    const first = await parts.next()
    const second = await parts.next()
    if (second.done) await putWhole(to, first.value ?? Buffer.alloc(0))
    else await putInParts(to, [first.value ?? Buffer.alloc(0), second.value], parts)
  } finally {
    to.signal?.removeEventListener('abort', stop)
    stream.destroy()
  }
}

async function putWhole({ client, place, contentType, signal }: Upload, body: Buffer): Promise<void> {
  await client.send(new PutObjectCommand({ ...place, Body: body, ContentType: contentType }), signal ? { abortSignal: signal } : {})
}

async function putInParts(to: Upload, begun: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<void> {
  const { client, place, contentType, signal } = to
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...place, ContentType: contentType }))
  const options = signal ? { abortSignal: signal } : {}
  const done: CompletedPart[] = []
  const send = async (Body: Buffer) => {
    const PartNumber = done.length + 1
    const { ETag } = await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber, Body }), options)
    done.push({ PartNumber, ETag })
  }
  try {
    for (const part of begun) await send(part)
    for (let next = await rest.next(); !next.done; next = await rest.next()) await send(next.value)
    await client.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: done } }), options)
  } catch (error) {
    // Best effort: an unreachable server keeps the parts until its own lifecycle rules remove them.
    await client.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => undefined)
    throw error
  }
}

/** S3 requires a minimum size for every part but the last. */
async function* inParts(stream: Readable): AsyncGenerator<Buffer, undefined> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    waiting.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk))
    size += chunk.length
    if (size < PART_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
