// What the others see and hear of the bot: its camera and its microphone are on only while it has something to show or to say.
import type { DriverPage, MeetingDriver } from './drivers/driver.ts'
import type { OutgoingMedia } from './outgoing/outgoing.ts'

/** A voice that pauses between two sentences does not leave. */
const QUIET_AFTER_MS = 1_500

export type Presence = {
  /** Shown until the seconds are over or another picture comes; then the standing one, if there is one, is shown again. */
  show(picture: Buffer, seconds: number | null): Promise<void>
  /** Shown whenever nothing else is. */
  stand(picture: Buffer): Promise<void>
  /** Settles when it begins to sound. */
  play(clip: Buffer): Promise<void>
  /** Audio that comes in pieces, as a live voice does. */
  feed(pcm: Buffer, shape: { readonly sampleRate: number; readonly channels: number }): Promise<void>
  /** Silent at once. */
  hush(): Promise<void>
  stop(): void
}

export function createPresence(
  driver: { readonly page: Pick<DriverPage, 'run'> } & Pick<MeetingDriver, 'turn'>,
  media: OutgoingMedia,
): Presence {
  const run = (expression: string) => driver.page.run(expression)
  let standing: Buffer | null = null
  let pictureTimer: NodeJS.Timeout | undefined
  let soundTimer: NodeJS.Timeout | undefined

  async function showFor(picture: Buffer, seconds: number | null): Promise<void> {
    clearTimeout(pictureTimer)
    await media.show(run, picture)
    await driver.turn('camera', true)
    if (seconds !== null) pictureTimer = setTimeout(() => void takeDown().catch(ignored), seconds * 1000)
  }

  async function takeDown(): Promise<void> {
    if (standing) return showFor(standing, null)
    await driver.turn('camera', false)
    await media.show(run, null)
  }

  async function beHeard<Result>(sound: () => Promise<Result>): Promise<Result> {
    clearInterval(soundTimer)
    await driver.turn('microphone', true)
    try {
      return await sound()
    } finally {
      listenForSilence()
    }
  }

  function listenForSilence(): void {
    clearInterval(soundTimer)
    let quiet = false
    soundTimer = setInterval(() => {
      void (async () => {
        const was = quiet
        quiet = !(await media.sounding(run))
        if (!(was && quiet)) return
        clearInterval(soundTimer)
        await driver.turn('microphone', false)
      })().catch(ignored)
    }, QUIET_AFTER_MS)
  }

  return {
    show: showFor,
    async stand(picture) {
      standing = picture
      await showFor(picture, null)
    },
    play: (clip) => beHeard(async () => void (await media.play(run, clip).begun)),
    feed: (pcm, shape) => beHeard(() => media.feed(run, pcm, shape)),
    hush: () => media.clear(run),
    stop() {
      clearTimeout(pictureTimer)
      clearInterval(soundTimer)
    },
  }
}

/** The page is going or busy; whoever waits for a deed hears of it there, and nobody waits for these. */
function ignored(): void {}
