/// <reference lib="dom" />
// A picture file as frames, each given when its time has come: one of a still picture, many of a moving one.

export type Frame = ImageBitmap | VideoFrame

/** Browsers take a frame this short for a mistake, and so do those who make such pictures. */
const SHORTEST_MS = 20
const USUAL_MS = 100

/** A frame is good until the next one is asked for. Throws where the file cannot be decoded. */
export async function* framesOf(file: Blob, type: string, signal: AbortSignal): AsyncGenerator<Frame, void> {
  const decoder = type === 'image/jpeg' ? null : await movingDecoder(file, type)
  if (decoder) return yield* movingFrames(decoder, signal)
  // Turned as its camera says, which a decoder of single frames leaves to others.
  const still = await createImageBitmap(file)
  try {
    yield still
  } finally {
    still.close()
  }
}

async function movingDecoder(file: Blob, type: string): Promise<ImageDecoder | null> {
  const decoder = new ImageDecoder({ data: await file.arrayBuffer(), type, preferAnimation: true })
  await Promise.all([decoder.completed, decoder.tracks.ready])
  if ((decoder.tracks.selectedTrack?.frameCount ?? 0) > 1) return decoder
  decoder.close()
  return null
}

/** Decoded one by one: all of them at once could be gigabytes. */
async function* movingFrames(decoder: ImageDecoder, signal: AbortSignal): AsyncGenerator<Frame, void> {
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack ?? { frameCount: 0, repetitionCount: 0 }
  try {
    let dueAtMs = performance.now()
    for (let frame = 0; frame < frameCount * (repetitionCount + 1); frame++) {
      const { image } = await decoder.decode({ frameIndex: frame % frameCount })
      try {
        await pause(dueAtMs - performance.now(), signal)
        if (signal.aborted) return
        yield image
      } finally {
        // A frame that comes late moves those behind it, instead of making them hurry.
        dueAtMs = Math.max(dueAtMs, performance.now()) + lengthMs(image)
        image.close()
      }
    }
  } finally {
    decoder.close()
  }
}

function lengthMs({ duration }: VideoFrame): number {
  const ownMs = (duration ?? 0) / 1000
  return ownMs < SHORTEST_MS ? USUAL_MS : ownMs
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
