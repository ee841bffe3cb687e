// A page that uses its connection as Meet's page does: it offers, receives lanes and slots, and records messages.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inflateSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import type { MeetSpace } from '../../../sims/google-meet/sfu/types.ts'

/** How encoded frames are read: with the standard API, or with the older one that Meet uses. */
type Reading = 'transform' | 'streams'

export type EncodedFrame = {
  readonly lane: number
  readonly sources: readonly number[]
  readonly payloadType: number
  readonly rtpTimestamp: number
  readonly sequence: number
  readonly bytes: readonly number[]
}
export type Source = { readonly lane: number; readonly source: number; readonly level: number; readonly age: number }
export type Sight = { readonly rgb: readonly number[]; readonly width: number; readonly height: number }

const NOTE = `const note = (frame, lane) => { const { contributingSources: sources, payloadType, rtpTimestamp, sequenceNumber: sequence } = frame.getMetadata(); return { lane, sources, payloadType, rtpTimestamp: rtpTimestamp ?? frame.timestamp, sequence, bytes: [...new Uint8Array(frame.data)] } }
`
const PAGE = `<!doctype html><meta charset="utf-8"><title>page</title><body><script>
${NOTE}
const reading = new URLSearchParams(location.search).get('reading')
const slots = Number(new URLSearchParams(location.search).get('slots'))
window.frames_ = []
window.collections = []
window.speaking = []
window.captions = []
window.spectra = []
// A transformer that no script refers to may be collected before its first frame.
const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(NOTE)} + 'const kept = []; onrtctransform = ({ transformer }) => { kept.push(transformer); transformer.readable.pipeThrough(new TransformStream({ transform(frame, out) { postMessage(note(frame, transformer.options.lane)); out.enqueue(frame) } })).pipeTo(transformer.writable) }'])))
worker.onmessage = ({ data }) => frames_.push(data)
const connection = new RTCPeerConnection(reading === 'streams' ? { encodedInsertableStreams: true } : {})
const context = new AudioContext()
const analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 })
const hear = (receiver, lane) => {
  if (reading === 'transform') receiver.transform = new RTCRtpScriptTransform(worker, { lane })
  else {
    const { readable, writable } = receiver.createEncodedStreams()
    readable.pipeThrough(new TransformStream({ transform(frame, out) { if (lane >= 0) frames_.push(note(frame, lane)); out.enqueue(frame) } })).pipeTo(writable)
  }
}
const pass = (end) => { const { readable, writable } = end.createEncodedStreams(); readable.pipeTo(writable) }
const lanes = [0, 1, 2].map(() => connection.addTransceiver('audio', { direction: 'recvonly' }))
lanes.forEach(({ receiver }, lane) => hear(receiver, lane))
for (let slot = 0; slot < slots; slot++) connection.addTransceiver('video', { direction: 'recvonly' })
const oscillator = new OscillatorNode(context, { frequency: 700 })
const gain = new GainNode(context, { gain: 0.25 })
const microphone = new MediaStreamAudioDestinationNode(context, { channelCount: 1 })
oscillator.connect(gain).connect(microphone); oscillator.start()
window.speak = (on) => { gain.gain.value = on ? 0.25 : 0 }
const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
const pen = canvas.getContext('2d')
window.paint = '#00c000'
setInterval(() => { pen.fillStyle = paint; pen.fillRect(0, 0, 320, 180); pen.fillStyle = '#fff'; pen.fillRect(performance.now() % 50, 0, 2, 2) }, 50)
for (const track of [...microphone.stream.getTracks(), ...canvas.captureStream(20).getTracks()]) {
  const { sender, receiver } = connection.addTransceiver(track, { direction: 'sendrecv' })
  if (reading === 'streams') pass(sender)
}
window.captionsChannel = connection.createDataChannel('captions')
captionsChannel.binaryType = 'arraybuffer'
captionsChannel.onmessage = ({ data }) => captions.push([...new Uint8Array(data)])
connection.createDataChannel('media-director')
connection.ondatachannel = ({ channel }) => {
  channel.binaryType = 'arraybuffer'
  channel.onmessage = ({ data }) => (channel.label === 'dcrpc' ? speaking : collections).push({ label: channel.label, bytes: [...new Uint8Array(data)] })
}
window.tracks = []
connection.ontrack = ({ track, streams, transceiver, receiver }) => {
  tracks.push({ kind: track.kind, stream: streams[0].id })
  if (track.kind === 'video' && reading === 'streams') pass(receiver)
  const element = Object.assign(document.createElement(track.kind), { autoplay: true, srcObject: streams[0] })
  document.body.append(element)
  if (track.kind === 'audio') new MediaStreamAudioSourceNode(context, { mediaStream: streams[0] }).connect(analyser)
}
window.sources = () => lanes.flatMap(({ receiver }, lane) => receiver.getContributingSources().map(({ source, audioLevel, timestamp }) => ({ lane, source, level: audioLevel, age: performance.timeOrigin + performance.now() - timestamp })))
window.sight = (stream) => {
  const video = [...document.querySelectorAll('video')].find(({ srcObject }) => srcObject.id === stream)
  if (!video?.videoWidth) return null
  const one = Object.assign(document.createElement('canvas'), { width: 9, height: 9 }).getContext('2d')
  one.drawImage(video, 0, 0, 9, 9)
  return { rgb: [...one.getImageData(4, 4, 1, 1).data].slice(0, 3), width: video.videoWidth, height: video.videoHeight }
}
/** The level of these tones over all lanes, ten times a second, in dB. */
window.listen = (tones) => setInterval(() => {
  const bins = new Float32Array(analyser.frequencyBinCount)
  analyser.getFloatFrequencyData(bins)
  spectra.push(tones.map((hz) => Math.max(...bins.slice(Math.round((hz * 8192) / context.sampleRate) - 2).slice(0, 5))))
}, 100)
window.inbound = async () => [...(await connection.getStats()).values()].filter(({ type }) => type === 'inbound-rtp')
window.ready = (async () => {
  await connection.setLocalDescription()
  if (connection.iceGatheringState !== 'complete') await new Promise((done) => { connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && done() })
  await connection.setRemoteDescription({ type: 'answer', sdp: await offer(connection.localDescription.sdp) })
  await context.resume()
})()
</script>`

