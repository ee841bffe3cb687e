/// <reference lib="dom" />
// Yields the frames of a picture file at their times: one of a still picture, many of a moving one.

export type Frame = ImageBitmap | VideoFrame

/** Browsers treat a shorter frame duration as an error and use 100 ms. */
const SHORTEST_MS = 20
const DEFAULT_MS = 100

/** A frame is valid until the next one is requested. Throws if the file cannot be decoded. */
export async function* framesOf(file: Blob, type: string, signal: AbortSignal): AsyncGenerator<Frame, void> {
  const decoder = type === 'image/jpeg' ? null : await movingDecoder(file, type)
  if (decoder) return yield* movingFrames(decoder, signal)
  // createImageBitmap applies the EXIF orientation, which ImageDecoder does not.
  const stillImage = await createImageBitmap(file)
  try {
    yield stillImage
  } finally {
    stillImage.close()
  }
}

async function movingDecoder(file: Blob, type: string): Promise<ImageDecoder | null> {
  const decoder = new ImageDecoder({ data: await file.arrayBuffer(), type, preferAnimation: true })
  await Promise.all([decoder.completed, decoder.tracks.ready])
  if ((decoder.tracks.selectedTrack?.frameCount ?? 0) > 1) return decoder
  decoder.close()
  return null
}

/** Decodes one frame at a time: all at once could take gigabytes. */
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
        // A late frame delays the later ones, which keeps their distance.
        dueAtMs = Math.max(dueAtMs, performance.now()) + durationMs(image)
        image.close()
      }
    }
  } finally {
    decoder.close()
  }
}

function durationMs({ duration }: VideoFrame): number {
  const ownMs = (duration ?? 0) / 1000
  return ownMs < SHORTEST_MS ? DEFAULT_MS : ownMs
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
