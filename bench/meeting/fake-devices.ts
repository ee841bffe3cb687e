/// <reference lib="dom" />
// The devices of a person in a measured meeting: a camera with a moving face before a wall, at a usual bitrate, and a steady tone. The functions run in the page before its own code and reach it as text.
import type { PageWithEncodedCamera, Painter } from './encoded-camera.ts'

export type FakeDevices = {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
  /** Hertz. Null is silent. */
  readonly tone: number | null
}

/** The globals that the script leaves in the page for the bench. */
export type PageWithFakeDevices = {
  readonly benchConnections: RTCPeerConnection[]
  /** Opened with the microphone. */
  benchVoice: { readonly context: AudioContext; readonly output: MediaStreamAudioDestinationNode }
}

/** For `addInitScript`, after the script of the encoded camera. */
export function fakeDevicesScript(devices: FakeDevices): string {
  return `(() => {${[play, camera, spots, voice, trackConnections, limitBitrate].map(String).join('\n')}\nplay(${JSON.stringify(devices)})})()`
}

function play(devices: FakeDevices): void {
  trackConnections()
  Object.assign(navigator.mediaDevices, {
    async getUserMedia({ audio, video }: MediaStreamConstraints): Promise<MediaStream> {
      const { benchCamera } = window as unknown as PageWithEncodedCamera
      const pictures = video ? (await benchCamera(camera(devices), devices.framesPerSecond)).getTracks() : []
      return new MediaStream([...(audio ? voice(devices.tone).getTracks() : []), ...pictures])
    },
  })
  addEventListener('DOMContentLoaded', () => {
    // Hides the videos of the others, because this page's cost is not measured.
    const style = document.createElement('style')
    style.textContent = 'video { visibility: hidden !important }'
    document.head.append(style)
  })
}

function camera({ name, width, height }: FakeDevices): Painter {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const [wall, face] = [spots(width, height, 300, 40), spots(width / 3, height / 2, 120, 12)]
  const paint = (frame: number): void => {
    if (!context) return
    context.drawImage(wall, 0, 0)
    context.drawImage(face, width / 3 + (width / 12) * Math.sin(frame / 9), height / 4 + (height / 16) * Math.sin(frame / 5))
    context.fillStyle = '#fff'
    context.font = `${height / 9}px sans-serif`
    context.fillText(`${name} ${frame}`, width / 12, height * 0.92)
  }
  return { canvas, paint }
}

/** A canvas full of coloured spots. */
function spots(width: number, height: number, count: number, size: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  for (let spot = 0; context && spot < count; spot++) {
    context.fillStyle = `hsl(${Math.random() * 360} 40% ${20 + Math.random() * 60}%)`
    context.fillRect(Math.random() * width, Math.random() * height, size * (1 + Math.random()), size * (1 + Math.random()))
  }
  return canvas
}

function voice(tone: number | null): MediaStream {
  // This page plays nothing aloud, so a tone needs no audio device. The bench of live sound has no tone, and a device's timing.
  const sinkId = tone === null ? '' : { type: 'none' }
  const context = new AudioContext({ sampleRate: 48_000, sinkId } as AudioContextOptions)
  const output = context.createMediaStreamDestination()
  output.channelCount = 1
  // A silent person sends silence. A track without a source would send nothing.
  const oscillator = new OscillatorNode(context, { frequency: tone ?? 0 })
  oscillator.connect(new GainNode(context, { gain: tone === null ? 0 : 0.2 })).connect(output)
  oscillator.start()
  Object.assign(window, { benchVoice: { context, output } })
  return output.stream
}

/** Keeps connections so that sent media can be counted. */
function trackConnections(): void {
  const connections: RTCPeerConnection[] = []
  const Original = RTCPeerConnection
  class TrackedConnection extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration)
      connections.push(this)
      this.addEventListener('connectionstatechange', () => this.connectionState === 'connected' && limitBitrate(this))
    }
  }
  Object.assign(window, { RTCPeerConnection: TrackedConnection, benchConnections: connections })
}

/** At the bitrate of a loopback, four cameras would use up both cores. */
function limitBitrate(connection: RTCPeerConnection): void {
  for (const sender of connection.getSenders().filter(({ track }) => track?.kind === 'video')) {
    const parameters = sender.getParameters()
    for (const encoding of parameters.encodings) encoding.maxBitrate = 600_000
    // Rejected during a renegotiation. The old limit stays.
    sender.setParameters(parameters).catch(() => {})
  }
}
