// The rooms of the crash bench, each with one person who hums. They live in the bench, so a fault of the service leaves them standing.
import { startRoomServer } from '../../test/helpers/room.ts'
import { openMeeting, peoplesBrowser } from '../meeting.ts'
import { Sessions } from './sessions.ts'

const ONE_PERSON = { people: 1, camera: false, width: 160, height: 90, framesPerSecond: 1 }

export type WatchedRoom = { readonly link: string; readonly sessions: Sessions }

export type CrashVenue = {
  /** For the service's PUBLIC_URL: links to these rooms are links to its own. */
  readonly url: string
  readonly rooms: readonly WatchedRoom[]
  close(): Promise<void>
}

export async function openCrashVenue(count: number): Promise<CrashVenue> {
  const server = await startRoomServer()
  const ends: (() => Promise<unknown>)[] = [() => server.stop()]
  const close = async () => {
    for (const end of ends.toReversed()) await end().catch((error: unknown) => console.error(error))
  }
  try {
    const browser = await peoplesBrowser({ atEnd: (end) => ends.push(end) })
    const rooms: WatchedRoom[] = []
    for (let number = 1; number <= count; number++) {
      const { link, pages } = await openMeeting(browser, `${server.url}/room/crash-${number}`, ONE_PERSON)
      const [page] = pages
      if (!page) throw new Error('bench: nobody is in the room')
      rooms.push({ link, sessions: await Sessions.in(page) })
    }
    return { url: server.url, rooms, close }
  } catch (error) {
    await close()
    throw error
  }
}
