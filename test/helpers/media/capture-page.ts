// A page that is a whole meeting: three people with a colour and a tone each, sent through one pair of peer connections to itself.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Person = { readonly name: string; readonly colour: readonly number[]; readonly toneHz: number; readonly codec: string }
export const PEOPLE: readonly Person[] = [
  { name: 'ann', colour: [220, 30, 30], toneHz: 440, codec: 'VP8' },
  { name: 'bob', colour: [30, 200, 30], toneHz: 1_000, codec: 'VP9' },
  { name: 'eve', colour: [40, 60, 220], toneHz: 2_300, codec: 'H264' },
]

/** How the page handles encoded frames: not at all, with a transform of its own of either kind, or by reading them without writing them back. `turns` alternates between keeping and writing back every second. */
export type PageStyle = 'plain' | 'transform' | 'streams' | 'kept-transform' | 'kept-streams' | 'turns' | 'iframe' | 'subclass'

const PAGE = `<!doctype html><meta charset="utf-8"><title>meeting</title><body><script>
const style = new URLSearchParams(location.search).get('style') ?? 'plain'
const people = ${JSON.stringify(PEOPLE)}.slice(0, Number(new URLSearchParams(location.search).get('people') ?? 3))
const SCRAMBLE = 'const scramble = (frame) => { const bytes = new Uint8Array(frame.data); for (let i = 12; i < bytes.length; i++) bytes[i] ^= 85; frame.data = bytes.buffer }\\n'
// A transformer that no script refers to may be collected before its first frame.
const workerUrl = URL.createObjectURL(new Blob([SCRAMBLE + 'const kept = []; onrtctransform = ({ transformer }) => { kept.push(transformer); transformer.readable.pipeThrough(new TransformStream({ transform(frame, out) { scramble(frame); out.enqueue(frame) } })).pipeTo(transformer.writable) }']))
const keeperUrl = URL.createObjectURL(new Blob(['const kept = []; onrtctransform = async ({ transformer }) => { kept.push(transformer); for await (const frame of transformer.readable) self.last = frame }']))
const worker = style === 'transform' ? new Worker(workerUrl) : null
const keeper = style === 'kept-transform' ? new Worker(keeperUrl) : null
URL.revokeObjectURL(workerUrl)
const scramble = new Function(SCRAMBLE + 'return scramble')()
const treat = (end) => {
  if (style === 'transform') end.transform = new RTCRtpScriptTransform(worker)
  if (style === 'streams') {
    const { readable, writable } = end.createEncodedStreams()
    readable.pipeThrough(new TransformStream({ transform(frame, out) { scramble(frame); out.enqueue(frame) } })).pipeTo(writable)
  }
}
const keep = async (end) => {
  if (style === 'kept-transform') end.transform = new RTCRtpScriptTransform(keeper)
  if (style !== 'kept-streams' && style !== 'turns') return
  const { readable, writable } = end.createEncodedStreams()
  const writer = writable.getWriter()
  for await (const frame of readable) if (style === 'turns' && performance.now() % 4000 > 2000) writer.write(frame)
}
let Connection = RTCPeerConnection
if (style === 'subclass') Connection = class extends RTCPeerConnection {}
if (style === 'iframe') { const frame = document.createElement('iframe'); document.body.append(frame); Connection = frame.contentWindow.RTCPeerConnection }
const options = style === 'streams' ? { encodedInsertableStreams: true } : {}
const [sender, receiver] = [new Connection(options), new Connection(options)]
sender.onicecandidate = ({ candidate }) => receiver.addIceCandidate(candidate)
receiver.onicecandidate = ({ candidate }) => sender.addIceCandidate(candidate)
const context = new AudioContext()
const whose = {}
receiver.ontrack = ({ track, streams, receiver: end }) => {
  treat(end)
  keep(end)
  const element = document.createElement(track.kind)
  element.muted = true; element.autoplay = true; element.srcObject = new MediaStream([track]); document.body.append(element)
}
const cast = people.map((person) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
  const pen = canvas.getContext('2d')
  const state = { ...person, canvas, paint: '#000', n: 0 }
  state.draw = () => { pen.fillStyle = state.paint; pen.fillRect(0, 0, canvas.width, canvas.height); pen.fillStyle = '#fff'; pen.fillRect(state.n++ % 40, 0, 3, 3) }
  state.draw(); setInterval(state.draw, 66)
  const oscillator = new OscillatorNode(context, { frequency: person.toneHz })
  state.gain = new GainNode(context, { gain: 0 })
  const out = new MediaStreamAudioDestinationNode(context)
  oscillator.connect(state.gain).connect(out); oscillator.start()
  const picture = canvas.captureStream(15).getVideoTracks()[0]
  picture.contentHint = 'detail'
  const stream = new MediaStream([picture, out.stream.getAudioTracks()[0]])
  for (const track of stream.getTracks()) {
    const transceiver = sender.addTransceiver(track, { direction: 'sendonly', streams: [stream] })
    treat(transceiver.sender)
    if (track.kind === 'video') transceiver.setCodecPreferences(RTCRtpSender.getCapabilities('video').codecs.filter(({ mimeType }) => mimeType === 'video/' + person.codec || mimeType === 'video/rtx'))
  }
  whose[stream.id] = person.name
  return state
})
/** Colour and tone at the same moment. */
window.speak = (on) => { for (const each of cast) { each.paint = on ? 'rgb(' + each.colour + ')' : '#000'; each.draw(); each.gain.gain.value = on ? 0.3 : 0 } }
window.resize = (index, width, height) => { Object.assign(cast[index].canvas, { width, height }); cast[index].draw() }
window.whose = whose
window.inbound = async () => [...(await receiver.getStats()).values()].filter(({ type }) => type === 'inbound-rtp').map(({ kind, pliCount, framesDecoded, frameWidth, keyFramesDecoded }) => ({ kind, pliCount, framesDecoded, frameWidth, keyFramesDecoded }))
window.ready = (async () => {
  await sender.setLocalDescription(); await receiver.setRemoteDescription(sender.localDescription)
  await receiver.setLocalDescription(); await sender.setRemoteDescription(receiver.localDescription)
  await context.resume()
  return true
})()
</script>`

const STRICT =
  "default-src 'self'; script-src 'unsafe-inline'; worker-src 'none'; connect-src 'none'; style-src 'none'; require-trusted-types-for 'script'; trusted-types none"

export async function serveMeeting(): Promise<{ readonly url: (style: PageStyle, people?: number) => string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    // Only the plain page has a strict policy. The others need workers and blobs.
    const strict = request.url?.includes('style=plain') ? { 'content-security-policy': STRICT } : {}
    response.writeHead(200, { 'content-type': 'text/html', ...strict }).end(PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (style, people = PEOPLE.length) => `http://127.0.0.1:${port}/?style=${style}&people=${people}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
