// The bot's camera and microphone in the room, as another participant receives them.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPeople } from '../../../sims/room/people.ts'
import { synthesise } from '../../../src/speech/text-to-speech.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { blinking, stillImage, tone, toneSamples } from '../../helpers/media/outgoing-files.ts'
import { BOT, startOutgoingFixture } from '../../helpers/media/outgoing-fixture.ts'
import { listenTo, spanOf } from '../../helpers/media/outgoing-listener.ts'
import { likeness, loudness, loudnessOf, stepsOf } from '../../helpers/media/outgoing-loudness.ts'
import { seesColour } from '../../helpers/meetings/room.ts'
import { until } from '../../helpers/until.ts'

const BACKGROUND = '#202124'
const [RED, GREEN, BLUE, YELLOW] = ['#c81e3c', '#1ec83c', '#1e3cc8', '#d2c814'] as const
const WAIT_MS = 20_000

const bench = openForFile(startOutgoingFixture)

describe('the camera', () => {
  beforeAll(() => bench.press('camera', true))
  beforeEach(() => bench.media.show(bench.run, null))
  const show = (picture: Buffer | null) => bench.media.show(bench.run, picture)
  const adaSees = (colour: string) => seesColour(bench.ada, BOT, colour)

  test('shows the plain background until it has a picture', () => adaSees(BACKGROUND))

  test.each(['png', 'jpg', 'webp'] as const)('shows a picture of type %s, and then the background again', async (type) => {
    await show(stillImage(type, RED))
    await adaSees(RED)
    await show(null)
    await adaSees(BACKGROUND)
  })

  test('centres a tall picture on the background', async () => {
    await show(stillImage('png', GREEN, '200x400'))
    const middle = () => colourAt(0.5, 0.5)
    await until('the middle is green', async () => near(await middle(), GREEN), WAIT_MS)
    await adaSees(BACKGROUND)
    expect(near(await colourAt(0.5, 0.03), GREEN)).toBe(true)
    expect(near(await colourAt(0.3, 0.5), BACKGROUND)).toBe(true)
  })

  test.each(['gif', 'webp'] as const)('plays an animated picture of type %s at its own frame rate', async (type) => {
    await show(blinking(type, BLUE, YELLOW))
    const seen: { readonly colour: string; readonly at: number }[] = []
    await until(
      'the colours have changed six times',
      async () => {
        const colour = (await bench.ada.sees()).find(({ name }) => name === BOT)?.colour
        const named = [BLUE, YELLOW].find((it) => near(colour, it))
        if (named && named !== seen.at(-1)?.colour) seen.push({ colour: named, at: performance.now() })
        return seen.length > 6
      },
      WAIT_MS,
    )
    const pausesMs = seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0))
    const [usualMs] = pausesMs.toSorted((a, b) => a - b).slice(pausesMs.length / 2)
    // Half a second each. On a busy machine a late frame delays the later ones.
    expect(usualMs).toBeGreaterThan(350)
    expect(usualMs).toBeLessThan(800)
  })

  test('is visible to a participant who joins later, and to all after it is switched off and on', async () => {
    await show(stillImage('png', YELLOW))
    const more = await startPeople({ browser: bench.browser, roomUrl: bench.roomUrl, people: [{ name: 'Ben', colour: '#888888' }] })
    try {
      await more.played
      await seesColour(more.named('Ben'), BOT, YELLOW)
      await bench.press('camera', false)
      await adaSeesNothing()
      await bench.press('camera', true)
      await adaSees(YELLOW)
      await seesColour(more.named('Ben'), BOT, YELLOW)
    } finally {
      await more.stop()
    }
  })

  test('accepts a picture of ten megabytes', async () => {
    const png = stillImage('png', BLUE)
    await show(Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024 - png.length)]))
    await adaSees(BLUE)
  })

  test('rejects an undecodable picture, and keeps showing the one before', async () => {
    await show(stillImage('png', RED))
    await expect(show(stillImage('png', GREEN).subarray(0, 40))).rejects.toThrow(
      'The picture (image/png) could not be decoded; its file is damaged.',
    )
    await expect(show(Buffer.from('<svg/>'))).rejects.toThrow('The picture must be PNG, JPEG, WebP or GIF.')
    await adaSees(RED)
  })

  const adaSeesNothing = () => seesColour(bench.ada, BOT, null)

  /** A colour of the bot's picture as Ada receives it; `across` and `down` are from 0 to 1. */
  const colourAt = (across: number, down: number) =>
    bench.ada.page.evaluate(
      ({ name, x, y }) => {
        const video = document.querySelector<HTMLVideoElement>(`[data-testid="tile"][data-name="${name}"] video`)
        const pen = new OffscreenCanvas(1, 1).getContext('2d')
        if (!video || !pen) return null
        pen.drawImage(video, video.videoWidth * x, video.videoHeight * y, 4, 4, 0, 0, 1, 1)
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
      },
      { name: BOT, x: across, y: down },
    )
})

