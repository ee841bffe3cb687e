// Screenshots of the meeting's page: every minute, on command, and at every failure.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../../kit/failure.ts'
import { createSerialQueue } from '../../kit/serial-queue.ts'
import type { Capture } from '../capture/capture.ts'
import type { DriverPage } from '../drivers/driver.ts'

const EVERY_MS = 60_000
/** Real pictures appear with the next key frame, about 100 ms after its request. */
const REVEAL_WITHIN_MS = 1_500
const FAILURE_WITHIN_MS = 1_500

/**
 * Resolves when all videos of the page have this size. Outside screenshots each is a tiny picture. A video that is sent and has not arrived
 * yet has neither size.
 */
const whenAllAre = (size: 'tiny' | 'real') => `new Promise((resolve) => {
  const deadline = performance.now() + ${REVEAL_WITHIN_MS}
  const isSent = ({ srcObject }) => srcObject?.getVideoTracks?.().some((track) => track.readyState === 'live' && !track.muted)
  const check = () => {
    const videos = [...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0 || isSent(video))
    const areDone = videos.every(({ videoWidth }) => ${size === 'tiny' ? 'videoWidth <= 16' : 'videoWidth > 16'})
    if (areDone || performance.now() > deadline) requestAnimationFrame(() => resolve())
    else setTimeout(check, 50)
  }
  check()
})`

export type ScreenshotTools = {
  readonly page: Pick<DriverPage, 'run' | 'picture'>
  readonly capture: Pick<Capture, 'reveal' | 'health'>
  readonly folder: string
  readonly now: () => number
  readonly onTaken: (file: string, at: number) => void
}

export type Screenshots = ReturnType<typeof createScreenshots>

export function createScreenshots({ page, capture, folder, now, onTaken }: ScreenshotTools) {
  const serially = createSerialQueue()
  let timer: NodeJS.Timeout | undefined

  async function save(jpeg: Buffer, at: number): Promise<string> {
    const file = path.join(folder, 'screenshots', `${at}.jpg`)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(`${file}.part`, jpeg)
    await rename(`${file}.part`, file)
    return file
  }

  async function shoot(): Promise<void> {
    // During a pause participants are not shown, as in the recording.
    const { paused } = capture.health()
    if (!paused) capture.reveal(true)
    try {
      if (!paused) await page.run(whenAllAre('real'))
      const at = now()
      const jpeg = await page.picture()
      if (!jpeg) throw new Failure('screenshot_failed', 'The page returned no screenshot')
      onTaken(await save(jpeg, at), at)
    } finally {
      capture.reveal(false)
    }
  }

  function take(): Promise<void> {
    const taken = serially(shoot)
    // The next screenshot waits until the real pictures are gone, because it would take the last of them for new ones.
    serially(() => page.run(whenAllAre('tiny'))).catch(() => undefined)
    return taken
  }

  return {
    /** Rejects if the page gives no picture. */
    take,
    /** Captures the page in its current state. The caller reports the file. Null if there is no picture. */
    async ofFailure(): Promise<string | null> {
      const at = now()
      const jpeg = await page.picture(FAILURE_WITHIN_MS)
      return jpeg && (await save(jpeg, at).catch(() => null)) // A full disk must not hide the original failure.
    },
    everyMinute(): void {
      take().catch(() => undefined)
      timer = setInterval(() => take().catch(() => undefined), EVERY_MS) // A failed screenshot is left out.
    },
    stop: () => clearInterval(timer),
  }
}
