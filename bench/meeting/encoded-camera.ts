/// <reference lib="dom" />
// A camera whose pictures are encoded before the meeting, because four live encoders would use up the cores that a filmed screen needs. In the
// meeting a tiny canvas is encoded, and each of its frames is replaced by the next encoded picture. The functions run in the page and reach
// it as text.

/** A canvas, and the function that draws the picture with this number on it. */
export type Painter = { readonly canvas: HTMLCanvasElement; readonly paint: (frame: number) => void }

/** The global that the script leaves in the page for the devices. */
export type PageWithEncodedCamera = {
  readonly benchCamera: (painter: Painter, framesPerSecond: number) => Promise<MediaStream>
}

/** For `addInitScript`, before the script of the devices. */
export function encodedCameraScript(): string {
  return `(() => {${[install, encode, chunkBytes, heartbeat, replace].map(String).join('\n')}\ninstall(${JSON.stringify(String(replace))})})()`
}

type Clip = readonly ArrayBuffer[]

/** `replaceText` is the worker's part. Only tracks that replace another are sent to participants who join later. */
function install(replaceText: string): void {
  const clipsOf = new WeakMap<MediaStreamTrack, readonly Clip[]>()
  // The browser may collect a transformer that no script refers to before its first frame, and then nothing is sent.
  const keeping = 'const kept = []\nonrtctransform = ({ transformer }) => { kept.push(transformer); replace(transformer) }'
  const script = URL.createObjectURL(new Blob([`${replaceText}\n${keeping}`]))
  let worker: Worker | null = null
  const { replaceTrack } = RTCRtpSender.prototype
  RTCRtpSender.prototype.replaceTrack = function (track) {
    const clips = track && clipsOf.get(track)
    if (clips && !this.transform) {
      worker ??= new Worker(script)
      this.transform = new RTCRtpScriptTransform(worker, { clips })
    }
    return replaceTrack.call(this, track)
  }
  const benchCamera: PageWithEncodedCamera['benchCamera'] = async (painter, framesPerSecond) => {
    const clips = await encode(painter, framesPerSecond)
    const stream = heartbeat(framesPerSecond)
    for (const track of stream.getVideoTracks()) clipsOf.set(track, clips)
    return stream
  }
  Object.assign(window, { benchCamera })
}

/** Each clip begins with its only key frame. */
async function encode({ canvas, paint }: Painter, framesPerSecond: number): Promise<readonly Clip[]> {
  const [clipCount, clipSeconds, mostQueued] = [2, 20, 8]
  const clips: ArrayBuffer[][] = Array.from({ length: clipCount }, () => [])
  const perClip = clipSeconds * framesPerSecond
  let at = 0
  let failure: Error | null = null
  const encoder = new VideoEncoder({
    output: (chunk) => clips[Math.floor(at++ / perClip)]?.push(chunkBytes(chunk)),
    error: (error) => {
      failure = error
    },
  })
  encoder.configure({
    codec: 'vp8',
    width: canvas.width,
    height: canvas.height,
    framerate: framesPerSecond,
    // The limit of every camera in `fake-devices.ts`.
    bitrate: 600_000,
    bitrateMode: 'constant',
    latencyMode: 'realtime',
  })
  for (let frame = 0; frame < clipCount * perClip; frame++) {
    paint(frame + 1)
    const picture = new VideoFrame(canvas, { timestamp: Math.round((frame * 1_000_000) / framesPerSecond) })
    encoder.encode(picture, { keyFrame: frame % perClip === 0 })
    picture.close()
    if (encoder.encodeQueueSize > mostQueued) await new Promise((ready) => encoder.addEventListener('dequeue', ready, { once: true }))
  }
  await encoder.flush()
  encoder.close()
  if (failure || at !== clipCount * perClip) throw failure ?? new Error(`bench: the encoder dropped pictures and gave ${at}`)
  return clips
}

function chunkBytes(chunk: EncodedVideoChunk): ArrayBuffer {
  const bytes = new ArrayBuffer(chunk.byteLength)
  chunk.copyTo(bytes)
  return bytes
}

/** A small picture for every picture of the camera. A new size makes the encoder send a key frame, before any receiver's clip has ended. */
function heartbeat(framesPerSecond: number): MediaStream {
  const [sizes, resizeSeconds] = [[16, 32], 18]
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const stream = canvas.captureStream(0)
  const [track] = stream.getVideoTracks() as CanvasCaptureMediaStreamTrack[]
  let frame = 0
  const timer = setInterval(() => {
    if (!context || track?.readyState !== 'live') return clearInterval(timer)
    const size = sizes[Math.floor(frame / (resizeSeconds * framesPerSecond)) % sizes.length] ?? 0
    if (canvas.width !== size) Object.assign(canvas, { width: size, height: size })
    context.fillStyle = frame++ % 2 ? '#444' : '#888'
    context.fillRect(0, 0, size, size)
    track.requestFrame()
  }, 1000 / framesPerSecond)
  return stream
}

type SenderTransformer = {
  readonly options: { readonly clips: readonly Clip[] }
  readonly readable: ReadableStream<RTCEncodedVideoFrame>
  readonly writable: WritableStream<RTCEncodedVideoFrame>
}

/** Runs in the worker. A key frame begins the next clip. The receiver requests one, or `heartbeat` causes it. */
function replace({ options: { clips }, readable, writable }: SenderTransformer): void {
  let [clip, next] = [-1, 0]
  const transform = (frame: RTCEncodedVideoFrame, controller: TransformStreamDefaultController<RTCEncodedVideoFrame>): void => {
    if (frame.type === 'key') [clip, next] = [clip + 1, 0]
    const picture = clips[clip % clips.length]?.[next++]
    // Before the first key frame there is none. The receiver then requests a key frame.
    if (!picture) return
    frame.data = picture.slice(0)
    controller.enqueue(frame)
  }
  void readable.pipeThrough(new TransformStream({ transform })).pipeTo(writable)
}
