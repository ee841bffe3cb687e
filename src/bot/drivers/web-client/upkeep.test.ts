import { expect, test } from 'vitest'
import { factsOf } from './facts.ts'
import type { Tab } from './tab.ts'
import { Upkeep } from './upkeep.ts'

/** A call whose page answers every expression with itself. */
function call(client: ConstructorParameters<typeof Upkeep>[0]['client'], wanted: readonly string[] = []) {
  const done: string[] = []
  const clock = { now: 0 }
  const tab: Pick<Tab, 'run' | 'wakeToolbar'> = {
    run: async (expression) => {
      done.push(`run ${expression}`)
      return expression
    },
    wakeToolbar: async () => void done.push('moves the mouse'),
  }
  const upkeep = new Upkeep({
    ...{ tab: tab as Tab, client, now: () => clock.now, captionLanguage: () => 'de' },
    receive: (report) => void done.push(JSON.stringify(report)),
    isWanted: (device) => wanted.includes(device),
    turnOff: async (device) => void done.push(`turns the ${device} off`),
  })
  const look = async (atMs: number, ...visible: string[]) => {
    clock.now = atMs
    await upkeep.look(factsOf({ visible }, 'https://x.example'))
    return done.splice(0)
  }
  return { look }
}

test('reports what the client leaves in `window`, and nothing where it leaves nothing', async () => {
  expect(await call({ globals: { globals: 'here' } }).look(0)).toEqual(['run here', '{"kind":"globals","text":"\\"here\\""}'])
  expect(await call({}).look(0)).toEqual([])
})

test('turns off a device that the client has turned on by itself, and none that the bot wants', async () => {
  const { look } = call({}, ['camera'])
  expect(await look(0, 'microphoneOn', 'cameraOn')).toEqual(['turns the microphone off'])
  expect(await look(1_000, 'microphoneOff')).toEqual([])
})

test('moves the mouse as often as the client wants to see it move', async () => {
  const { look } = call({ idleAfterMs: 2_000 })
  const moves = [await look(1_000), await look(2_000), await look(3_000), await look(4_000)].map(({ length }) => length)
  expect(moves).toEqual([0, 1, 0, 1])
})

test('keeps the language of captions', async () => {
  const captions = { begin: () => 'begin', keep: (language: string) => `keep ${language}` }
  expect(await call({ captions }).look(0)).toEqual(['run keep de'])
})
