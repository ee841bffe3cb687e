// The rooms of the crash bench, each with one person who hums. The bench serves them, so faults of the service do not affect them.
import { startRoomServer } from '../../test/helpers/meetings/room.ts'
import { launchPeopleBrowser, openMeeting } from '../meeting/room-meeting.ts'
import { Sessions } from './sessions.ts'

const ONE_PERSON = { people: 1, camera: false, width: 160, height: 90, framesPerSecond: 1 }

export type WatchedRoom = { readonly link: string; readonly sessions: Sessions }

export type CrashVenue = {
  /** The service's PUBLIC_URL, so that it takes these rooms for its own. */
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
    const browser = await launchPeopleBrowser({ atEnd: (end) => ends.push(end) })
    const rooms: WatchedRoom[] = []
    for (let number = 1; number <= count; number++) {
      const { link, pages } = await openMeeting(browser, `${server.url}/room/crash-${number}`, ONE_PERSON)
      const [page] = pages
      if (!page) throw new Error('bench: the room has no participant')
      rooms.push({ link, sessions: await Sessions.in(page) })
    }
    return { url: server.url, rooms, close }
  } catch (error) {
    await close()
    throw error
  }
}
