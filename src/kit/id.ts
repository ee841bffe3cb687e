// Ids: a prefix for the kind, then 26 letters that sort by time.
import { randomFillSync } from 'node:crypto'

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LETTERS = 10
const RANDOM_LETTERS = 16

// Reading random bytes one id at a time costs more than the rest of the id.
const chance = Buffer.alloc(256 * RANDOM_LETTERS)
let used = chance.length

/** `newId('bot', new Date())` is `bot_01kabc…`: 48 bits of time, 80 random bits. */
export function newId(prefix: string, at: Date): string {
  let time = at.getTime()
  let head = ''
  for (let place = 0; place < TIME_LETTERS; place++) {
    head = LETTERS[time % 32] + head
    time = Math.floor(time / 32)
  }
  if (used === chance.length) {
    randomFillSync(chance)
    used = 0
  }
  let tail = ''
  for (const byte of chance.subarray(used, used + RANDOM_LETTERS)) tail += LETTERS[byte % 32]
  used += RANDOM_LETTERS
  return `${prefix}_${head}${tail}`
}
