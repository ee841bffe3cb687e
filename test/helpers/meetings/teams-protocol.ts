/// <reference lib="dom" />
// The traffic of a page of the simulated Microsoft Teams: frames of its socket, data channel and chat, and its CSRCs.
import { inflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** Runs in the page before its own scripts: records its data channel and its chat. */
export function listenIn(): void {
  const kept: Kept = { received: [], sent: [], batches: [], connections: [] }
  Object.assign(window, { kept })
  const parsed = (data: ArrayBuffer | Uint8Array) => {
    const text = new TextDecoder().decode(data)
    return JSON.parse(text.slice(text.search(/[[{]/)))
  }
  const { createDataChannel } = RTCPeerConnection.prototype
  RTCPeerConnection.prototype.createDataChannel = function (this: RTCPeerConnection, ...words) {
    const channel = createDataChannel.apply(this, words)
    kept.connections.push(this)
    channel.addEventListener('message', ({ data }) => kept.received.push(parsed(data)))
    const send: (data: Uint8Array<ArrayBuffer>) => void = channel.send.bind(channel)
    const keepAndSend = (data: Uint8Array<ArrayBuffer>) => {
      kept.sent.push(parsed(data))
      send(data)
    }
    return Object.assign(channel, { send: keepAndSend })
  }
  const { bind } = Function.prototype
  Function.prototype.bind = function (this: (...words: unknown[]) => unknown, ...words: [unknown, ...unknown[]]) {
    const bound = bind.apply(this, words)
    if (this.name !== 'onMessageReceived') return bound
    return (event: MessageEvent) => {
      kept.batches.push(event.data)
      return bound(event)
    }
  } as typeof bind
}

type Kept = { received: unknown[]; sent: unknown[]; batches: unknown[]; connections: RTCPeerConnection[] }

type MainChannelMessage = {
  readonly type?: string
  readonly history?: readonly number[]
  readonly controlVideoStreaming?: { readonly controlInfo: { readonly sourceId: number; readonly streamMsid: number } }
}
type Recognition = {
  readonly recognitionResults: readonly {
    readonly userId: string
    readonly text: string
    readonly isFinal: boolean
    readonly timestampAudioSent: number
    readonly duration: number
  }[]
}

/** The messages of `main-channel` in both directions. */
export async function channelOf(page: Page): Promise<{ received: (MainChannelMessage[] | Recognition)[]; sent: MainChannelMessage[][] }> {
  return page.evaluate(() => {
    const { received, sent } = (window as unknown as { kept: Kept }).kept
    return { received, sent } as { received: (MainChannelMessage[] | Recognition)[]; sent: MainChannelMessage[][] }
  })
}

type ChatBatch = {
  readonly chatServiceBatchEvent: readonly { readonly message: Readonly<Record<string, string>> }[]
}

export function chatBatches(page: Page): Promise<readonly ChatBatch[]> {
  return page.evaluate(() => (window as unknown as { kept: Kept }).kept.batches as ChatBatch[])
}

type Contributor = { readonly source: number; readonly hasLevel: boolean }

/** The contributing sources of the last 100 ms, of each audio receiver. */
export function contributorsOf(page: Page): Promise<readonly Contributor[]> {
  return page.evaluate(() => {
    const [connection] = (window as unknown as { kept: Kept }).kept.connections.slice(-1)
    const receivers = connection?.getReceivers().filter(({ track }) => track.kind === 'audio') ?? []
    const sources = receivers.flatMap((receiver) => receiver.getContributingSources())
    const newest = Math.max(...sources.map(({ timestamp }) => timestamp))
    return sources
      .filter(({ timestamp }) => newest - timestamp < 100)
      .map(({ source, audioLevel }) => ({ source, hasLevel: audioLevel !== undefined }))
  })
}

export type TrouterFrame = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly isPacked: boolean
  readonly body: {
    readonly participants?: Readonly<Record<string, { readonly state: string; readonly details: { readonly displayName: string } }>>
    readonly subCode?: number
    readonly sender?: { readonly id: string; readonly displayName: string }
  }
}

/** Every frame `3:::` from now on. */
export function framesOf(page: Page): readonly TrouterFrame[] {
  const frames: TrouterFrame[] = []
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const text = String(payload)
      if (!text.startsWith('3:::')) return
      const { url, headers, body } = JSON.parse(text.slice(4))
      const isPacked = !body.startsWith('{')
      frames.push({ url, headers, isPacked, body: JSON.parse(isPacked ? inflateSync(Buffer.from(body, 'base64')).toString() : body) })
    }),
  )
  return frames
}