export async function servePage(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

type Visit = { readonly space: MeetSpace; readonly reading: Reading; readonly slots: number; readonly deviceId: string }

/** Resolves when the page has set the answer. */
export async function visit(browser: Browser, url: string, { space, reading, slots, deviceId }: Visit): Promise<Page> {
  // With device permission, ICE offers this machine's addresses even without a network.
  const page = await browser.newPage({ permissions: ['microphone', 'camera'] })
  await page.exposeFunction('offer', (sdp: string) => space.offer(sdp, { name: 'Notes', deviceId }))
  await page.goto(`${url}?reading=${reading}&slots=${slots}`)
  await page.evaluate('ready')
  return page
}

export const frameCount = (page: Page) => page.evaluate<number>('frames_.length')
export const framesOf = (page: Page) => page.evaluate<EncodedFrame[]>('frames_')
export const sourcesOf = (page: Page) => page.evaluate<Source[]>('sources()')
export const sightOf = (page: Page, stream: string) => page.evaluate<Sight | null>(`sight(${JSON.stringify(stream)})`)

/** All messages of `collections`, inflated and parsed. */
export async function collectionsOf(page: Page): Promise<readonly Fields[]> {
  const messages = await page.evaluate<{ label: string; bytes: number[] }[]>('collections')
  return messages.map(({ label, bytes }) => {
    if (label !== 'collections') throw new Error(`the server opened ${label}`)
    return parse(inflateSync(Buffer.from(bytes)))
  })
}

/** A message by field number: numbers, and bytes that may be text or a nested message. */
export type Fields = ReadonlyMap<number, readonly (number | Buffer)[]>

export function parse(bytes: Buffer): Fields {
  const fields = new Map<number, (number | Buffer)[]>()
  let at = 0
  const varint = () => {
    let [value, scale] = [0, 1]
    for (; (bytes[at] ?? 0) > 127; scale *= 128) value += ((bytes[at++] ?? 0) - 128) * scale
    return value + (bytes[at++] ?? 0) * scale
  }
  while (at < bytes.length) {
    const key = varint()
    const value = varint()
    if (key % 8 !== 0 && key % 8 !== 2) throw new Error(`wire type ${key % 8} at ${at}`)
    if (key % 8 === 2) at += value
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), key % 8 === 0 ? value : bytes.subarray(at - value, at)])
  }
  return fields
}

/** All messages at the end of this path of field numbers. */
export function inside(message: Fields, ...path: readonly number[]): readonly Fields[] {
  const [field, ...rest] = path
  if (field === undefined) return [message]
  return (message.get(field) ?? []).flatMap((value) => (typeof value === 'number' ? [] : inside(parse(value), ...rest)))
}

export const textIn = (message: Fields | undefined, field: number) => message?.get(field)?.at(-1)?.toString()
export const numberIn = (message: Fields | undefined, field: number) => {
  const value = message?.get(field)?.at(-1)
  return typeof value === 'number' ? value : undefined
}

/** A hum of 200 Hz at this level below full scale, as a WAV file. */
export function hum(decibels: number, seconds: number): Buffer {
  const [rate, head] = [48_000, Buffer.alloc(44)]
  const samples = Int16Array.from(
    { length: rate * seconds },
    (_, at) => 32_767 * 10 ** (decibels / 20) * Math.sin((400 * Math.PI * at) / rate),
  )
  const data = Buffer.from(samples.buffer)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}
