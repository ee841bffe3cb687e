// Secrets in random wrappings are in no field kit: neither as they are, nor in another encoding.
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bytesField, numberField } from '../../kit/protobuf.ts'
import type { RawStep } from '../drivers/browser-meeting/witness.ts'
import { knownWords } from './known-words.ts'
import { redactJoin } from './redact.ts'

const ROUNDS = 150
const KNOWN = ['google-meet', 'teams', 'zoom-web'].map(knownWords)
const SPEC = { name: 'Emissary', meeting: { platform: 'google_meet', url: 'https://meet.google.com/qzx-vwyk-jpq' } as never }

/** A small generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const SECRETS = [
  'Zofia Quistgaard',
  'Ångström',
  '王小明',
  'Xi',
  'zofia.quist@example.test',
  'the merger with Blomqvist is off',
  '+49 30 12345678',
  '918273645#',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ6b2ZpYSJ9.c2lnbmF0dXJl',
  'https://files.example.test/quist/plan.pdf?token=Kd8xPq',
  'Kd8x-vW_2bTz9',
  '8:orgid:5f3c1d0e-aaaa-4b6b-9c1c-zofia',
]

type Wrapping = (inner: Buffer) => Buffer
const WRAPPINGS: readonly Wrapping[] = [
  (inner) => Buffer.from(JSON.stringify({ id: 7, body: inner.toString('utf8') })),
  (inner) => Buffer.from(JSON.stringify([{ [`k${inner.length}`]: [inner.toString('utf8'), true] }])),
  (inner) => Buffer.from(JSON.stringify({ data: deflateSync(inner).toString('base64') })),
  (inner) => Buffer.from(`3:::${JSON.stringify({ url: '/x/rosterUpdate/', body: inner.toString('utf8') })}`),
  (inner) => Buffer.concat([numberField(3, 9), bytesField(5, inner)]),
  (inner) => bytesField(1, bytesField(2, inner)),
  (inner) => deflateSync(inner),
  (inner) => gzipSync(inner),
]
/** What survives being put into JSON. */
const isText = (bytes: Buffer) => Buffer.from(bytes.toString('utf8')).equals(bytes)

function wrapped(secret: string, random: (below: number) => number): Buffer {
  let content: Buffer = Buffer.from(secret)
  for (let depth = 1 + random(4); depth > 0; depth--) {
    const wrapping = WRAPPINGS[isText(content) ? random(WRAPPINGS.length) : 4 + random(WRAPPINGS.length - 4)]
    content = wrapping?.(content) ?? content
  }
  return content
}

/** All that a reader can unpack. */
function readingsOf(bytes: Buffer, depth = 6): readonly string[] {
  if (depth === 0) return []
  const text = bytes.toString('utf8')
  const packed = [inflateSync, gunzipSync].flatMap((unpack) => {
    for (let at = 0; at < Math.min(bytes.length, 12); at++) {
      try {
        return [unpack(bytes.subarray(at))]
      } catch {
        // Nothing is packed from here on.
      }
    }
    return []
  })
  const encoded = (text.match(/[A-Za-z0-9+/]{8,}={0,2}/g) ?? []).map((it) => Buffer.from(it, 'base64'))
  return [text, bytes.toString('utf16le'), ...[...packed, ...encoded].flatMap((it) => readingsOf(it, depth - 1))]
}

/** Two letters also stand in base64 by chance, so a secret counts as a word. */
function contains(text: string, secret: string): boolean {
  const found = text.indexOf(secret)
  if (found < 0) return false
  const around = `${text[found - 1] ?? ''}${text[found + secret.length] ?? ''}`
  return !/[A-Za-z0-9+/=]/.test(around) || contains(text.slice(found + 1), secret)
}

test(`hides ${SECRETS.length} kinds of secrets in ${ROUNDS} wrappings`, { timeout: 120_000 }, () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = randomOf(seed)
    const secret = SECRETS[random(SECRETS.length)] ?? ''
    const content = wrapped(secret, random)
    const report =
      isText(content) && random(2) === 0 ? { kind: 'x', text: content.toString('utf8') } : { kind: 'x', data: content.toString('base64') }
    const known = KNOWN[random(KNOWN.length)]
    if (!known) throw new Error('no driver')
    const steps = redactJoin([{ kind: 'report', at: 1, report } as RawStep], SPEC, known)
    const found = readingsOf(Buffer.from(JSON.stringify(steps))).some((it) => contains(it, secret))
    expect(found, `seed ${seed}: ${secret} in ${JSON.stringify(steps)}`).toBe(false)
  }
})
