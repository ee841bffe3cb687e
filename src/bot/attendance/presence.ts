// The bot's camera and microphone in the meeting, which are on only while they show or play something.
import type { DriverPage, MeetingDriver } from '../drivers/driver.ts'
import type { OutgoingMedia } from '../outgoing/outgoing.ts'
import type { PcmFormat } from '../outgoing/pcm-resampler.ts'

/** The microphone stays on during a pause between sentences. */
const QUIET_AFTER_MS = 1_500

export type Presence = ReturnType<typeof createPresence>

export function createPresence(
  driver: { readonly page: Pick<DriverPage, 'run'> } & Pick<MeetingDriver, 'turn'>,
  media: Omit<OutgoingMedia, 'initScript'>,
) {
  const run = (expression: string) => driver.page.run(expression)
  let defaultPicture: Buffer | null = null
  let pictureTimer: NodeJS.Timeout | undefined
  let soundTimer: NodeJS.Timeout | undefined

  async function showFor(picture: Buffer, seconds: number | null): Promise<void> {
    clearTimeout(pictureTimer)
    await media.show(run, picture)
    await driver.turn('camera', true)
    if (seconds !== null) pictureTimer = setTimeout(() => void takeDown().catch(ignored), seconds * 1000)
  }

  async function takeDown(): Promise<void> {
    if (defaultPicture) return showFor(defaultPicture, null)
    await driver.turn('camera', false)
    await media.show(run, null)
  }

  async function withMicrophone<Result>(send: () => Promise<Result>): Promise<Result> {
    clearInterval(soundTimer)
    await driver.turn('microphone', true)
    try {
      return await send()
    } finally {
      muteWhenSilent()
    }
  }

  function muteWhenSilent(): void {
    clearInterval(soundTimer)
    let quiet = false
    soundTimer = setInterval(() => {
      void (async () => {
        const was = quiet
        quiet = !(await media.isPlaying(run))
        if (!(was && quiet)) return
        clearInterval(soundTimer)
        await driver.turn('microphone', false)
      })().catch(ignored)
    }, QUIET_AFTER_MS)
  }

  return {
    /** Shows a picture for some seconds or until the next one. Then the default picture returns, if there is one. */
    show: showFor,
    /** Sets the picture that is shown when there is no other. */
    async showByDefault(picture: Buffer): Promise<void> {
      defaultPicture = picture
      await showFor(picture, null)
    },
    /** Resolves when the clip starts to play. */
    play: (clip: Buffer) => withMicrophone(async () => void (await media.play(run, clip).started)),
    /** Queues a chunk of raw audio. */
    feed: (pcm: Buffer, shape: PcmFormat) => withMicrophone(() => media.feed(run, pcm, shape)),
    /** Stops all audio at once. */
    stopAudio: () => media.clear(run),
    stop(): void {
      clearTimeout(pictureTimer)
      clearInterval(soundTimer)
    },
  }
}

/** Background changes of a page that is closing or busy may fail without consequence. */
function ignored(): void {}
