// Random numbers that a seed determines. Each purpose has a stream of its own, so that removing one fault leaves the others as they are.

/** A number in [0, 1). */
export type Random = () => number

export function randomFrom(...key: readonly (string | number)[]): Random {
  let state = hash(key.join('/'))
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function between(random: Random, least: number, most: number): number {
  return least + random() * (most - least)
}

export function wholeBetween(random: Random, least: number, most: number): number {
  return Math.floor(between(random, least, most + 1))
}

export function oneOf<Choice>(random: Random, choices: readonly [Choice, ...Choice[]]): Choice {
  return choices[Math.floor(random() * choices.length)] ?? choices[0]
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let place = 0; place < text.length; place++) value = Math.imul(value ^ text.charCodeAt(place), 0x01000193)
  return value >>> 0
}
