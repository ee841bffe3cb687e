// Tests of the S3 store only: multipart uploads, aborts, direct links, and servers that hang, refuse or are unreachable.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, onTestFinished, test } from 'vitest'
import { openS3, type S3Options } from '../../../src/storage/s3.ts'
import type { Swift } from '../../helpers/service/s3-server.ts'

const KEY = 'bots/bot_1/media/video.mp4'
const MP4 = { contentType: 'video/mp4' } as const
const MEGABYTE = 1024 * 1024

async function uploadsIn({ bucket, endpoint, region, credentials }: S3Options): Promise<number> {
  const client = new S3Client({ endpoint: endpoint ?? '', region, forcePathStyle: true, ...(credentials && { credentials }) })
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
  client.destroy()
  return Uploads.length
}

/** Yields megabytes that each consist of one byte value. */
function* megabytes(count: number): Generator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(MEGABYTE, index)
}

export function testS3Only(swift: () => Swift): void {
  test('uploads a large object in parts and reads it back', async () => {
    const options = await swift().bucket()
    const store = openS3(options)
    await store.put(KEY, Readable.from(megabytes(21)), MP4)
    const found = await store.get(KEY)
    expect(found?.size).toBe(21 * MEGABYTE)
    expect((await buffer(found?.stream ?? Readable.from([]))).equals(Buffer.concat([...megabytes(21)]))).toBe(true)
    expect(await uploadsIn(options)).toBe(0)
  })

  test('uploads what fits into one part by one request, and reports each request', async () => {
    const requests: string[] = []
    const store = openS3(await swift().bucket(), (operation) => requests.push(operation))
    await store.put(KEY, Buffer.alloc(17 * MEGABYTE), MP4)
    expect(requests.splice(0)).toEqual(['PutObject'])
    await store.put(KEY, Readable.from(megabytes(21)), MP4)
    expect(requests.splice(0)).toEqual(['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'CompleteMultipartUpload'])
    await store.list('bots/bot_1/')
    await store.remove([KEY])
    expect(requests).toEqual(['ListObjectsV2', 'HeadObject', 'DeleteObject'])
  })

  test('leaves no parts of a large upload that fails or is aborted', async () => {
    const options = await swift().bucket()
    const store = openS3(options)
    function* breaking() {
      yield* megabytes(40)
      throw new Error('the source broke')
    }
    await expect(store.put(KEY, Readable.from(breaking()), MP4)).rejects.toThrow('the source broke')
    const stop = new AbortController()
    function* calledOff() {
      yield* megabytes(12)
      setImmediate(() => stop.abort(new Error('called off')))
      for (;;) yield* megabytes(12)
    }
    await expect(store.put(KEY, Readable.from(calledOff()), { ...MP4, signal: stop.signal })).rejects.toThrow(/called off|aborted/)
    expect([await store.stat(KEY), await uploadsIn(options)]).toEqual([null, 0])
  })

  test('lists more objects than fit on one page', async () => {
    const store = openS3(await swift().bucket())
    const keys = Array.from({ length: 45 }, (_, index) => `bots/bot_1/recording/${String(index).padStart(4, '0')}.mkv`)
    await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'), { contentType: 'video/x-matroska' })))
    expect(await store.list('bots/bot_1/')).toEqual(keys)
    expect(await store.remove(keys)).toBe(keys.length)
  })

  test('serves the object and its ranges by a direct link until it is removed', async () => {
    const options = await swift().bucket()
    expect(await openS3(options).directLink(KEY, { fileName: 'call.mp4' })).toBeNull()
    const store = openS3({ ...options, directReads: true })
    await store.put(KEY, Buffer.from('0123456789'), MP4)
    const link = (await store.directLink(KEY, { fileName: 'Ada’s call.mp4' })) ?? ''
    const answer = await fetch(link, { headers: { range: 'bytes=2-4' } })
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([206, '234', 'video/mp4'])
    expect(answer.headers.get('content-disposition')).toContain('Ada%E2%80%99s%20call.mp4')
    expect((await fetch(link.replace(/Signature=..../, 'Signature=0000'))).status).toBe(403)
    await store.remove([KEY])
    expect((await fetch(link)).status).toBe(404)
  })

  test('times out on a server that never answers and fails on an unreachable one', async () => {
    const options = await swift().bucket()
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const port = (silent.address() as { port: number }).port
    const hanging = openS3({ ...options, endpoint: `http://127.0.0.1:${port}`, timeoutMs: 200 })
    const waiting = [hanging.put(KEY, Buffer.from('x'), MP4), hanging.get(KEY), hanging.stat(KEY), hanging.list('bots/')]
    for (const it of await Promise.allSettled(waiting)) expect(it).toMatchObject({ reason: { message: /time|abort/i } })
    const gone = openS3({ ...options, endpoint: 'http://127.0.0.1:9', timeoutMs: 200 })
    await expect(gone.stat(KEY)).rejects.toThrow(/ECONNREFUSED/)
  })

  test('fails with wrong credentials instead of reporting a missing object', async () => {
    const options = await swift().bucket()
    const unauthorised = openS3({ ...options, credentials: { accessKeyId: 'test:tester', secretAccessKey: 'wrong' } })
    const refused = [
      unauthorised.put(KEY, Buffer.from('x'), MP4),
      unauthorised.get(KEY),
      unauthorised.stat(KEY),
      unauthorised.remove([KEY]),
    ]
    for (const it of await Promise.allSettled(refused)) expect(it).toMatchObject({ reason: { $metadata: { httpStatusCode: 403 } } })
    const nowhere = openS3({ ...options, bucket: 'no-such-bucket' })
    await expect(nowhere.put(KEY, Buffer.from('x'), MP4)).rejects.toThrow()
  })
}
