/// <reference lib="dom" />
// A listener in the page of a Teams call, as clients of other projects have one. It is written from the field notes alone, and shares nothing with
// the driver or the simulator.
import type { Page } from 'playwright-core'

type Stranger = {
  /** Names by user id. */
  readonly people: Record<string, string>
  /** The ids of streams with audio. */
  readonly audio: string[]
  readonly captions: { readonly userId: string; readonly text: string }[]
  readonly connections: RTCPeerConnection[]
}
type Entry = { readonly details?: { readonly id: string; readonly displayName?: string }; readonly state: string }
type Participant = { readonly displayName: string; hasAudioSource(csrc: number): boolean }
type ObservableCall = { readonly _callId: string; readonly participants: readonly Participant[]; startClosedCaption(): Promise<void> }

/** Runs in the page before its own scripts. It replaces the constructors of sockets and connections. */
export function listenAsStranger(): void {
  const stranger: Stranger = { people: {}, audio: [], captions: [], connections: [] }
  Object.assign(window, { stranger })
  const call = () => (window as unknown as { callingDebug?: { observableCall?: ObservableCall } }).callingDebug?.observableCall

  const unpacked = async (body: string): Promise<string> => {
    if (body.startsWith('{')) return body
    const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0))
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text()
  }
  /** A frame counts only if its call is the present one: rosters of other calls leak in. */
  const readFrame = async (text: string): Promise<void> => {
    if (!text.startsWith('3:::')) return
    const { url, headers, body } = JSON.parse(text.slice('3:::'.length))
    if (!url.endsWith('rosterUpdate/') || headers['X-Microsoft-Skype-Chain-ID'] !== call()?._callId) return
    const { participants } = JSON.parse(await unpacked(body)) as { readonly participants: Readonly<Record<string, Entry>> }
    for (const { details, state } of Object.values(participants))
      if (details?.displayName && state === 'active') stranger.people[details.id] = details.displayName
  }
  const NativeSocket = window.WebSocket
  window.WebSocket = class extends NativeSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given)
      this.addEventListener('message', ({ data }) => typeof data === 'string' && void readFrame(data))
    }
  }

  const readMessage = (data: ArrayBuffer): void => {
    const text = new TextDecoder().decode(data)
    const content = JSON.parse(text.slice(text.search(/[[{]/)))
    stranger.captions.push(...(content.recognitionResults ?? []))
  }
  const NativeConnection = window.RTCPeerConnection
  window.RTCPeerConnection = class extends NativeConnection {
    constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
      super(...given)
      stranger.connections.push(this)
      this.addEventListener('track', ({ track, streams: [stream] }) => {
        if (track.kind === 'audio' && stream?.id.includes('mainAudio')) stranger.audio.push(stream.id)
      })
    }
    override createDataChannel(...given: Parameters<RTCPeerConnection['createDataChannel']>): RTCDataChannel {
      const channel = super.createDataChannel(...given)
      if (channel.label === 'main-channel') channel.addEventListener('message', ({ data }) => readMessage(data))
      return channel
    }
  }
}

/** What it has read so far. */
export function strangerIn(page: Page): Promise<Pick<Stranger, 'people' | 'audio' | 'captions'>> {
  return page.evaluate(() => {
    const { people, audio, captions } = (window as unknown as { stranger: Stranger }).stranger
    return { people, audio, captions }
  })
}

/** The energy of the received audio. */
export function energyIn(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { connections } = (window as unknown as { stranger: Stranger }).stranger
    const reports = await Promise.all(connections.map((it) => it.getStats()))
    const received = reports.flatMap((it) => [...it.values()]).filter(({ type, kind }) => type === 'inbound-rtp' && kind === 'audio')
    return received.reduce((sum, { totalAudioEnergy = 0 }) => sum + totalAudioEnergy, 0)
  })
}

/** The participants whose audio is in the mix, by its contributing sources. */
export function speakersIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { connections } = (window as unknown as { stranger: Stranger }).stranger
    const { observableCall } = (window as unknown as { callingDebug: { observableCall: ObservableCall } }).callingDebug
    const sources = connections.flatMap((it) => it.getReceivers()).flatMap((it) => it.getContributingSources())
    return observableCall.participants.filter((it) => sources.some(({ source }) => it.hasAudioSource(source))).map((it) => it.displayName)
  })
}

export function startCaptionsIn(page: Page): Promise<void> {
  return page.evaluate(() =>
    (window as unknown as { callingDebug: { observableCall: ObservableCall } }).callingDebug.observableCall.startClosedCaption(),
  )
}
