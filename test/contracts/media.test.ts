// Signed media links: content, ranges and expiry.
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { addEvidence } from '../../src/service/db/fleet/bots.ts'
import { storeScreenshot } from '../../src/service/fleet/bot/screenshots.ts'
import { createSignedLinks } from '../../src/service/media/signed-links.ts'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import type { ObjectStore } from '../../src/storage/store.ts'
import { botInMeeting, moment } from '../helpers/service/bot-in-meeting.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { SECRET_KEY } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const service = serviceForFile({ BOT_WORKERS: '0' })
let store: ObjectStore
beforeAll(async () => {
  store = await openLocalDisk(join(service.directory, 'objects'))
})

async function shoot(botId: BotId, second: number, content: string | Buffer = `picture ${second}`): Promise<string> {
  const folder = join(service.directory, 'recordings', botId, 'screenshots')
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${moment(second).getTime()}.jpg`)
  await writeFile(file, content)
  const key = await storeScreenshot({ db: service.db, store }, { botId, fence: 0, file, at: moment(second) })
  return key ?? ''
}

const read = (botId: BotId, path: string) => service.api('GET', `/api/v1/bots/${botId}/${path}`)

async function linkTo(content: string | Buffer): Promise<string> {
  const botId = await botInMeeting(service)
  await shoot(botId, 60, content)
  return (await read(botId, 'get_screenshots')).body.screenshots[0].url
}

const DIGITS = '0123456789'.repeat(10)

describe('streams of a bot without audio and video', () => {
  const without = { audio_required: false, video_required: false }

  test.each(['get_recording_streams', 'get_audio_streams'])('answers 202 for %s during the meeting and 404 after it', async (path) => {
    const { status, body } = await read(await botInMeeting(service, 'InMeeting', without), path)
    expect([status, body.audio_status, body.video_status]).toEqual([202, 'in_progress', 'in_progress'])
    const ended = await read(await botInMeeting(service, 'Stopped', without), path)
    expect([ended.status, ended.body.message]).toEqual([404, expect.stringContaining('created without it')])
  })
})

describe('screenshots', () => {
  test('lists screenshots with timestamp and offset during the meeting', async () => {
    const botId = await botInMeeting(service)
    expect((await read(botId, 'get_screenshots')).status).toBe(202)
    for (const second of [60, -3, 120]) await shoot(botId, second)
    const { status, body } = await read(botId, 'get_screenshots')
    expect(status).toBe(200)
    const url = expect.stringMatching(new RegExp(`^${service.url}/media/[^/]+/screenshot-[^/]+\\.jpg$`))
    expect(body).toEqual({
      bot_id: botId,
      screenshots_count: 3,
      screenshots: [-3, 60, 120].map((second) => ({ url, timestamp: moment(second).toISOString(), offset: Math.max(0, second) })),
    })
    const picture = await fetch(body.screenshots[1].url)
    expect([picture.status, picture.headers.get('content-type'), await picture.text()]).toEqual([200, 'image/jpeg', 'picture 60'])
  })

  test('answers 404 with the reason if the bot ended without any', async () => {
    const { status, body } = await read(await botInMeeting(service, 'Stopped'), 'get_screenshots')
    expect([status, body.message]).toEqual([404, expect.stringMatching(/^There are no screenshots: .*\.$/)])
  })

  test('links screenshots from the evidence of a failure', async () => {
    const botId = await botInMeeting(service)
    const screenshot = await shoot(botId, 5, 'the broken page')
    const evidence = { at: moment(5).toISOString(), step: 'enter', message: 'It broke', pageText: null }
    await addEvidence(service.db, botId, { ...evidence, screenshot })
    await addEvidence(service.db, botId, evidence)
    const [first, second] = (await read(botId, 'detail')).body.bot_details.Evidence
    expect(await (await fetch(first.screenshot)).text()).toBe('the broken page')
    expect(second.screenshot).toBeNull()
  })
})

describe('a link', () => {
  test('answers GET and HEAD with the same headers', async () => {
    const url = await linkTo(DIGITS)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(url, { method })
      expect([method, status, ...['content-length', 'content-type', 'accept-ranges'].map((name) => headers.get(name))]).toEqual([
        ...[method, 200, '100', 'image/jpeg', 'bytes'],
      ])
      expect(headers.get('content-disposition')).toMatch(
        /^inline; filename="screenshot-[\w.-]+\.jpg"; filename\*=UTF-8''screenshot-[\w.-]+\.jpg$/,
      )
      expect(headers.get('cache-control')).toBe('private')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('etag')).toMatch(/^"[\w-]+"$/)
      // Media links have no rate limit, because players send many range requests.
      expect([Boolean(headers.get('x-request-id')), headers.get('x-ratelimit-limit')]).toEqual([true, null])
    }
  })

  test.each([
    ['bytes=0-9', 206, 'bytes 0-9/100', '0123456789'],
    ['bytes=95-', 206, 'bytes 95-99/100', '56789'],
    ['bytes=-3', 206, 'bytes 97-99/100', '789'],
    ['bytes=98-500', 206, 'bytes 98-99/100', '89'],
    ['bytes=0-1,5-6', 200, null, DIGITS],
    ['lines=1-2', 200, null, DIGITS],
    ['bytes=100-', 416, 'bytes */100', expect.stringContaining('100 bytes')],
  ])('answers the range %s', async (range, status, contentRange, body) => {
    const answer = await fetch(await linkTo(DIGITS), { headers: { range } })
    expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([status, contentRange, body])
  })

  test('ignores Range if If-Range names another version', async () => {
    const url = await linkTo(DIGITS)
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const asked = async (condition: string) => (await fetch(url, { headers: { range: 'bytes=0-3', 'if-range': condition } })).status
    expect([await asked(etag), await asked('"another"'), await asked(`W/${etag}`)]).toEqual([206, 200, 200])
  })

  test('is rejected if it is forged or expired', async () => {
    const url = await linkTo(DIGITS)
    for (const wrong of [
      url.replace('.jpg', '.png'),
      url.replace(/media\/./, 'media/X'),
      `${service.url}/media/x/y`,
      `${service.url}/media/x.y/z`,
    ]) {
      const answer = await fetch(wrong)
      expect([answer.status, await answer.json()], wrong).toEqual([
        403,
        { message: 'The link is not valid. Read the bot again for a new one.' },
      ])
    }
    const past = createSignedLinks({ key: SECRET_KEY, publicUrl: () => service.url, now: () => new Date(Date.now() - 61_000) })
    const expired = await fetch(past.sign({ botId: 'bot_1' as BotId, key: 'bots/bot_1/x.jpg', epoch: 0, expiresInSeconds: 60 }).url)
    expect([expired.status, await expired.json()]).toEqual([403, { message: expect.stringContaining('has expired') }])
  })

  test('expires after expires_in', async () => {
    const botId = await botInMeeting(service)
    await shoot(botId, 60)
    const expiryOf = (url: string) => {
      const claims = new URL(url).pathname.split('/')[2]?.split('.')[0] ?? ''
      return JSON.parse(Buffer.from(claims, 'base64url').toString())[3] - Date.now() / 1000
    }
    for (const [query, seconds] of [
      ['', 3600],
      ['?expires_in=60', 60],
      ['?expires_in=86400', 86_400],
    ] as const) {
      const { body } = await read(botId, `get_screenshots${query}`)
      expect(Math.abs(expiryOf(body.screenshots[0].url) - seconds), query).toBeLessThan(5)
      const { participant_events } = (await read(botId, `detail${query}`)).body.bot_details
      expect(Math.abs(expiryOf(participant_events) - seconds), query).toBeLessThan(5)
    }
    for (const path of ['get_screenshots', 'detail', 'summary', 'get_audio', 'get_video', 'get_audio_streams', 'get_recording_streams']) {
      for (const value of ['59', '86401', 'soon', '']) {
        const { status, body } = await read(botId, `${path}?expires_in=${value}`)
        expect([status, body.message], `${path} ${value}`).toEqual([400, expect.stringMatching(/^expires_in must be /)])
      }
    }
  })

  test('answers 404 once the bot’s data or its object is deleted', async () => {
    const botId = await botInMeeting(service, 'Stopped')
    const key = await shoot(botId, 60)
    await shoot(botId, 61)
    const { body } = await read(botId, 'get_screenshots')
    const urls: string[] = body.screenshots.map(({ url }: { url: string }) => url)
    urls.push((await read(botId, 'detail')).body.bot_details.participant_events)
    const statuses = () => Promise.all(urls.map(async (url) => (await fetch(url)).status))
    expect(await statuses()).toEqual([200, 200, 200])
    await store.remove([key])
    expect(await statuses()).toEqual([404, 200, 200])

    await service.db.updateTable('bots').set({ status: 'Done' }).where('id', '=', botId).execute()
    const deleted = await service.api('DELETE', `/api/v1/bots/${botId}/delete`)
    expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
    expect(await statuses()).toEqual([404, 404, 404])
    expect(await (await fetch(urls[1] ?? '')).json()).toEqual({ message: expect.stringContaining('deleted') })
    expect(await read(botId, 'get_screenshots')).toMatchObject({ status: 404, body: { message: 'Bot not found' } })
    expect((await read(botId, 'detail')).body.bot_details.participant_events).toBeNull()
  })

  test('closes the file when the client disconnects', async () => {
    const url = await linkTo(Buffer.alloc(30_000_000))
    const gone = new AbortController()
    const { body } = await fetch(url, { signal: gone.signal })
    const reader = body?.getReader()
    await reader?.read()
    const isOpen = async () => (await openFiles()).some((path) => path.includes('/objects/bots/'))
    await until('the file is being read', isOpen)
    gone.abort()
    await expect(reader?.read()).rejects.toThrow()
    await until('the file is closed', async () => !(await isOpen()))
  })
})

/** Open files of this process, which runs the service. */
async function openFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd')
  return Promise.all(descriptors.map((it) => readlink(`/proc/self/fd/${it}`).catch(() => ''))) // Closed meanwhile.
}
