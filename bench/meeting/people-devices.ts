/// <reference lib="dom" />
// The devices of a person as people use them: a face before a still room with the noise of a camera, recorded speech, and slides as a
// shared screen. The functions run in the page before its own code and reach it as text.
import type { PageWithEncodedCamera, Painter } from './encoded-camera.ts'

export type PersonDevices = {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
  /** The person's share of the conversation: a WAV file in base64, which repeats. */
  readonly talk: string
}

/** For `addInitScript`, after the script of the fake devices, whose connections it keeps. */
export function personDevicesScript(devices: PersonDevices): string {
  return `(() => {${[furnish, face, roomBehind, grain, talk, slides].map(String).join('\n')}\nfurnish(${JSON.stringify(devices)})})()`
}

function furnish(devices: PersonDevices): void {
  Object.assign(navigator.mediaDevices, {
    async getUserMedia({ audio, video }: MediaStreamConstraints): Promise<MediaStream> {
      const { benchCamera } = window as unknown as PageWithEncodedCamera
      const pictures = video ? (await benchCamera(face(devices), devices.framesPerSecond)).getTracks() : []
      return new MediaStream([...(audio ? (await talk(devices.talk)).getTracks() : []), ...pictures])
    },
    getDisplayMedia: async () => slides(),
  })
}

/** A head that sways and a mouth that moves. The noise of the sensor covers all of it. */
function face({ name, width, height }: PersonDevices): Painter {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const [room, noise] = [roomBehind(width, height), [0, 1, 2, 3].map(() => grain(width, height))]
  const oval = (colour: string, x: number, y: number, wide: number, high: number) => {
    if (!context) return
    context.fillStyle = colour
    context.beginPath()
    context.ellipse(x, y, wide, high, 0, 0, 2 * Math.PI)
    context.fill()
  }
  const paint = (frame: number): void => {
    const x = width / 2 + (width / 40) * Math.sin(frame / 23)
    const y = height * 0.42 + (height / 60) * Math.sin(frame / 11)
    context?.drawImage(room, 0, 0)
    oval('#3b4a6b', width / 2, height * 1.02, width * 0.24, height * 0.4)
    oval('#c99a7c', x, y, width * 0.1, height * 0.24)
    oval('#4a3024', x, y - height * 0.17, width * 0.1, height * 0.1)
    oval('#7d3f38', x, y + height * 0.12, width * 0.03, height * (0.01 + 0.02 * Math.abs(Math.sin(frame / 2))))
    for (const side of [-1, 1]) oval('#22262b', x + side * width * 0.035, y - height * 0.03, width * 0.01, height * 0.014)
    const shown = noise[frame % noise.length]
    if (!context || !shown) return
    context.drawImage(shown, 0, 0)
    context.fillStyle = '#fff'
    context.fillText(`${name} ${frame}`, 8, height - 8)
  }
  return { canvas, paint }
}

/** A wall with a window and shelves, which never changes. */
function roomBehind(width: number, height: number): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  if (!context) return canvas
  const wall = context.createLinearGradient(0, 0, width, height)
  wall.addColorStop(0, '#b9b3a6')
  wall.addColorStop(1, '#8c8577')
  context.fillStyle = wall
  context.fillRect(0, 0, width, height)
  context.filter = 'blur(3px)'
  for (let book = 0; book < 24; book++) {
    context.fillStyle = `hsl(${(book * 47) % 360} 35% ${30 + ((book * 13) % 35)}%)`
    context.fillRect(width * 0.66 + (book % 12) * (width / 40), height * (0.12 + 0.3 * Math.floor(book / 12)), width / 50, height * 0.22)
  }
  context.fillStyle = '#dfe8ee'
  context.fillRect(width * 0.06, height * 0.1, width * 0.2, height * 0.4)
  return canvas
}

/** The noise of a camera in a lit room: a few levels of brightness at every pixel. */
function grain(width: number, height: number): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  const picture = context?.createImageData(width, height)
  if (!context || !picture) return canvas
  for (let at = 0; at < picture.data.length; at += 4) {
    picture.data.fill(Math.random() < 0.5 ? 0 : 255, at, at + 3)
    picture.data[at + 3] = Math.random() * 10
  }
  context.putImageData(picture, 0, 0)
  return canvas
}

/** All people read one clock, so that they speak in turn. */
async function talk(wav: string): Promise<MediaStream> {
  const context = new AudioContext({ sampleRate: 48_000 })
  const output = context.createMediaStreamDestination()
  output.channelCount = 1
  const bytes = Uint8Array.from(atob(wav), (letter) => letter.charCodeAt(0))
  const buffer = await context.decodeAudioData(bytes.buffer)
  const source = new AudioBufferSourceNode(context, { buffer, loop: true })
  source.connect(output)
  source.start(0, (Date.now() / 1000) % buffer.duration)
  return output.stream
}

/** A new slide every ten seconds, and a pointer that moves. */
function slides(): MediaStream {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const stream = canvas.captureStream(0)
  const [track] = stream.getVideoTracks() as CanvasCaptureMediaStreamTrack[]
  let frame = 0
  const timer = setInterval(() => {
    if (!context || track?.readyState !== 'live') return clearInterval(timer)
    const page = Math.floor(frame / 50)
    context.fillStyle = '#fff'
    context.fillRect(0, 0, 1280, 720)
    context.fillStyle = '#222'
    context.font = '44px sans-serif'
    context.fillText(`Quarter ${page + 1}`, 80, 110)
    context.font = '26px sans-serif'
    for (let line = 0; line < 9; line++)
      context.fillText(`${line + 1}. Revenue, cost and plan of region ${line + page}`, 110, 190 + line * 52)
    context.fillStyle = '#c33'
    context.fillRect(640 + 300 * Math.sin(frame / 17), 360 + 200 * Math.sin(frame / 23), 14, 14)
    frame++
    track.requestFrame()
  }, 200)
  return stream
}
