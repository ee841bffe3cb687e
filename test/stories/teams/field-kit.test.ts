// emissary doctor --bundle and --replay with Microsoft Teams.
import { expect, test } from 'vitest'
import { startTeams } from '../../../sims/teams/teams.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { expectNone, expectSameReplay, recordKit, SECRETS, settingsFor } from '../../helpers/meetings/field-kit.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 60_000

const teams = openForFile(startTeams)

test('records a join without its secrets, and replays it with the same screens, people and verdict', { timeout: LONG }, async () => {
  const meeting = teams.meeting({ knock: 'lobby', passcode: 'Xq7Vw2Kd' })
  const ann = await meeting.call.join({ name: SECRETS.ann, colour: '#dc1e1e', voice: 440 })
  const recording = recordKit(settingsFor(teams), meeting.url, '--stay', '8')
  await until('it waits', () => meeting.waiting().length > 0, SOON)
  meeting.admit()
  await until('it is inside', () => meeting.inside().length > 0, SOON)
  const ben = await meeting.call.join({ name: SECRETS.ben, voice: 660 })
  ann.write(`<p>${SECRETS.chat}</p>`)
  ben.caption({ text: SECRETS.caption, final: true })
  const kit = await recording
  const screens = kit.steps.filter(({ kind }) => kind === 'screen').map(({ screen }) => screen)
  expect([...new Set(screens)], kit.diagnosis.said).toEqual(expect.arrayContaining(['prejoin', 'inside']))
  expect(kit.steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'admitted, then stayed' })
  expect(kit.steps.filter(({ kind }) => kind === 'withheld')).toEqual([])
  expectNone(kit, [...Object.values(SECRETS), 'Quistgaard', 'Wyndham', 'Blomqvist', 'Hippopotamus', 'Xq7Vw2Kd', ann.id])
  expect(await expectSameReplay(settingsFor(teams), kit)).toMatch(/people {4}Person \d+, Person \d+/)
})

test('names the screen that today’s rules see otherwise', { timeout: LONG }, async () => {
  const kit = await recordKit(settingsFor(teams), teams.meeting({ landing: 'verify_info' }).url)
  expect(kit.steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'SignInRequired' })
  const said = await expectSameReplay(settingsFor(teams), kit)
  expect(said).toMatch(/verdict {3}SignInRequired$/m)
})
