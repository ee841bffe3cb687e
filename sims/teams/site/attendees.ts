// The browsers that have knocked at one meeting.
import type { Attendee, Standing } from './attendee.ts'

const WAITING: readonly Standing[] = ['waiting', 'not_started']

export class Attendees {
  readonly #all = new Map<string, Attendee>()

  add(attendee: Attendee): void {
    this.#all.set(attendee.facts.id, attendee)
  }

  get = (id: string): Attendee | null => this.#all.get(id) ?? null
  all = (): readonly Attendee[] => [...this.#all.values()]
  are = (...standings: readonly Standing[]): readonly Attendee[] => this.all().filter((it) => standings.includes(it.standing))
  inside = (): readonly Attendee[] => this.are('inside')
  waiting = (): readonly Attendee[] => this.are(...WAITING)

  /** The one with this id, or all of them. Throws if there is none. */
  chosen(attendees: readonly Attendee[], id: string | undefined): readonly Attendee[] {
    const chosen = attendees.filter(({ facts }) => id === undefined || facts.id === id)
    if (chosen.length === 0) throw new Error(`No attendee ${id ?? ''} is in the right state for this`)
    return chosen
  }
}
