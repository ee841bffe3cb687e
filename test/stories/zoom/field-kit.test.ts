// emissary doctor --bundle and --replay with Zoom's web client.
import { expect, test } from 'vitest'
import { startZoom } from '../../../sims/zoom/zoom.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { expectNone, expectSameReplay, recordKit, SECRETS, settingsFor } from '../../helpers/meetings/field-kit.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 60_000

const zoom = openForFile(startZoom)
const settings = () => ({ ...settingsFor(zoom), ZOOM_WAY: 'web' })

test('records a join without its secrets, and replays it with the same screens, people and verdict', { timeout: LONG }, async () => {
  const meeting = zoom.meeting({ knock: 'waiting_room', web: { frame: 'pwa' } })
  const ann = await meeting.call.join({ name: SECRETS.ann, colour: '#dc1e1e', voice: 440, host: true })
  const recording = recordKit(settings(), meeting.url, '--stay', '8')
  await until('it waits', () => meeting.waiting().length > 0, SOON)
  meeting.admit()
  await until('it is inside', () => meeting.inside().length > 0, SOON)
  const ben = await meeting.call.join({ name: SECRETS.ben, voice: 660 })
  ann.write(SECRETS.chat)
  ben.caption({ text: SECRETS.caption, final: true })
  const kit = await recording
  const screens = kit.steps.filter(({ kind }) => kind === 'screen').map(({ screen }) => screen)
  expect([...new Set(screens)], kit.diagnosis.said).toEqual(expect.arrayContaining(['prejoin', 'inside']))
  expect(kit.steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'admitted, then stayed' })
  expect(kit.steps.filter(({ kind }) => kind === 'withheld')).toEqual([])
  const names = [...Object.values(SECRETS), 'Quistgaard', 'Wyndham', 'Blomqvist', 'Hippopotamus']
  expectNone(kit, [...names, meeting.number, meeting.passcodeToken])
  expect(await expectSameReplay(settings(), kit)).toMatch(/people {4}Person \d+, Person \d+/)
})