describe('the microphone', () => {
  beforeAll(async () => {
    // The receiver delays audio to sync it with video, which is late on a busy machine.
    await bench.press('camera', false)
    await bench.press('microphone', true)
  })
  afterEach(async () => {
    await bench.media.clear(bench.run)
    await untilSilentForAda()
  })
  const play = (clip: Buffer) => bench.media.play(bench.run, clip)

  test.each(['wav', 'mp3', 'ogg', 'm4a'] as const)('plays a clip of type %s, and is silent afterwards', async (type) => {
    const { started, ended } = play(tone(type, 1_000, 1.5))
    expect(await started).toBe(true)
    expect(await bench.media.isPlaying(bench.run)).toBe(true)
    await untilAudibleForAda(1_000)
    await ended
    expect(await bench.media.isPlaying(bench.run)).toBe(false)
    await untilSilentForAda()
  })

  test('plays two clips one after another', async () => {
    const listener = await listenTo(bench.ada, BOT)
    const order: string[] = []
    const [long, short] = [play(tone('wav', 500, 1.2)), play(tone('wav', 1_500, 0.6))]
    const note = (event: string) => () => order.push(event)
    await Promise.all([
      long.started.then(note('first begins')),
      long.ended.then(note('first ends')),
      short.started.then(note('second begins')),
      short.ended.then(note('second ends')),
    ])
    expect(order.indexOf('first begins')).toBe(0)
    expect(order.at(-1)).toBe('second ends')
    await untilSilentForAda()
    const received = await listener.stop()
    const [first, second] = [spanOf(received, 500), spanOf(received, 1_500)]
    expect(first.seconds).toBeCloseTo(1.2, 0)
    expect(second.seconds).toBeCloseTo(0.6, 0)
    expect(second.from - first.to).toBeGreaterThan(-0.05)
    expect(second.from - first.to).toBeLessThan(0.15)
  })

  test.each([
    { sampleRate: 48_000, channels: 1 },
    { sampleRate: 24_000, channels: 1 },
    { sampleRate: 16_000, channels: 2 },
    { sampleRate: 44_100, channels: 2 },
  ])('plays raw chunks of %o as one continuous tone', async (shape) => {
    const listener = await listenTo(bench.ada, BOT)
    const pcm = toneSamples(440, 3, shape)
    // Cut in the middle of samples, as a network does.
    const chunks = Array.from({ length: Math.ceil(pcm.length / 9_601) }, (_, index) => pcm.subarray(index * 9_601, (index + 1) * 9_601))
    await Promise.all(chunks.map((chunk) => bench.media.feed(bench.run, chunk, shape)))
    await until('all audio is played', async () => !(await bench.media.isPlaying(bench.run)), WAIT_MS)
    await untilSilentForAda()
    const received = await listener.stop()
    const { seconds, longestGapMs } = spanOf(received, 440)
    // Ada's browser stretches uneven audio, but cannot close a gap.
    expect(seconds).toBeGreaterThan(2.8)
    expect(seconds).toBeLessThan(3.6)
    expect(longestGapMs).toBeLessThanOrEqual(30)
  })

  test('is silent within half a second of clear, and drops queued clips', async () => {
    const listener = await listenTo(bench.ada, BOT)
    const [playing, waiting] = [play(tone('wav', 1_000, 20)), play(tone('wav', 2_000, 5))]
    await playing.started
    const startedAt = Date.now()
    await untilAudibleForAda(1_000)
    const clearedAt = Date.now()
    await bench.media.clear(bench.run)
    await playing.ended
    expect(await waiting.started).toBe(false)
    await waiting.ended
    expect(await bench.media.isPlaying(bench.run)).toBe(false)
    await untilSilentForAda()
    const received = await listener.stop()
    // The network delay to Ada is the same for the first sample and the last.
    const { firstAt, lastAt } = spanOf(received, 1_000)
    expect(lastAt - clearedAt - Math.max(0, firstAt - startedAt)).toBeLessThan(500)
    expect(spanOf(received, 2_000).seconds).toBe(0)
  })

  test('plays a clip after clear and after an undecodable clip', async () => {
    await bench.media.clear(bench.run)
    const broken = play(Buffer.from('RIFF\0\0\0\0WAVEnothing'))
    await expect(broken.started).rejects.toThrow('The clip could not be decoded; it must be WAV, MP3, OGG, M4A or FLAC.')
    expect(await play(tone('wav', 700, 1)).started).toBe(true)
    await untilAudibleForAda(700)
  })

  test('plays synthesised speech with the loudness and duration of the original', async () => {
    const say = (text: string) => synthesise({ text, voice: null, language: null })
    const [words, others] = await Promise.all([
      say('Good morning. I am the bot, and I take the notes today.'),
      say('Nobody has asked for this sentence at all, has anyone?'),
    ])
    const listener = await listenTo(bench.ada, BOT)
    await play(words).ended
    await untilSilentForAda()
    const { samples, sampleRate } = await listener.stop()
    const received = stepsOf(samples, sampleRate / 20).map(loudness)
    const [alike, unlike] = [words, others].map((wav) => likeness(received, loudnessOf(wav, 50)))
    expect(alike).toBeGreaterThan(0.93)
    expect(alike).toBeGreaterThan((unlike ?? 1) + 0.04)
  })

  const voice = async (hertz: number) => (await bench.ada.listen(hertz)).find(({ name }) => name === BOT)
  const untilAudibleForAda = (hertz: number) =>
    until(`Ada hears ${hertz} Hz`, async () => ((await voice(hertz))?.at[hertz] ?? 0) > 0.05, WAIT_MS)
  const untilSilentForAda = () => until('Ada hears nothing', async () => ((await voice(100))?.rms ?? 1) < 0.001, WAIT_MS)
})

function near(colour: readonly number[] | null | undefined, wanted: string): boolean {
  const parts = [1, 3, 5].map((at) => Number.parseInt(wanted.slice(at, at + 2), 16))
  return colour?.every((value, index) => Math.abs(value - (parts[index] ?? 0)) < 30) ?? false
}
