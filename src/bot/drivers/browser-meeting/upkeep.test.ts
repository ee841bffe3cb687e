import { expect, test } from 'vitest'
import { factsOf } from './facts.ts'
import type { Tab } from './tab.ts'
import { createUpkeep } from './upkeep.ts'

const TRAFFIC = { listensTo: { channels: [], answers: {} }, createReaders: () => ({}) }

/** A call whose page returns each expression itself. */
function call(client: Parameters<typeof createUpkeep>[0]['client'], wanted: readonly string[] = []) {
  const done: string[] = []
  const clock = { now: 0 }
  const tab: Pick<Tab, 'run' | 'wakeToolbar'> = {
    run: async (expression) => {
      done.push(`run ${expression}`)
      return expression
    },
    wakeToolbar: async () => void done.push('moves the mouse'),
  }
  const lookAt = createUpkeep({
    tab: tab as Tab,
    client,
    now: () => clock.now,
    captionLanguage: () => 'de',
    receive: (report) => void done.push(JSON.stringify(report)),
    isWanted: (device) => wanted.includes(device),
    turnOff: async (device) => void done.push(`turns the ${device} off`),
    open: async (control) => void done.push(`opens by ${control}`),
  })
  const look = async (atMs: number, ...visible: string[]) => {
    clock.now = atMs
    await lookAt(factsOf({ visible }, 'https://x.example'))
    return done.splice(0)
  }
  return { look }
}

test('reports the configured globals of `window` only', async () => {
  expect(await call({ traffic: { ...TRAFFIC, globals: { globals: 'here' } } }).look(0)).toEqual([
    'run here',
    '{"kind":"globals","text":"\\"here\\""}',
  ])
  expect(await call({}).look(0)).toEqual([])
})

test('turns off a device that the client turned on, unless the bot wants it', async () => {
  const { look } = call({}, ['camera'])
  expect(await look(0, 'microphoneOn', 'cameraOn')).toEqual(['turns the microphone off'])
  expect(await look(1_000, 'microphoneOff')).toEqual([])
})

test('moves the mouse before the client counts as idle', async () => {
  const { look } = call({ traffic: { ...TRAFFIC, idleAfterMs: 2_000 } })
  const moves = [await look(1_000), await look(2_000), await look(3_000), await look(4_000)].map(({ length }) => length)
  expect(moves).toEqual([0, 1, 0, 1])
})

test('keeps the language of captions', async () => {
  const captions = { begin: () => 'begin', keep: (language: string) => `keep ${language}` }
  expect(await call({ captions }).look(0)).toEqual(['run keep de'])
})

test('reopens a panel whose content is read', async () => {
  const { look } = call({ pageRules: { panels: ['chat'] } })
  expect(await look(0, 'chat', 'leave')).toEqual(['opens by chat'])
  expect(await look(1_000, 'leave')).toEqual([])
})
