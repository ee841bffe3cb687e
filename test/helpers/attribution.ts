// To whom a delivery gives what somebody sent: tones in people's own files, and turns in the speaker timeline, beside the truth.
import type { Stream } from './delivered.ts'
import { CAST, type Name, type Sent, UNTOLD } from './meet-cast.ts'
import { sound } from './recorded-media.ts'

const STEP_MS = 20
const LOOK_MS = 40
/** How long a decoder takes to come up to a tone. */
const FADE_MS = 20
/** The tones have 0.5. */
const AUDIBLE = 0.2
/** Louder than this is no edge of another tone. */
const TRACE = 0.1
/** How far from the truth something may be put. */
const OFF_MS = 300
/** Turns that are closer are one. */
const BREATH_MS = 900

/** Under which name it has to be found. */
export const nameOf = (name: Name): string => (name === UNTOLD ? '' : name)

/** A look at which a tone was heard in somebody's file, by the wall clock. */
export type Heard = { readonly holder: string; readonly name: Name; readonly atMs: number; readonly isLoud: boolean }

/** Every tone in every file, while tones were sent. `zeroMs` is when the recording began. */
export function tonesIn(streams: readonly Stream[], sent: readonly Sent[], zeroMs: number): readonly Heard[] {
  const tones = sent.filter(({ isTone }) => isTone)
  const [fromMs, toMs] = [Math.min(...tones.map((it) => it.fromMs)) - OFF_MS, Math.max(...tones.map((it) => it.toMs)) + OFF_MS]
  return streams.flatMap(({ name: holder, file, startMs }) => {
    const heard = sound(file)
    const found: Heard[] = []
    // Of a few samples at the end every tone could be said to be there.
    const endMs = Math.min(toMs, zeroMs + startMs + heard.startMs + heard.lengthMs - LOOK_MS)
    for (let atMs = fromMs; atMs < endMs; atMs += STEP_MS) {
      const inFileMs = atMs - zeroMs - startMs
      if (inFileMs < 0) continue
      for (const { name, hz } of CAST) {
        const amplitude = heard.at(hz, inFileMs, inFileMs + LOOK_MS)
        if (amplitude > TRACE) found.push({ holder, name, atMs, isLoud: amplitude > AUDIBLE })
      }
    }
    return found
  })
}

/** How much of a tone is where it belongs, 0 to 1. */
export function shareHeard(heard: readonly Heard[], { name, fromMs, toMs }: Sent): number {
  const looks = heard.filter(
    (it) => it.isLoud && it.name === name && it.holder === nameOf(name) && it.atMs > fromMs - OFF_MS && it.atMs < toMs + OFF_MS,
  )
  const heardMs = new Set(looks.map(({ atMs }) => atMs)).size * STEP_MS
  return heardMs === 0 ? 0 : Math.min(1, (heardMs + FADE_MS) / (toMs - fromMs))
}

export type Turn = { readonly name: string; readonly fromMs: number; readonly toMs: number }

/** One row for each turn that was told or sent and is not within 300 ms of the other. */
export function turnsApart(told: readonly Turn[], sent: readonly Sent[], holderOf: (name: Name) => string = nameOf): readonly string[] {
  const truth = joined(sent.map(({ name, fromMs, toMs }) => ({ name: holderOf(name), fromMs, toMs })))
  const timeline = joined(told)
  const isLike = (one: Turn) => (other: Turn) =>
    one.name === other.name && Math.abs(one.fromMs - other.fromMs) < OFF_MS && Math.abs(one.toMs - other.toMs) < OFF_MS
  return [
    ...truth.filter((it) => !timeline.some(isLike(it))).map((it) => `not told: ${shown(it)}`),
    ...timeline.filter((it) => !truth.some(isLike(it))).map((it) => `not true: ${shown(it)}`),
  ]
}

function joined(turns: readonly Turn[]): readonly Turn[] {
  const all: Turn[] = []
  for (const turn of turns.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const at = all.findLastIndex(({ name }) => name === turn.name)
    const last = all[at]
    if (last && turn.fromMs - last.toMs < BREATH_MS) all[at] = { ...last, toMs: Math.max(last.toMs, turn.toMs) }
    else all.push(turn)
  }
  return all
}

function shown({ name, fromMs, toMs }: Turn): string {
  return `${name || 'somebody'} from ${Math.round(fromMs)} for ${Math.round(toMs - fromMs)} ms`
}
