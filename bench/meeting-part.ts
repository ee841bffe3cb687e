/// <reference lib="dom" />
// What a person in a measured meeting has instead of devices: a camera with a picture that moves as a face before a wall does, sent at what
// meetings give a camera of that size, and a steady tone. The functions run in the person's page before its own code; they reach it as text.

export type Part = {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
  /** Hertz; null keeps quiet. */
  readonly tone: number | null
}

/** What is left behind in the page for the bench. */
export type PartInPage = {
  readonly benchConnections: RTCPeerConnection[]
  /** Opened with the microphone. */
  benchVoice: { readonly context: AudioContext; readonly mouth: MediaStreamAudioDestinationNode }
}

/** The script for `addInitScript`. */
export function partScript(part: Part): string {
  return `(() => {${[play, camera, spots, voice, keepConnections, holdBack].map(String).join('\n')}\nplay(${JSON.stringify(part)})})()`
}

function play(part: Part): void {
  keepConnections()
  Object.assign(navigator.mediaDevices, {
    async getUserMedia({ audio, video }: MediaStreamConstraints): Promise<MediaStream> {
      return new MediaStream([...(audio ? voice(part.tone).getTracks() : []), ...(video ? camera(part).getTracks() : [])])
    },
  })
  addEventListener('DOMContentLoaded', () => {
    // Nobody looks at this page: what it would cost to draw the others is left to those who are measured.
    const style = document.createElement('style')
    style.textContent = 'video { visibility: hidden !important }'
    document.head.append(style)
  })
}

function camera({ name, width, height, framesPerSecond }: Part): MediaStream {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const stream = canvas.captureStream(0)
  const [track] = stream.getVideoTracks() as CanvasCaptureMediaStreamTrack[]
  const [wall, face] = [spots(width, height, 300, 40), spots(width / 3, height / 2, 120, 12)]
  let frame = 0
  const timer = setInterval(() => {
    if (!context || track?.readyState !== 'live') return clearInterval(timer)
    frame++
    context.drawImage(wall, 0, 0)
    context.drawImage(face, width / 3 + (width / 12) * Math.sin(frame / 9), height / 4 + (height / 16) * Math.sin(frame / 5))
    context.fillStyle = '#fff'
    context.font = `${height / 9}px sans-serif`
    context.fillText(`${name} ${frame}`, width / 12, height * 0.92)
    track.requestFrame()
  }, 1000 / framesPerSecond)
  return stream
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
  const context = new AudioContext({ sampleRate: 48_000 })
  const mouth = context.createMediaStreamDestination()
  mouth.channelCount = 1
  // Whoever keeps quiet sends silence: with nothing to play there would be no sound at all.
  const oscillator = new OscillatorNode(context, { frequency: tone ?? 0 })
  oscillator.connect(new GainNode(context, { gain: tone === null ? 0 : 0.2 })).connect(mouth)
  oscillator.start()
  Object.assign(window, { benchVoice: { context, mouth } })
  return mouth.stream
}

/** So that what was sent can be compared with what was recorded. */
function keepConnections(): void {
  const kept: RTCPeerConnection[] = []
  const Original = RTCPeerConnection
  class Kept extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration)
      kept.push(this)
      this.addEventListener('connectionstatechange', () => this.connectionState === 'connected' && holdBack(this))
    }
  }
  Object.assign(window, { RTCPeerConnection: Kept, benchConnections: kept })
}

/** Four cameras that each take what a loopback gives would leave the two cores nothing for those who are measured. */
function holdBack(connection: RTCPeerConnection): void {
  for (const sender of connection.getSenders().filter(({ track }) => track?.kind === 'video')) {
    const parameters = sender.getParameters()
    for (const encoding of parameters.encodings) encoding.maxBitrate = 600_000
    // Refused while the connection is being made anew: it then goes on as it was.
    sender.setParameters(parameters).catch(() => {})
  }
}
