// Compares secrets in a time that does not depend on how much of them is equal.
import { timingSafeEqual } from 'node:crypto'

export function isSameSecret(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
