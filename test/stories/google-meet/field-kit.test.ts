// emissary doctor --bundle and --replay with Google Meet: what is recorded, what is hidden, and that a replay sees the same.
import { expect, test } from 'vitest'
import { startMeet } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { expectNone, expectSameReplay, recordKit, SECRETS, settingsFor } from '../../helpers/meetings/field-kit.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 60_000

const meet = openForFile(startMeet)

test('records a join without its secrets, and replays it with the same screens, people and verdict', { timeout: LONG }, async () => {
  const meeting = meet.meeting('qzx-vwyk-jpq', { knock: 'lobby' })
  const ann = await meeting.space.join({ name: SECRETS.ann, colour: '#dc1e1e', voice: 440 })
  const recording = recordKit(settingsFor(meet), meeting.url, '--stay', '8')
  await until('it knocks', () => meeting.knocks().length > 0, SOON)
  meeting.admit()
  await until('it is inside', () => meeting.inside().length > 0, SOON)
  const ben = await meeting.space.join({ name: SECRETS.ben, voice: 660 })
  ann.write(SECRETS.chat)
  ben.caption({ text: SECRETS.caption, final: true })
  const kit = await recording
  expect(meeting.pressed.map(({ control }) => control)).toContain('leave')
  const screens = kit.steps.filter(({ kind }) => kind === 'screen').map(({ screen }) => screen)
  expect([...new Set(screens)], kit.diagnosis.said).toEqual(expect.arrayContaining(['prejoin', 'inside']))
  expect(kit.steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'admitted, then stayed' })
  const kinds = new Set(kit.steps.map(({ kind }) => kind))
  for (const kind of ['screen', 'report', 'description', 'response', 'status', 'event', 'verdict']) expect([...kinds]).toContain(kind)
  expect(kit.steps.filter(({ kind }) => kind === 'withheld')).toEqual([])
  expectNone(kit, [...Object.values(SECRETS), 'Quistgaard', 'Wyndham', 'Blomqvist', 'Hippopotamus', 'qzx-vwyk', 'a=ice-pwd:[^\\[]'])
  expect(await expectSameReplay(settingsFor(meet), kit)).toMatch(/people {4}Person \d+, Person \d+/)
})
