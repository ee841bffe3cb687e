// A bot that shows, speaks, writes and streams in a real meeting, measured at its participants and the caller's sockets.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Guest, Guests } from '../../sims/room/guest.ts'
import { type FilesServer, png, serveFiles, wav } from '../helpers/callers/files-server.ts'
import { amplitude, startLiveReceiver } from '../helpers/callers/live-receiver.ts'
import { ADA, BEN, isNear, rgbOf, Stage } from '../helpers/meetings/bot-in-room.ts'
import { startTestService, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const BOT = 'Emissary'
const ORANGE = '#e07020'
const TEAL = '#208080'
const CLIP_HZ = 1500

/** A whole meeting on a busy machine. */
const LONG_MS = 90_000

let stage: Stage
let files: FilesServer
beforeAll(async () => {
  const pictures = {
    'orange.png': png(ORANGE),
    'teal.png': png(TEAL),
    'clip.wav': wav(CLIP_HZ, 2),
    'page.html': Buffer.from('<h1>hello</h1>'),
  }
  files = await serveFiles(pictures)
  stage = new Stage(await startTestService(WITH_BOTS))
})
afterAll(async () => {
  await stage?.service.stop()
  await files?.close()
})

const sees = (person: Guest, colour: string | null) =>
  until(
    `${person.name} sees the bot in ${colour}`,
    async () => {
      const tile = (await person.sees()).find((it) => it.name === BOT && it.kind === 'camera')
      return colour === null ? tile?.colour === null : tile?.colour && isNear(tile.colour, rgbOf(colour), 25)
    },
    20_000,
  )

const loudness = async (person: Guest) => (await person.listen(CLIP_HZ)).find(({ name }) => name === BOT)

async function meeting(room: string, body: object = {}): Promise<{ people: Guests; ada: Guest; id: string }> {
  const people = await stage.cast(room, ADA, BEN)
  const id = await stage.send(room, body)
  await stage.has(id, 'Recording')
  return { people, ada: people.named('Ada'), id }
}

test(
  'shows its first image, another one for a while, and then the first again',
  async () => {
    const { ada, id } = await meeting('pictures', { bot_image_url: files.url('teal.png') })
    await sees(ada, TEAL)
    const shown = await stage.command(id, 'send_image', { img_url: files.url('orange.png'), display_duration: 4 })
    expect(shown).toMatchObject({ status: 200, body: { status: 'accepted', bot_id: id, command: 'send_image' } })
    await sees(ada, ORANGE)
    await sees(ada, TEAL)

    const missing = await stage.command(id, 'send_image', { img_url: files.url('nothing.png') })
    expect(missing).toMatchObject({ status: 400, body: { message: expect.stringContaining('404') } })
    expect(await stage.command(id, 'send_image', { img_url: files.url('page.html') })).toMatchObject({ status: 400 })
    expect(await stage.command(id, 'send_image', { img_url: 'ftp://example.com/a.png' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('img_url') },
    })
    await stage.remove(id)
  },
  LONG_MS,
)

test(
  'plays its first clip, speaks, and is muted when it is silent',
  async () => {
    const { ada, id } = await meeting('voices', { initial_audio: { url: files.url('clip.wav') } })
    await until('Ada hears the clip', async () => ((await loudness(ada))?.at[CLIP_HZ] ?? 0) > 0.05, 20_000)
    await until('it is over', async () => ((await loudness(ada))?.rms ?? 1) < 0.01, 10_000)
    const micOf = () => ada.rosters.at(-1)?.find(({ name }) => name === BOT)?.media.microphone
    expect(await stage.command(id, 'speak', { text: 'The quarterly numbers are ready for everybody to read.' })).toMatchObject({
      status: 200,
      body: { command: 'speak' },
    })
    let loudest = 0
    await until(
      'Ada hears speech',
      async () => {
        loudest = Math.max(loudest, (await loudness(ada))?.rms ?? 0)
        return loudest > 0.03
      },
      10_000,
    )
    await until('the speech is over', async () => ((await loudness(ada))?.rms ?? 1) < 0.005, 15_000)
    await until('the microphone is off again', () => micOf() === false, 10_000)
    expect(await stage.command(id, 'speak', { text: 'x', voice: 'no such voice' })).toMatchObject({ status: 400 })
    await stage.remove(id)
  },
  LONG_MS,
)

const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())

async function sizeOf(url: string): Promise<string> {
  const asked = ['-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x', 'pipe:0']
  return String(execFileSync('ffprobe', ['-v', 'error', ...asked], { input: await fetched(url) })).trim()
}

