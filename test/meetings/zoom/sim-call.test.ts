// The media of the simulated Zoom by itself: between scripted participants and a plain page, in both directions.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { call, eventually, happens, openZoom } from '../../helpers/meetings/zoom-sdk-page.ts'

const browser = openForFile(openZoom)

describe('over WebRTC', () => {
  test('plays each person in a stream whose id begins with their id', async () => {
    const { meeting, page } = await browser.join({ media: 'separate' })
    const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
    await happens(page, 'onJoinSpeed', { level: 14 })
    const bob = await meeting.call.join({ name: 'Bob', voice: 880 })
    for (const [person, hertz] of [
      [ann, 440],
      [bob, 880],
    ] as const)
      await eventually(`${person.name} is heard`, async () => Math.abs((await toneOf(page, person.userId)) - hertz) < 15)
  })
})

describe.each(['separate', 'mixed', 'wasm'] as const)('with media as %s', (media) => {
  test('shows cameras and a shared screen', async () => {
    const { meeting, page } = await browser.join({ media })
    const ann = await meeting.call.join({ name: 'Ann', colour: '#dc1e1e' })
    await happens(page, 'onJoinSpeed', { level: 14 })
    await seesColour(page, ann.userId, [220, 30, 30])
    await ann.share('#1e1edc')
    await seesColour(page, ann.userId + 1, [30, 30, 220])
    await happens(page, 'onShareContentChange', { sharingStatus: 'sharing' })
    ann.stopSharing()
    await happens(page, 'onShareContentChange', { sharingStatus: 'stopped' })
    await eventually('the screen is gone', async () => (await colourOf(page, ann.userId + 1)) === null)
    ann.stopCamera()
    await eventually('the camera is off', async () => (await colourOf(page, ann.userId)) === null)
  })

  test('receives the microphone and the camera of the page', async () => {
    const { meeting, page } = await browser.join({ media })
    await happens(page, 'onJoinSpeed', { level: 14 })
    const [me] = meeting.inside()
    expect(await call(page, 'mute', { userId: me?.userId, mute: false })).toMatchObject({ status: true })
    await eventually('the roster says so', () => meeting.state()?.muted === false)
    await eventually(
      'the beeps of the fake microphone arrive',
      async () => ((await meeting.call.receivedAudio().tone())?.amplitude ?? 0) > 0.01,
    )
    await page.getByLabel('start my video').click()
    await eventually('the camera arrives', () => meeting.call.receivedVideo().frames > 3)
    expect(await meeting.call.receivedVideo().look()).toMatchObject({ width: expect.any(Number) })
  })
})

describe('without WebRTC', () => {
  test('plays the sound of all people through audio nodes', async () => {
    const meeting = browser.zoom.meeting({ media: 'wasm' })
    const page = await browser.open(teeDestination)
    await browser.enter(page, meeting)
    await happens(page, 'onJoinSpeed', { level: 14 })
    await meeting.call.join({ name: 'Ann', voice: 660 })
    await eventually('Ann is heard', async () => Math.abs((await teedTone(page)) - 660) < 15)
  })
})

/** Runs in the page before its scripts: measures the audio that reaches a destination. */
function teeDestination(): void {
  const connect: (this: AudioNode, target: AudioNode, ...more: number[]) => AudioNode = AudioNode.prototype.connect
  AudioNode.prototype.connect = function (this: AudioNode, target: AudioNode, ...more: number[]) {
    if (target instanceof AudioDestinationNode) {
      const analyser = new AnalyserNode(this.context, { fftSize: 8192 })
      connect.call(this, analyser)
      Object.assign(window, { teed: analyser })
    }
    return connect.call(this, target, ...more)
  } as typeof AudioNode.prototype.connect
}

function teedTone(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { teed } = window as unknown as { teed?: AnalyserNode }
    if (!teed) return 0
    const spectrum = new Float32Array(teed.frequencyBinCount)
    teed.getFloatFrequencyData(spectrum)
    const loudest = spectrum.indexOf(Math.max(...spectrum))
    return (loudest * teed.context.sampleRate) / teed.fftSize
  })
}

/** The loudest tone in the stream of this person. */
function toneOf(page: Page, userId: number): Promise<number> {
  return page.evaluate(async (id) => {
    const streams = [...document.querySelectorAll('audio')].map(({ srcObject }) => srcObject as MediaStream)
    const stream = streams.find((it) => (Number.parseInt(it.id, 10) >> 10) << 10 === id && /^\d+\+CS\+/.test(it.id))
    if (!stream) return 0
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 8192 })
    context.createMediaStreamSource(stream).connect(analyser)
    await new Promise((resolve) => setTimeout(resolve, 400))
    const spectrum = new Float32Array(analyser.frequencyBinCount)
    analyser.getFloatFrequencyData(spectrum)
    const loudest = spectrum.indexOf(Math.max(...spectrum))
    await context.close()
    return (loudest * context.sampleRate) / analyser.fftSize
  }, userId)
}

async function seesColour(page: Page, nodeId: number, wanted: readonly number[]): Promise<void> {
  const isSeen = async () => (await colourOf(page, nodeId))?.every((value, at) => Math.abs(value - (wanted[at] ?? 0)) < 40)
  await eventually(`${nodeId} is seen in ${wanted}`, isSeen)
}

function colourOf(page: Page, nodeId: number): Promise<readonly number[] | null> {
  return page.evaluate((id) => {
    const picture = document.querySelector<HTMLVideoElement | HTMLCanvasElement>(`video-player[node-id="${id}"] > *`)
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (!picture || !context || (picture instanceof HTMLVideoElement && !picture.videoWidth)) return null
    context.drawImage(picture, 0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }, nodeId)
}
