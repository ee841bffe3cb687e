/// <reference lib="dom" />
// The page's end of the trouter socket: text frames `3:::`, whose bodies may be base64 of zlib. It reconnects after a failure.
import { FRAME_PATHS } from '../wire.ts'
import { trouterAddress } from './server.ts'

type FrameName = keyof typeof FRAME_PATHS
export type Frame = { readonly name: FrameName; readonly callId: string; readonly body: unknown }

export type Listener = {
  readonly onFrame: (frame: Frame) => void
  readonly onLost: () => void
  readonly onBack: () => void
}

const RECONNECT_MS = 300

export function listen({ onFrame, onLost, onBack }: Listener): () => void {
  let socket: WebSocket
  let isOver = false
  let isLost = false
  /** Frames are handled in order, also when one takes longer to unpack. */
  let queue = Promise.resolve()
  const connect = () => {
    socket = new WebSocket(trouterAddress())
    socket.onopen = () => {
      if (isLost) onBack()
      isLost = false
    }
    socket.onmessage = ({ data }) => {
      queue = queue
        .then(() => unpack(String(data)))
        .then((frame) => {
          if (frame && !isOver) onFrame(frame)
        })
    }
    socket.onclose = () => {
      if (isOver) return
      if (!isLost) onLost()
      isLost = true
      setTimeout(connect, RECONNECT_MS)
    }
  }
  connect()
  return () => {
    isOver = true
    socket.close()
  }
}

async function unpack(text: string): Promise<Frame | null> {
  if (!text.startsWith('3:::')) return null
  const { url, headers, body } = JSON.parse(text.slice(4)) as { url: string; headers: Record<string, string>; body: string }
  const name = (Object.keys(FRAME_PATHS) as FrameName[]).find((it) => url.endsWith(FRAME_PATHS[it]))
  if (!name) return null
  const content = body.startsWith('{') ? body : await inflated(body)
  return { name, callId: headers['X-Microsoft-Skype-Chain-ID'] ?? '', body: JSON.parse(content) }
}

function inflated(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text()
}
