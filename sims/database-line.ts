// A TCP line to a database that can be cut, or stand still without an error, as a network or a switched-off machine does.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

export type DatabaseLine = {
  readonly host: string
  readonly port: number
  /** Nothing passes in either direction from now on. New connections are accepted and get no answer. */
  freeze(): void
  /** Freezes when an answer holds this text, before the client gets it. */
  freezeBefore(text: string): void
  isFrozen(): boolean
  /** What waited passes now. */
  thaw(): void
  /** Resets every connection. The next ones stand. */
  cut(): void
  close(): Promise<void>
}

type Pair = { readonly client: Socket; readonly server: Socket }

export async function openDatabaseLine(target: NetConnectOpts): Promise<DatabaseLine> {
  const pairs = new Set<Pair>()
  let frozen = false
  let trap: string | null = null

  const hold = (pair: Pair) => each(pair, (socket) => socket.pause())
  const end = (pair: Pair) => {
    pairs.delete(pair)
    each(pair, (socket) => socket.destroy())
  }
  const freeze = (): void => {
    frozen = true
    trap = null
    pairs.forEach(hold)
  }

  const listener = createServer((client) => {
    const pair = { client, server: connect(target) }
    pairs.add(pair)
    pass(client, pair.server)
    pass(pair.server, client, (chunk) => trap !== null && chunk.includes(trap) && freeze())
    each(pair, (socket) => socket.on('error', () => end(pair)).on('close', () => end(pair)))
    if (frozen) hold(pair)
  })

  /** A chunk that arrives on a frozen line waits in front of what follows. */
  function pass(from: Socket, to: Socket, look: (chunk: Buffer) => unknown = () => undefined): void {
    from.on('data', (chunk: Buffer) => {
      look(chunk)
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
      trap = text
    },
    isFrozen: () => frozen,
    thaw: () => {
      frozen = false
      for (const pair of pairs) each(pair, (socket) => socket.resume())
    },
    cut: () => {
      for (const pair of pairs) {
        pair.client.resetAndDestroy()
        end(pair)
      }
    },
    close: async () => {
      pairs.forEach(end)
      listener.close()
      await once(listener, 'close')
    },
  }
}

function each({ client, server }: Pair, act: (socket: Socket) => unknown): void {
  act(client)
  act(server)
}
