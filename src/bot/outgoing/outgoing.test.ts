// What is said to the page, in which order and size; and the page's code as text.
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { createOutgoingMedia, type PageRunner } from './outgoing.ts'

type Said = { readonly word: string; readonly args: readonly (string | null)[] }
type Answers = Readonly<Record<string, (...args: readonly (string | null)[]) => unknown>>

/** A page that writes down what it is told, and answers by word. */
function page(answers: Answers = {}): { readonly said: Said[]; readonly run: PageRunner } {
  const said: Said[] = []
  const listen =
    (_: object, word: string) =>
    (...args: (string | null)[]) => {
      said.push({ word, args })
      return answers[word]?.(...args)
    }
  const window = new Proxy({}, { get: () => new Proxy({}, { get: (target, word) => listen(target, String(word)) }) })
  return { said, run: async (expression) => vm.runInNewContext(expression, { window }) }
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex')
const SHAPE = { sampleRate: 48_000, channels: 1 }

test('each bot has a script of its own, under a name of its own', () => {
  const scripts = [createOutgoingMedia(), createOutgoingMedia()].map(({ initScript }) => initScript)
  const names = scripts.map((script) => /startOutgoing\}\)\(\)\("(_[0-9a-f]{32})"\)/.exec(script)?.[1])
  expect(new Set(names).size).toBe(2)
  for (const script of scripts) {
    expect(script).not.toMatch(/^\s*(import|export)\s/m)
    expect(() => new vm.Script(script)).not.toThrow()
  }
})

test('in a page without devices it does nothing', () => {
  const window = {}
  vm.runInNewContext(createOutgoingMedia().initScript, { window })
  expect(Reflect.ownKeys(window)).toEqual([])
})

test('a large picture is sent in parts and shown once it is whole', async () => {
  const { said, run } = page({ show: () => true })
  const picture = Buffer.concat([PNG, Buffer.alloc(10_000_000, 7)])
  await createOutgoingMedia().show(run, picture)
  const parts = said.filter(({ word }) => word === 'part')
  expect(Buffer.concat(parts.map(({ args }) => Buffer.from(args[1] ?? '', 'base64'))).equals(picture)).toBe(true)
  expect(Math.max(...parts.map(({ args }) => args[1]?.length ?? 0))).toBeLessThan(600_000)
  expect(said.at(-1)).toEqual({ word: 'show', args: [parts[0]?.args[0], 'image/png'] })
})

test('a picture that is overtaken is neither sent to its end nor shown', async () => {
  const { said, run } = page({ show: () => true })
  const media = createOutgoingMedia()
  await Promise.all([media.show(run, Buffer.concat([PNG, Buffer.alloc(10_000_000)])), media.show(run, null)])
  expect(said.filter(({ word }) => word === 'show')).toEqual([{ word: 'show', args: [null, null] }])
  expect(said.filter(({ word }) => word === 'part').length).toBeLessThan(3)
  expect(said.some(({ word }) => word === 'drop')).toBe(true)
})

test('sound reaches the page in the order in which it was asked for', async () => {
  const { said, run } = page({ begun: () => 'sounds' })
  const media = createOutgoingMedia()
  const long = media.play(run, Buffer.alloc(2_000_000))
  const fed = media.feed(run, Buffer.alloc(960), SHAPE)
  const short = media.play(run, Buffer.alloc(10))
  expect(await Promise.all([long.begun, short.begun])).toEqual([true, true])
  await Promise.all([long.over, short.over, fed])
  expect(said.map(({ word }) => word).filter((word) => word === 'play' || word === 'feed')).toEqual(['play', 'feed', 'play'])
})

test('what is cleared on its way to the page is never played', async () => {
  const { said, run } = page()
  const media = createOutgoingMedia()
  const clip = media.play(run, Buffer.alloc(2_000_000))
  const fed = media.feed(run, Buffer.alloc(960), SHAPE)
  await media.clear(run)
  expect(await clip.begun).toBe(false)
  await Promise.all([clip.over, fed])
  expect(said.filter(({ word }) => word === 'play' || word === 'feed')).toEqual([])
})

test('a clip that the page cannot decode, and a page that is gone, are told and hold nothing up', async () => {
  const media = createOutgoingMedia()
  await expect(media.play(page({ begun: () => 'unreadable' }).run, Buffer.alloc(10)).begun).rejects.toThrow('could not be decoded')
  const gone = media.play(() => Promise.reject(new Error('the page is gone')), Buffer.alloc(10))
  await expect(gone.begun).rejects.toThrow('the page is gone')
  await expect(gone.over).rejects.toThrow('the page is gone')
  expect(await media.play(page({ begun: () => 'sounds' }).run, Buffer.alloc(10)).begun).toBe(true)
})
