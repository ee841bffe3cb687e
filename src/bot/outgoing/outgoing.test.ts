import vm from 'node:vm'
import { expect, test } from 'vitest'
import { createOutgoingMedia, type PageRunner } from './outgoing.ts'

type Call = { readonly method: string; readonly args: readonly (string | null)[] }
type Answers = Readonly<Record<string, (...args: readonly (string | null)[]) => unknown>>

/** A page that records the calls it gets, and answers by method. */
function page(answers: Answers = {}): { readonly calls: Call[]; readonly run: PageRunner } {
  const calls: Call[] = []
  const answer =
    (_: object, method: string) =>
    (...args: (string | null)[]) => {
      calls.push({ method, args })
      return answers[method]?.(...args)
    }
  const object = new Proxy({}, { get: (target, method) => answer(target, String(method)) })
  const performance = { dispatchEvent: ({ detail }: CustomEvent<object>) => Object.assign(detail, { object }) }
  return { calls, run: async (expression) => vm.runInNewContext(expression, { performance, CustomEvent }) }
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex')
const FORMAT = { sampleRate: 48_000, channels: 1 }

test('gives each bot a script with a name of its own', () => {
  const scripts = [createOutgoingMedia(), createOutgoingMedia()].map(({ initScript }) => initScript)
  const names = scripts.map((script) => /startOutgoing\}\)\(\)\("(_[0-9a-f]{32})"\)/.exec(script)?.[1])
  expect(new Set(names).size).toBe(2)
  for (const script of scripts) {
    expect(script).not.toMatch(/^\s*(import|export)\s/m)
    expect(() => new vm.Script(script)).not.toThrow()
  }
})

test('does nothing in a page without media devices', () => {
  const window = {}
  vm.runInNewContext(createOutgoingMedia().initScript, { window, performance: new EventTarget(), CustomEvent })
  expect(Reflect.ownKeys(window)).toEqual([])
})

test('sends a large picture in parts and shows it when it is complete', async () => {
  const { calls, run } = page({ show: () => true })
  const picture = Buffer.concat([PNG, Buffer.alloc(10_000_000, 7)])
  await createOutgoingMedia().show(run, picture)
  const parts = calls.filter(({ method }) => method === 'part')
  expect(Buffer.concat(parts.map(({ args }) => Buffer.from(args[1] ?? '', 'base64'))).equals(picture)).toBe(true)
  expect(Math.max(...parts.map(({ args }) => args[1]?.length ?? 0))).toBeLessThan(600_000)
  expect(calls.at(-1)).toEqual({ method: 'show', args: [parts[0]?.args[0], 'image/png'] })
})

test('stops sending a picture that a later one replaces, and does not show it', async () => {
  const { calls, run } = page({ show: () => true })
  const media = createOutgoingMedia()
  await Promise.all([media.show(run, Buffer.concat([PNG, Buffer.alloc(10_000_000)])), media.show(run, null)])
  expect(calls.filter(({ method }) => method === 'show')).toEqual([{ method: 'show', args: [null, null] }])
  expect(calls.filter(({ method }) => method === 'part').length).toBeLessThan(3)
  expect(calls.some(({ method }) => method === 'drop')).toBe(true)
})

test('sends audio to the page in the order of the calls', async () => {
  const { calls, run } = page({ started: () => 'playing' })
  const media = createOutgoingMedia()
  const long = media.play(run, Buffer.alloc(2_000_000))
  const fed = media.feed(run, Buffer.alloc(960), FORMAT)
  const short = media.play(run, Buffer.alloc(10))
  expect(await Promise.all([long.started, short.started])).toEqual([true, true])
  await Promise.all([long.ended, short.ended, fed])
  expect(calls.map(({ method }) => method).filter((method) => method === 'play' || method === 'feed')).toEqual(['play', 'feed', 'play'])
})

test('does not play audio that is cleared before it reaches the page', async () => {
  const { calls, run } = page()
  const media = createOutgoingMedia()
  const clip = media.play(run, Buffer.alloc(2_000_000))
  const fed = media.feed(run, Buffer.alloc(960), FORMAT)
  await media.clear(run)
  expect(await clip.started).toBe(false)
  await Promise.all([clip.ended, fed])
  expect(calls.filter(({ method }) => method === 'play' || method === 'feed')).toEqual([])
})

test('rejects for an undecodable clip and for a closed page, and plays the next clip', async () => {
  const media = createOutgoingMedia()
  await expect(media.play(page({ started: () => 'undecodable' }).run, Buffer.alloc(10)).started).rejects.toThrow('could not be decoded')
  const gone = media.play(() => Promise.reject(new Error('the page is gone')), Buffer.alloc(10))
  await expect(gone.started).rejects.toThrow('the page is gone')
  await expect(gone.ended).rejects.toThrow('the page is gone')
  expect(await media.play(page({ started: () => 'playing' }).run, Buffer.alloc(10)).started).toBe(true)
})
