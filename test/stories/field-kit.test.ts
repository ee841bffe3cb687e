// emissary doctor --bundle and --replay with the built-in room, and files that cannot be replayed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Guest } from '../../sims/room/guest.ts'
import { folderForFile, openForFile } from '../helpers/for-file.ts'
import { expectNone, expectSameReplay, recordKit, replayKit, SECRETS, settingsFor } from '../helpers/meetings/field-kit.ts'
import { startRoomServer } from '../helpers/meetings/room.ts'
import { runDoctor, startDoctor } from '../helpers/service/doctor.ts'
import { until } from '../helpers/until.ts'

const LONG = 180_000

const room = openForFile(startRoomServer)
const folder = folderForFile('emissary-field-kit-')
const file = (name: string) => join(folder, name)
const settings = () => ({ ...settingsFor({ flags: [] }), PUBLIC_URL: room.url })
const HEADER = `{"kind":"field_kit","version":1,"driver":"room"}\n{"kind":"status","at":1,"status":"knocks","message":null}\n`

test('records a stay in the room without its secrets, and replays it with the same people', { timeout: LONG }, async () => {
  const url = `${room.url}/room/brzezinska-sync`
  const ann = await Guest.create(url, { name: SECRETS.ann, colour: '#dc1e1e', tone: 440 })
  await ann.join()
  const recording = recordKit(settings(), url, '--stay', '6')
  await until('the bot is inside', () => ann.rosters.at(-1)?.some(({ name }) => name === 'Emissary'), 60_000)
  await ann.write(SECRETS.chat)
  const kit = await recording
  await ann.leave()
  expect(kit.steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'admitted, then stayed' })
  expectNone(kit, [SECRETS.ann, SECRETS.chat, 'Quistgaard', 'Blomqvist', 'brzezinska'])
  expect(await expectSameReplay(settings(), kit)).toMatch(/people {4}Person \d+/)
})

test.each([
  [
    'of another version',
    (text: string) => text.replace('"version":1', '"version":9'),
    'is a field kit of version 9, but this Emissary reads version 1',
  ],
  ['with a changed line', (text: string) => text.replace(/\n\{[^\n]{10}/, '\n{'), 'is damaged: line 2 is no step'],
  ['without a header', (text: string) => text.slice(text.indexOf('\n') + 1), 'is no field kit: its first line has no kind field_kit'],
])('refuses a file %s in a sentence', { timeout: LONG }, async (_what, change, sentence) => {
  writeFileSync(file('changed'), gzipSync(change(HEADER)))
  expect(await replayKit(settings(), file('changed'))).toMatchObject({ status: 1, said: expect.stringContaining(sentence) })
})

test('leaves the meeting and writes the file when it is interrupted', { timeout: LONG }, async () => {
  const url = `${room.url}/room/interrupted`
  const ann = await Guest.create(url, { name: SECRETS.ann, colour: '#dc1e1e' })
  await ann.join()
  const kit = file('interrupted.jsonl.gz')
  const doctor = startDoctor(settings(), url, kit, '--bundle', '--stay', '3600')
  await until('the bot is inside', () => ann.rosters.at(-1)?.some(({ name }) => name === 'Emissary'), 60_000)
  doctor.interrupt()
  const { said } = await doctor.ended
  // The room admits a bot before its driver has seen it.
  expect(said).toMatch(/^verdict {2}(?:admitted, then stayed|aborted)$/m)
  expect(said).toContain(`kept in  ${kit}`)
  await until('the bot has left', () => ann.rosters.at(-1)?.every(({ name }) => name !== 'Emissary'))
  await ann.leave()
})

test.each([
  ['a file that exists', [file('there'), '--bundle'], 'exists already'],
  ['a stay without end', [file('new'), '--bundle', '--stay', 'forever'], '--stay must be a whole number of seconds'],
])('refuses %s before it joins', { timeout: LONG }, async (_what, args, sentence) => {
  writeFileSync(file('there'), 'mine')
  expect(await runDoctor(settings(), `${room.url}/room/refused`, ...args)).toMatchObject({
    status: 1,
    said: expect.stringContaining(sentence),
  })
})

test('refuses a bundle without a link', { timeout: LONG }, async () => {
  expect(await runDoctor(settings(), '--bundle')).toMatchObject({
    status: 1,
    said: expect.stringContaining('--bundle needs a meeting link'),
  })
})

test('refuses a file that is not packed', { timeout: LONG }, async () => {
  writeFileSync(file('plain'), 'no kit')
  expect(await replayKit(settings(), file('plain'))).toMatchObject({
    status: 1,
    said: expect.stringContaining('cannot be unpacked by gzip'),
  })
})
