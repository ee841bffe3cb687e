// Pictures of the meeting's page: one a minute, one on command, one at every failure.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../kit/failure.ts'
import type { Capture } from './capture/capture.ts'
import type { DriverPage } from './drivers/driver.ts'

const EVERY_MS = 60_000
/** Real pictures come with the next key frame, about a tenth of a second after it was asked for. */
const REVEAL_WITHIN_MS = 1_500
const FAILURE_WITHIN_MS = 1_500

/**
 * Settles when all videos are so: while nobody looks, a tiny picture stands for each. One that is sent and has not come yet is neither.
 */
const whenAllAre = (size: 'tiny' | 'real') => `new Promise((resolve) => {
  const deadline = performance.now() + ${REVEAL_WITHIN_MS}
  const isSent = ({ srcObject }) => srcObject?.getVideoTracks?.().some((track) => track.readyState === 'live' && !track.muted)
  const look = () => {
    const videos = [...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0 || isSent(video))
    const areSo = videos.every(({ videoWidth }) => ${size === 'tiny' ? 'videoWidth <= 16' : 'videoWidth > 16'})
    if (areSo || performance.now() > deadline) requestAnimationFrame(() => resolve())
    else setTimeout(look, 50)
  }
  look()
})`

export type ScreenshotTools = {
  readonly page: Pick<DriverPage, 'run' | 'picture'>
  readonly capture: Pick<Capture, 'reveal' | 'health'>
  readonly folder: string
  readonly now: () => number
  readonly onTaken: (file: string, at: number) => void
}

export type Screenshots = {
  /** Rejects when the page gives no picture. */
  take(): Promise<void>
  /** As the page is, in whatever state; the file is the caller's to report. Null where there is nothing to be seen. */
  ofFailure(): Promise<string | null>
  everyMinute(): void
  stop(): void
}

export function createScreenshots({ page, capture, folder, now, onTaken }: ScreenshotTools): Screenshots {
  let last: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function save(jpeg: Buffer, at: number): Promise<string> {
    const file = path.join(folder, 'screenshots', `${at}.jpg`)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(`${file}.part`, jpeg)
    await rename(`${file}.part`, file)
    return file
  }

  async function shoot(): Promise<void> {
    // While paused the others are not to be seen, here as in the recording.
    const { paused } = capture.health()
    if (!paused) capture.reveal(true)
    try {
      if (!paused) await page.run(whenAllAre('real'))
      const at = now()
      const jpeg = await page.picture()
      if (!jpeg) throw new Failure('screenshot_failed', 'The page gave no picture')
      onTaken(await save(jpeg, at), at)
    } finally {
      capture.reveal(false)
    }
  }

  function take(): Promise<void> {
    const turn = last.then(shoot)
    // What went wrong is told to whoever asked; the next one is another try. It waits until the real pictures are gone, or it would take
    // the last of them for its own.
    last = turn
      .catch(() => undefined)
      .then(() => page.run(whenAllAre('tiny')))
      .catch(() => undefined)
    return turn
  }

  return {
    take,
    async ofFailure() {
      const at = now()
      const jpeg = await page.picture(FAILURE_WITHIN_MS)
      return jpeg && (await save(jpeg, at).catch(() => null)) // A full disk must not hide the failure itself.
    },
    everyMinute() {
      take().catch(() => undefined)
      timer = setInterval(() => take().catch(() => undefined), EVERY_MS) // One that fails is missing; the next minute has its own.
    },
    stop: () => clearInterval(timer),
  }
}
