// A TCP proxy that can freeze or reset its connections, as a network or a switched-off machine does.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

export type TcpProxy = {
  readonly host: string
  readonly port: number
  /** Forwards nothing in either direction until `thaw`. New connections are accepted and get no answer. */
  freeze(): void
  /** Freezes when the server sends this text, before the client receives it. */
  freezeBefore(text: string): void
  isFrozen(): boolean
  /** Forwards everything that was held back. */
  thaw(): void
  /** Resets every open connection. New ones are forwarded. */
  reset(): void
  close(): Promise<void>
}

type Pair = { readonly client: Socket; readonly server: Socket }

export async function openTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let frozen = false
  let freezeText: string | null = null

  const pause = (pair: Pair) => each(pair, (socket) => socket.pause())
  const destroy = (pair: Pair) => {
    pairs.delete(pair)
    each(pair, (socket) => socket.destroy())
  }
  const freeze = (): void => {
    frozen = true
    freezeText = null
    pairs.forEach(pause)
  }

  const listener = createServer((client) => {
    const pair = { client, server: connect(target) }
    pairs.add(pair)
    forward(client, pair.server)
    forward(pair.server, client, (chunk) => freezeText !== null && chunk.includes(freezeText) && freeze())
    each(pair, (socket) => socket.on('error', () => destroy(pair)).on('close', () => destroy(pair)))
    if (frozen) pause(pair)
  })

  /** A chunk that arrives while frozen goes back to the head of the queue. */
  function forward(from: Socket, to: Socket, inspect: (chunk: Buffer) => unknown = () => undefined): void {
    from.on('data', (chunk: Buffer) => {
      inspect(chunk)
      if (!frozen) return void to.write(chunk)
      from.pause()
      from.unshift(chunk)
    })
  }

  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    host: '127.0.0.1',
    port: (listener.address() as AddressInfo).port,
    freeze,
    freezeBefore: (text) => {
      freezeText = text
    },
    isFrozen: () => frozen,
    thaw: () => {
      frozen = false
      for (const pair of pairs) each(pair, (socket) => socket.resume())
    },
    reset: () => {
      for (const pair of pairs) {
        pair.client.resetAndDestroy()
        destroy(pair)
      }
    },
    close: async () => {
      pairs.forEach(destroy)
      listener.close()
      await once(listener, 'close')
    },
  }
}

function each({ client, server }: Pair, act: (socket: Socket) => unknown): void {
  act(client)
  act(server)
}
