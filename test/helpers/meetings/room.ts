// The built-in room by itself on loopback: its pages and signalling without database and API, and checks of the audio and video that people receive.
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Person } from '../../../sims/room/person.ts'
import { createRoomPages } from '../../../src/room/room-pages.ts'
import { attachSignalling } from '../../../src/room/signalling.ts'
import { until } from '../until.ts'

export type RoomServer = {
  readonly url: string
  /** Forgets every room and everyone in it, as a restarted service does. */
  forget(): Promise<void>
  /** Drops every WebSocket without a close frame, as a network does. */
  cut(): void
  stop(): Promise<void>
}

export async function startRoomServer(): Promise<RoomServer> {
  const pages = createRoomPages()
  const upgraded = new Set<Socket>()
  const server = createServer((request, response) => {
    const answer = pages(request.url ?? '', request.headers['if-none-match'])
    response.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body)
  })
  server.on('connection', (socket) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
  })
  let signalling = attachSignalling(server, { now: Date.now })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async forget() {
      await signalling.close()
      signalling = attachSignalling(server, { now: Date.now })
    },
    cut() {
      for (const socket of upgraded) socket.resetAndDestroy()
    },
    async stop() {
      await signalling.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The tone of each person. */
export const TONES = { Ada: 440, Ben: 700, Cy: 1000 } as const

const MEDIA_MS = 15_000

export async function seesColour(person: Person, name: string, colour: string | null, kind = 'camera'): Promise<void> {
  const wanted = colour === null ? null : [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  await until(
    `${person.name} sees ${colour ?? 'no picture'} as the ${kind} of ${name}`,
    async () => {
      const shown = (await person.sees()).find((it) => it.name === name && it.kind === kind)
      if (!wanted) return shown?.colour === null
      return shown?.colour?.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) < 25)
    },
    MEDIA_MS,
  )
}

/** Each voice must contain its own tone clearly and no other's. */
export async function receivesExactly(person: Person, ...names: string[]): Promise<void> {
  await until(
    `${person.name} hears exactly ${names}`,
    async () => {
      const voices = await person.listen(...Object.values(TONES))
      const audible = voices.filter((it) => it.rms > 0.01)
      const isPure = audible.every(({ name, at }) =>
        Object.entries(TONES).every(([owner, hz]) => (owner === name ? (at[hz] ?? 0) > 0.05 : (at[hz] ?? 0) < 0.005)),
      )
      return (
        isPure &&
        audible
          .map((it) => it.name)
          .toSorted()
          .join() === names.join()
      )
    },
    MEDIA_MS,
  )
}
