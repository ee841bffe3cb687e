// A browser in the call: its connection while it has one, its subscriptions, its captions, and its sent media.
import type { Picture } from '../../webrtc/encode.ts'
import { AudioSink, VideoSink } from '../../webrtc/received.ts'
import type { Connection } from './connection.ts'
import type { SourceRequest } from './main-channel.ts'

type Subscription = { readonly sourceId: number; frame: number; picture: Picture | null }

export class Visitor {
  readonly id: string
  readonly receivedAudio = new AudioSink()
  readonly receivedVideo = new VideoSink()
  connection: Connection | null = null
  /** The language of the captions. Null while they are off. */
  captions: string | null = null
  readonly #subscriptions = new Map<number, Subscription>()

  constructor(id: string) {
    this.id = id
  }

  subscribe({ sourceId, streamMsid }: SourceRequest): void {
    if (sourceId < 0) this.#subscriptions.delete(streamMsid)
    else if (this.#subscriptions.get(streamMsid)?.sourceId !== sourceId)
      this.#subscriptions.set(streamMsid, { sourceId, frame: 0, picture: null })
  }

  subscriptions(): ReadonlyMap<number, number> {
    return new Map([...this.#subscriptions].map(([streamId, { sourceId }]) => [streamId, sourceId]))
  }

  /** The next frame in this section is a key frame. */
  refresh(streamId: number): void {
    const subscription = this.#subscriptions.get(streamId)
    if (subscription) subscription.frame = 0
  }

  /** A changed video of the same source starts with a key frame. */
  sendPictures(tick: number, pictureOf: (sourceId: number) => Picture | undefined): void {
    for (const [streamId, subscription] of this.#subscriptions) {
      const picture = pictureOf(subscription.sourceId)
      if (!picture) continue
      if (subscription.picture !== picture) Object.assign(subscription, { picture, frame: 0 })
      const frame = picture.frames[subscription.frame]
      subscription.frame = (subscription.frame + 1) % picture.frames.length
      if (frame) this.connection?.sendVideo(streamId, tick, frame)
    }
  }

  async disconnect(): Promise<void> {
    const { connection } = this
    this.connection = null
    this.#subscriptions.clear()
    await connection?.close()
  }
}
