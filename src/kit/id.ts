// Ids: a prefix that says the kind, then 26 letters that sort by time.
import { randomBytes } from 'node:crypto'

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LETTERS = 10
const RANDOM_LETTERS = 16

/** `newId('bot', new Date())` is `bot_01kabc…`: 48 bits of time, 80 bits of chance. */
export function newId(prefix: string, at: Date): string {
  let time = at.getTime()
  let head = ''
  for (let place = 0; place < TIME_LETTERS; place++) {
    head = LETTERS[time % 32] + head
    time = Math.floor(time / 32)
  }
  let tail = ''
  for (const byte of randomBytes(RANDOM_LETTERS)) tail += LETTERS[byte % 32]
  return `${prefix}_${head}${tail}`
}
