// Ten distinguishable people of a simulated Google Meet: each has a tone, a voice and words of its own, and some have a colour.
import type { MeetSpace, ScriptedPerson, SpaceOptions } from '../../../sims/google-meet/sfu/types.ts'
import { wav } from '../callers/files-server.ts'
import { spokenWords } from '../speech/speech-errors.ts'
import { type Line, line } from '../speech/spoken-line.ts'

const PARTS = [
  { name: 'Ada', voice: 'slt', colour: '#e02020', text: 'The garden is full of yellow flowers and tall green trees.' },
  { name: 'Ben', voice: 'rms', colour: '#20c020', text: 'Our hotel had a beautiful view of the river.' },
  { name: 'Cy', voice: 'awb', colour: '#2020e0', text: 'My brother bought a second hand bicycle last weekend.' },
  { name: 'Dot', voice: 'kal16', colour: '#e0e020', text: 'Please print these contracts before lunch.' },
  { name: 'Eve', voice: 'f3', colour: '#e020e0', text: 'The doctor told her patient to drink more water.' },
  { name: 'Fay', voice: 'en-gb+f4', colour: null, text: 'Fresh bread and butter make a wonderful breakfast.' },
  { name: 'Gus', voice: 'm7', colour: null, text: 'Nobody knows why this train stopped in Chicago.' },
  { name: 'Hal', voice: 'en-gb-x-rp', colour: null, text: 'We visited famous museums with paintings from Spain.' },
  { name: 'Ivy', voice: 'en-us+f5', colour: null, text: 'Winter storms have closed one mountain road again.' },
  { name: 'Jan', voice: 'en-us', colour: '#20e0e0', text: 'All students can learn how to cook fish with rice.' },
] as const

export type Name = (typeof PARTS)[number]['name']

/** The meeting never names the owner of her audio. */
export const UNNAMED: Name = 'Ivy'
/** No device output has her audio: only the page's tile shows its source. */
const UNLISTED: Name = 'Eve'
/** A whole number of periods in 40 ms, so that tones do not leak into each other. */
const [LOWEST_HZ, HZ_APART] = [400, 150]
const TONE_SECONDS = 1.2
const TONE = 'a tone'

export const CAST = PARTS.map((part, index) => ({
  ...part,
  hz: LOWEST_HZ + index * HZ_APART,
  /** Words that no other person says. */
  own: spokenWords(part.text).filter((word) => PARTS.every((it) => it === part || !spokenWords(it.text).includes(word))),
}))

/** Three lanes that speakers keep changing, and three slots for six cameras. */
export const SPACE: SpaceOptions = {
  switchLanesEveryMs: 1_000,
  red: true,
  dtx: true,
  videoSlots: 3,
  // The CSRC mapping lags the audio, as on a connection that loses packets.
  delay: ({ about, name }) => (about === 'audio' && name === UNNAMED ? null : about === 'video' ? 0 : 300),
}

/** Audio that a person sent, by the wall clock. */
export type Sent = { readonly name: Name; readonly isTone: boolean; readonly fromMs: number; readonly toMs: number; readonly lanes: number }

type Sounds = { readonly tone: Buffer; readonly words: Line }

export class Cast {
  readonly #space: MeetSpace
  readonly #people = new Map<string, ScriptedPerson>()
  readonly #sounds = new Map<string, Sounds>()

  static async assemble(space: MeetSpace): Promise<Cast> {
    const cast = new Cast(space)
    for (const { name, voice, text, hz } of CAST) {
      cast.#sounds.set(name, { tone: wav(hz, TONE_SECONDS), words: await line(name, voice, text) })
      await cast.enter(name)
    }
    return cast
  }

  private constructor(space: MeetSpace) {
    this.#space = space
  }

  async enter(name: Name): Promise<void> {
    const colour = CAST.find((it) => it.name === name)?.colour
    this.#people.set(name, await this.#space.join({ name, ...(colour && { colour }), unlisted: name === UNLISTED }))
  }

  named(name: Name): ScriptedPerson {
    return found(this.#people.get(name), name)
  }

  sounds(name: Name): Promise<unknown> {
    return this.named(name).say(found(this.#sounds.get(name), name).tone, TONE)
  }

  speaks(name: Name): Promise<unknown> {
    const { wav, text } = found(this.#sounds.get(name), name).words
    return this.named(name).say(wav, text)
  }

  /** The ground truth, without the silence around speech. */
  sent(): readonly Sent[] {
    return this.#space.truth().map(({ name: who, text, fromMs, lanes }) => {
      const name = CAST.find((it) => it.name === who)?.name ?? UNNAMED
      const it = { name, isTone: text === TONE, lanes: new Set(lanes.map(({ lane }) => lane)).size }
      const { words } = found(this.#sounds.get(who), who)
      // The last packet of a tone is mostly empty.
      const audible = it.isTone ? { fromMs: 0, toMs: TONE_SECONDS * 1000 } : words
      return { ...it, fromMs: fromMs + audible.fromMs, toMs: fromMs + audible.toMs }
    })
  }
}

function found<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw new Error(`There is no ${name} in the cast.`)
  return thing
}
