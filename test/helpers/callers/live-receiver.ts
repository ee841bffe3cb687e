// The caller's end of a bot's sockets: parses the stream as documented, without any of the bot's code.
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

type ReceivedVoice = { readonly id: string; readonly name: string; readonly frames: Int16Array[] }

// biome-ignore lint/suspicious/noExplicitAny: messages are checked field by field in the tests.
type Text = Record<string, any>

export type LiveReceiver = {
  readonly url: string
  readonly texts: Text[]
  /** The audio of each speaker since the last `forget`. */
  voices(): ReadonlyMap<string, ReceivedVoice>
  forget(): void
  send(message: object): void
  close(): Promise<void>
}

export async function startLiveReceiver(onText: (text: Text) => void = () => undefined): Promise<LiveReceiver> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.once('listening', resolve))
  const texts: Text[] = []
  const voices = new Map<string, ReceivedVoice>()
  let client: WebSocket | null = null
  server.on('connection', (socket) => {
    client = socket
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) onAudio(voices, data)
      else {
        const text = JSON.parse(data.toString())
        texts.push(text)
        onText(text)
      }
    })
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`,
    texts,
    voices: () => voices,
    forget: () => voices.clear(),
    send: (message) => client?.send(JSON.stringify(message)),
    async close() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function onAudio(voices: Map<string, ReceivedVoice>, frame: Buffer): void {
  const idEnd = 3 + frame.readUInt16LE(1)
  const nameEnd = idEnd + 2 + frame.readUInt16LE(idEnd)
  const id = frame.toString('utf8', 3, idEnd)
  const voice = voices.get(id) ?? { id, name: frame.toString('utf8', idEnd + 2, nameEnd), frames: [] }
  voices.set(id, voice)
  const pcm = frame.subarray(nameEnd)
  voice.frames.push(Int16Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(at * 2)))
}

/** The amplitude of a tone in 48 kHz audio, 0 to 1. */
export function amplitude(frames: readonly Int16Array[], hertz: number): number {
  let [real, imaginary, count] = [0, 0, 0]
  for (const frame of frames) {
    for (const sample of frame) {
      const angle = (2 * Math.PI * hertz * count++) / 48_000
      real += (sample / 32_768) * Math.cos(angle)
      imaginary += (sample / 32_768) * Math.sin(angle)
    }
  }
  return (2 * Math.hypot(real, imaginary)) / Math.max(1, count)
}