/** The share of an image that has a colour. */
async function colourShares(url: string): Promise<(colour: string) => number> {
  const input = await fetched(url)
  const small = ['-vf', 'scale=64:36', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
  const pixels = execFileSync('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...small], { input })
  return (colour) => {
    let near = 0
    for (let at = 0; at < pixels.length; at += 3) if (isNear([...pixels.subarray(at, at + 3)], rgbOf(colour), 30)) near++
    return (near * 3) / pixels.length
  }
}

test(
  'takes a screenshot with every participant in it',
  async () => {
    const { id } = await meeting('photographs')
    const first = await until(
      'the first minute’s picture is kept',
      async () => (await stage.read(id, 'get_screenshots')).screenshots_count > 0,
      15_000,
    )
    expect(first).toBe(true)
    expect(await stage.command(id, 'take_screenshot')).toMatchObject({ status: 200, body: { command: 'take_screenshot' } })
    // Cameras that have just started may be missing from the first screenshots.
    const isSeen = await until(
      'everybody is to be seen',
      async () => {
        const { screenshots_count: before } = await stage.read(id, 'get_screenshots')
        await stage.command(id, 'take_screenshot')
        await until('the picture is kept', async () => (await stage.read(id, 'get_screenshots')).screenshots_count > before, 10_000)
        const { screenshots } = await stage.read(id, 'get_screenshots')
        const share = await colourShares(screenshots.at(-1).url)
        return share(ADA.colour) > 0.05 && share(BEN.colour) > 0.05
      },
      20_000,
    )
    expect(isSeen).toBe(true)
    const { screenshots } = await stage.read(id, 'get_screenshots')
    expect(await sizeOf(screenshots.at(-1).url)).toBe('1280x720')
    await stage.remove(id)
    expect((await stage.read(id, 'get_screenshots')).screenshots_count).toBeGreaterThanOrEqual(2)
  },
  LONG_MS,
)

test(
  'streams each speaker’s audio to the caller, and silence while paused',
  async () => {
    const socket = await startLiveReceiver()
    onTestFinished(() => socket.close())
    const { id } = await meeting('listening', { live_audio_required: { websocket_url: socket.url } })
    // Packets that arrive before the room has named their owner are streamed under the empty id.
    const named = () => [...socket.voices().values()].filter(({ id: speakerId }) => speakerId !== '')
    await until('both are streamed', () => named().length === 2, 20_000)
    expect(socket.texts[0]).toMatchObject({ type: 'ready', bot_id: id })
    const voices = await until('a second of each', () => (named().every(({ frames }) => frames.length >= 60) ? named() : null), 10_000)
    expect(voices.map(({ name }) => name).toSorted()).toEqual(['Ada', 'Ben'])
    for (const { name, frames } of voices) {
      const own = name === 'Ada' ? 440 : 700
      const other = name === 'Ada' ? 700 : 440
      expect(frames.every((frame) => frame.length === 960)).toBe(true)
      expect(amplitude(frames.slice(-50), own)).toBeGreaterThan(0.05)
      expect(amplitude(frames.slice(-50), other)).toBeLessThan(0.01)
    }

    expect((await stage.command(id, 'pause_recording')).status).toBe(200)
    socket.forget()
    await until('a second of silence from both', () => named().filter(({ frames }) => frames.length >= 50).length === 2, 10_000)
    for (const { frames } of socket.voices().values()) expect(frames.every((frame) => frame.every((sample) => sample === 0))).toBe(true)
    expect((await stage.command(id, 'resume_recording')).status).toBe(200)
    await until(
      'sound again',
      () => named().every(({ frames }) => amplitude(frames.slice(-20), 440) + amplitude(frames.slice(-20), 700) > 0.05),
      10_000,
    )
    await stage.remove(id)
  },
  LONG_MS,
)

test(
  'speaks, shows, writes and receives chat through the control socket',
  async () => {
    const socket = await startLiveReceiver()
    onTestFinished(() => socket.close())
    const { people, ada, id } = await meeting('controlled', { socket_connection_url: { websocket_url: socket.url } })
    await until('it is ready', () => socket.texts.some((it) => it.type === 'ready' && it.bot_id === id), 10_000)

    socket.send({ command: 'sendchat', text: 'I am steered from afar.' })
    await until('Ada reads it', () => ada.chat.some(({ text }) => text === 'I am steered from afar.'), 10_000)
    await people.named('Ben').write('Who is there?')
    await until(
      'the chat is told',
      () => socket.texts.some((it) => it.command === 'usermsg' && it.message === 'Who is there?' && it.speaker === 'Ben'),
      10_000,
    )

    socket.send({ command: 'sendimg', img: png(ORANGE).toString('base64') })
    await sees(ada, ORANGE)
    socket.send({ command: 'sendimg_url', img_url: files.url('teal.png') })
    await sees(ada, TEAL)

    const pcm = Buffer.from(
      Int16Array.from({ length: 48_000 * 4 }, (_, at) => 12_000 * Math.sin((2 * Math.PI * CLIP_HZ * at) / 48_000)).buffer,
    )
    for (let at = 0; at < pcm.length; at += 9_600)
      socket.send({
        command: 'sendaudio',
        audiochunk: pcm.subarray(at, at + 9_600).toString('base64'),
        sample_rate: 48_000,
        encoding: 'pcm16',
        channels: 1,
      })
    await until('Ada hears it', async () => ((await loudness(ada))?.at[CLIP_HZ] ?? 0) > 0.1, 15_000)
    socket.send({ command: 'interrupt', action: 'clear_audio_queue' })
    await until('it is silent before its time', async () => ((await loudness(ada))?.rms ?? 1) < 0.005, 2_000)
    socket.send({ command: 'sendaudio', audiochunk: '???', sample_rate: 48_000, encoding: 'pcm16', channels: 1 })
    await until(
      'what is wrong is named',
      () => socket.texts.some((it) => it.type === 'error' && String(it.message).includes('audiochunk')),
      5_000,
    )
    await stage.remove(id)
  },
  LONG_MS,
)
