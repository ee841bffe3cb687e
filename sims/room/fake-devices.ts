/// <reference lib="dom" />
// The devices of a scripted person: a painted camera and screen, and a microphone fed by a tone and by speech. The functions run in the person's page before its own code and reach it as text.

export type FakeDevices = {
  readonly name: string
  /** `#rrggbb`. */
  readonly colour: string
  readonly shareColour: string
  /** Hertz. It sounds whenever the microphone is on. */
  readonly tone: number | null
  readonly hasDevices: boolean
}

type Clapper = { untilMs: number; paint: () => void }

/** The script for `addInitScript`. */
export function fakeDevicesScript(devices: FakeDevices): string {
  return `(() => {${[install, painted, paint, voiceOf].map(String).join('\n')}\ninstall(${JSON.stringify(devices)})})()`
}

function install(devices: FakeDevices): void {
  const { hasDevices } = devices
  const voice = voiceOf(devices.tone)
  const clapper = { untilMs: 0, paint: () => undefined }
  const none = () => new DOMException('Requested device not found', 'NotFoundError')
  const camera = () => painted([640, 360, 12], devices.colour, devices.name, clapper)
  const screen = () => painted([1280, 720, 5], devices.shareColour, `${devices.name}'s screen`)

  Object.assign(navigator.mediaDevices, {
    async getUserMedia({ audio, video }: MediaStreamConstraints): Promise<MediaStream> {
      if (!hasDevices) throw none()
      return new MediaStream([...(audio ? voice.stream().getAudioTracks() : []), ...(video ? camera().getVideoTracks() : [])])
    },
    async getDisplayMedia(): Promise<MediaStream> {
      return screen()
    },
  })
  /** A white frame and a tone of 2000 Hz for half a second, from the same moment. */
  const clap = () => {
    clapper.untilMs = performance.now() + 500
    clapper.paint()
    voice.beep(2000, 0.5)
    return Date.now()
  }
  Object.assign(window, { say: voice.say, clap })
}

/** A camera of one colour, with a name and a moving mark. */
function painted(
  [width, height, framesPerSecond]: readonly [number, number, number],
  colour: string,
  text: string,
  clapper?: Clapper,
): MediaStream {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  const stream = canvas.captureStream(0)
  const [track] = stream.getVideoTracks()
  let frame = 0
  const draw = () => {
    const isClapping = performance.now() < (clapper?.untilMs ?? 0)
    if (context) paint(context, isClapping ? '#ffffff' : colour, text, frame++)
    ;(track as CanvasCaptureMediaStreamTrack).requestFrame()
  }
  const timer = setInterval(() => {
    if (track?.readyState !== 'live') return clearInterval(timer)
    draw()
  }, 1000 / framesPerSecond)
  if (clapper) clapper.paint = draw
  return stream
}

function paint(context: CanvasRenderingContext2D, colour: string, text: string, frame: number): void {
  const { width, height } = context.canvas
  context.fillStyle = colour
  context.fillRect(0, 0, width, height)
  context.fillStyle = 'rgb(255 255 255 / 92%)'
  context.font = `600 ${height / 7}px sans-serif`
  context.textAlign = 'center'
  context.fillText(text, width / 2, height / 2 + height / 20, width * 0.9)
  const size = height / 18
  context.beginPath()
  context.arc(width / 2 + (width / 4) * Math.sin(frame / 8), height * 0.72, size, 0, 7)
  context.fill()
}

function voiceOf(tone: number | null) {
  let context: AudioContext | undefined
  let mouth: MediaStreamAudioDestinationNode | undefined

  function open(): { readonly context: AudioContext; readonly mouth: MediaStreamAudioDestinationNode } {
    if (context && mouth) return { context, mouth }
    context = new AudioContext({ sampleRate: 48_000 })
    mouth = context.createMediaStreamDestination()
    mouth.channelCount = 1
    if (tone !== null) {
      const gain = context.createGain()
      gain.gain.value = 0.2
      const oscillator = context.createOscillator()
      oscillator.frequency.value = tone
      oscillator.connect(gain).connect(mouth)
      oscillator.start()
    }
    return { context, mouth }
  }

  return {
    /** A clone, so that a page that stops its track does not stop the voice. */
    stream: () => open().mouth.stream.clone(),
    beep(hertz: number, seconds: number): void {
      const { context, mouth } = open()
      const gain = context.createGain()
      gain.gain.value = 0.4
      const oscillator = context.createOscillator()
      oscillator.frequency.value = hertz
      oscillator.connect(gain).connect(mouth)
      oscillator.start()
      oscillator.stop(context.currentTime + seconds)
    },
    /** Plays a WAV file. Resolves at its end. */
    async say(wavBase64: string): Promise<void> {
      const { context, mouth } = open()
      const bytes = Uint8Array.from(atob(wavBase64), (letter) => letter.charCodeAt(0))
      const source = context.createBufferSource()
      source.buffer = await context.decodeAudioData(bytes.buffer)
      source.connect(mouth)
      source.start()
      await new Promise((resolve) => {
        source.onended = resolve
      })
    },
  }
}
