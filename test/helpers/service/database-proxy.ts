// A TCP proxy for the tests' PostgreSQL that resets, freezes or refuses connections.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { inject } from 'vitest'

export type DatabaseProxy = {
  /** A value for DATABASE_URL. */
  readonly url: string
  /** Resets every open connection. New ones are forwarded. */
  reset(): void
  /** Accepts connections and bytes, and forwards nothing. */
  freeze(): void
  /** Refuses new connections and resets the open ones. */
  refuse(): Promise<void>
  /** Forwards everything again, including the bytes that were held back. */
  resume(): Promise<void>
  stop(): Promise<void>
}

/** For the database that `url` names, on the PostgreSQL of the tests. */
export async function startDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const { host, port: target, user } = inject('postgres')
  const links = new Set<Link>()
  let frozen = false
  const server = createServer((caller) => {
    const link = new Link(caller, `${host}/.s.PGSQL.${target}`)
    links.add(link)
    caller.once('close', () => links.delete(link))
    if (!frozen) link.pass()
  })
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const reset = (): void => {
    for (const link of links) link.reset()
  }
  const close = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : null
    server.close()
    reset()
    await closed
  }
  return {
    url: `postgres://${user}@127.0.0.1:${port}${new URL(url.replace('@/', '@localhost/')).pathname}`,
    reset,
    freeze() {
      frozen = true
      for (const link of links) link.hold()
    },
    refuse: close,
    async resume() {
      frozen = false
      if (!server.listening) await listen(port)
      for (const link of links) link.pass()
    },
    stop: close,
  }
}

/** One client and, once bytes may pass, its connection to the database. */
class Link {
  readonly #caller: Socket
  readonly #path: string
  #database: Socket | null = null
  #isPassing = false

  constructor(caller: Socket, path: string) {
    this.#caller = caller
    this.#path = path
    caller.pause().on('error', () => undefined)
    caller.once('close', () => this.#database?.destroy())
  }

  pass(): void {
    // A second pipe would duplicate every byte.
    if (this.#isPassing) return
    this.#isPassing = true
    this.#database ??= this.#connect()
    this.#caller.pipe(this.#database)
    this.#database.pipe(this.#caller)
  }

  hold(): void {
    this.#isPassing = false
    if (!this.#database) return
    this.#caller.unpipe(this.#database).pause()
    this.#database.unpipe(this.#caller).pause()
  }

  reset(): void {
    this.#caller.resetAndDestroy()
  }

  #connect(): Socket {
    const database = connect(this.#path).on('error', () => undefined)
    database.once('close', () => this.#caller.destroy())
    return database
  }
}
