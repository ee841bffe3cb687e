// Compares the delivered attribution with the ground truth: tones in people's files, and turns in the speaker timeline.

import { CAST, type Name, type Sent, UNNAMED } from '../meetings/meet-cast.ts'
import type { Stream } from './delivered.ts'
import { sound } from './recorded-media.ts'

const STEP_MS = 20
const LOOK_MS = 40
/** A decoder needs this long to reach the level of a tone. */
const FADE_MS = 20
/** The tones have amplitude 0.5. */
const AUDIBLE = 0.2
/** A louder tone is more than leakage of another one. */
const TRACE = 0.1
/** Allowed distance from the true time. */
const OFF_MS = 300
/** Closer turns of one speaker are merged. */
const BREATH_MS = 900

/** The name under which a person's audio must be delivered. */
export const nameOf = (name: Name): string => (name === UNNAMED ? '' : name)

/** A step in which a tone was found in a person's file, by the wall clock. */
export type FoundTone = { readonly holder: string; readonly name: Name; readonly atMs: number; readonly isLoud: boolean }

/** Every tone found in every file while tones were sent. `zeroMs` is when the recording began. */
export function tonesIn(streams: readonly Stream[], sent: readonly Sent[], zeroMs: number): readonly FoundTone[] {
  const tones = sent.filter(({ isTone }) => isTone)
  const [fromMs, toMs] = [Math.min(...tones.map((it) => it.fromMs)) - OFF_MS, Math.max(...tones.map((it) => it.toMs)) + OFF_MS]
  return streams.flatMap(({ name: holder, file, startMs }) => {
    const audible = sound(file)
    const found: FoundTone[] = []
    // A measurement over a few samples at the end would find every tone.
    const endMs = Math.min(toMs, zeroMs + startMs + audible.startMs + audible.lengthMs - LOOK_MS)
    for (let atMs = fromMs; atMs < endMs; atMs += STEP_MS) {
      const inFileMs = atMs - zeroMs - startMs
      if (inFileMs < 0) continue
      for (const { name, hz } of CAST) {
        const amplitude = audible.at(hz, inFileMs, inFileMs + LOOK_MS)
        if (amplitude > TRACE) found.push({ holder, name, atMs, isLoud: amplitude > AUDIBLE })
      }
    }
    return found
  })
}

/** The share of a tone that is in its own person's files, 0 to 1. */
export function attributedShare(audible: readonly FoundTone[], sent: Sent): number {
  return shareHeldBy(audible, sent, nameOf(sent.name))
}

/** The share of a tone that is in the files of this holder, 0 to 1. */
export function shareHeldBy(audible: readonly FoundTone[], { name, fromMs, toMs }: Sent, holder: string): number {
  const looks = audible.filter(
    (it) => it.isLoud && it.name === name && it.holder === holder && it.atMs > fromMs - OFF_MS && it.atMs < toMs + OFF_MS,
  )
  const foundMs = new Set(looks.map(({ atMs }) => atMs)).size * STEP_MS
  return foundMs === 0 ? 0 : Math.min(1, (foundMs + FADE_MS) / (toMs - fromMs))
}

export type Turn = { readonly name: string; readonly fromMs: number; readonly toMs: number }

/** One line for each turn without a counterpart within 300 ms. */
export function turnsApart(reported: readonly Turn[], sent: readonly Sent[], holderOf: (name: Name) => string = nameOf): readonly string[] {
  const truth = joined(sent.map(({ name, fromMs, toMs }) => ({ name: holderOf(name), fromMs, toMs })))
  const timeline = joined(reported)
  const isLike = (one: Turn) => (other: Turn) =>
    one.name === other.name && Math.abs(one.fromMs - other.fromMs) < OFF_MS && Math.abs(one.toMs - other.toMs) < OFF_MS
  return [
    ...truth.filter((it) => !timeline.some(isLike(it))).map((it) => `not reported: ${describeTurn(it)}`),
    ...timeline.filter((it) => !truth.some(isLike(it))).map((it) => `not spoken: ${describeTurn(it)}`),
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

function describeTurn({ name, fromMs, toMs }: Turn): string {
  return `${name || 'unknown'} from ${Math.round(fromMs)} for ${Math.round(toMs - fromMs)} ms`
}
