// The ten people of the cast in a simulated Teams call. Their audio belongs into their own files if they speak alone, else into the mix.
import type { Call, ScriptedPerson } from '../../../sims/teams/call/types.ts'
import { wav } from '../callers/files-server.ts'
import type { FoundTone } from '../media/attribution.ts'
import { type Line, line } from '../speech/spoken-line.ts'
import { CAST, type Name, type Sent } from './meet-cast.ts'

const TONE_SECONDS = 1.2
const TONE = 'a tone'
/** Allowed distance from the true time. */
const OFF_MS = 120
/** A CSRC stays in the list for a while after its last sound. */
const NAMED_AFTER_MS = 260

type Span = { readonly fromMs: number; readonly toMs: number }

export class TeamsCast {
  readonly #call: Call
  readonly #people = new Map<Name, ScriptedPerson>()
  readonly #lines = new Map<Name, Line>()

  static async assemble(call: Call, speakers: readonly Name[]): Promise<TeamsCast> {
    const cast = new TeamsCast(call)
    for (const { name, voice, text } of CAST) {
      if (speakers.includes(name)) cast.#lines.set(name, await line(name, voice, text))
      await cast.enter(name)
    }
    return cast
  }

  private constructor(call: Call) {
    this.#call = call
  }

  async enter(name: Name): Promise<void> {
    const colour = CAST.find((it) => it.name === name)?.colour
    this.#people.set(name, await this.#call.join(colour ? { name, colour } : { name }))
  }

  named(name: Name): ScriptedPerson {
    const person = this.#people.get(name)
    if (!person) throw new Error(`There is no ${name} in the call.`)
    return person
  }

  sounds(name: Name): Promise<unknown> {
    return this.named(name).say(wav(hzOf(name), TONE_SECONDS), TONE)
  }

  async speaks(name: Name): Promise<void> {
    const words = this.#lines.get(name)
    if (words) await this.named(name).say(words.wav, words.text)
  }

  /** The ground truth, without the silence around speech. */
  sent(): readonly Sent[] {
    return this.#call.truth().flatMap(({ name: who, text, fromMs }) => {
      const name = CAST.find((it) => it.name === who)?.name
      const words = name && this.#lines.get(name)
      const audible = text === TONE ? { fromMs: 0, toMs: TONE_SECONDS * 1000 } : words
      return name && audible ? { name, isTone: text === TONE, lanes: 1, fromMs: fromMs + audible.fromMs, toMs: fromMs + audible.toMs } : []
    })
  }
}

const hzOf = (name: Name): number => CAST.find((it) => it.name === name)?.hz ?? 0

/** The share of tones that was found, 0 to 1: single tones in their own files, overlapping ones in the mix. */
export function attributedShares(
  audible: readonly FoundTone[],
  sent: readonly Sent[],
  stepMs: number,
): { readonly alone: number; readonly mixed: number } {
  const tones = sent.filter(({ isTone }) => isTone)
  const share = (spansOf: (tone: Sent) => readonly Span[], holderOf: (name: Name) => string): number => {
    let [wanted, found] = [0, 0]
    for (const tone of tones)
      for (const { fromMs, toMs } of spansOf(tone)) {
        const looks = audible.filter((it) => it.isLoud && it.name === tone.name && it.holder === holderOf(tone.name))
        wanted += Math.floor((toMs - fromMs) / stepMs)
        found += new Set(looks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ atMs }) => atMs)).size
      }
    return wanted === 0 ? 0 : Math.min(1, found / wanted)
  }
  const others = (tone: Sent) => tones.filter((it) => it !== tone)
  return {
    alone: share(
      (tone) => settled(without(tone, others(tone).map(widened))),
      (name) => name,
    ),
    mixed: share(
      (tone) => settled(others(tone).flatMap((other) => common(tone, other))),
      () => '',
    ),
  }
}

const widened = ({ fromMs, toMs }: Span): Span => ({ fromMs, toMs: toMs + NAMED_AFTER_MS })

function without({ fromMs, toMs }: Span, holes: readonly Span[]): readonly Span[] {
  return holes.reduce<readonly Span[]>(
    (spans, hole) =>
      spans.flatMap((it) => [
        { ...it, toMs: Math.min(it.toMs, hole.fromMs) },
        { ...it, fromMs: Math.max(it.fromMs, hole.toMs) },
      ]),
    [{ fromMs, toMs }],
  )
}

function common(one: Span, other: Span): readonly Span[] {
  return [{ fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) }]
}

/** Without the edges, whose exact position is unknown. */
function settled(spans: readonly Span[]): readonly Span[] {
  return spans.map(({ fromMs, toMs }) => ({ fromMs: fromMs + OFF_MS, toMs: toMs - OFF_MS })).filter(({ fromMs, toMs }) => toMs > fromMs)
}
