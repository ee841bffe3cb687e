// emissary doctor with a Teams link: the screen it finds, the rule that matched, and no knock.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTeams } from '../../../sims/teams/teams.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { runDoctor, stateOf } from '../../helpers/service/doctor.ts'

const LONG = 120_000

const teams = openForFile(startTeams)
let settings: Record<string, string>
beforeAll(async () => {
  settings = { DATA_DIR: join(tmpdir(), 'emissary-no-such-folder'), CHROMIUM_FLAGS: teams.flags.map((flag) => `"${flag}"`).join(' ') }
})

test('passes the launcher, types the name, and stops before it knocks', { timeout: LONG }, async () => {
  const meeting = teams.meeting({ launcher: 'shown', permissionNote: true })
  const found = await runDoctor({ ...settings, BROWSER_MODE: 'auto' }, meeting.url, '--json', '--name', 'Ann')
  expect(found.json?.door, found.said).toMatchObject({
    screen: 'prejoin',
    next: 'press the button that asks to join',
    leadsIn: true,
    knock: null,
    rule: expect.stringMatching(/^rule \d+ of the door: .*nameField/),
  })
  onTestFinished(() => rmSync(found.json.door.folder, { recursive: true }))
  expect(found.status).toBe(0)
  for (const name of ['browser', 'network', 'door']) expect(stateOf(found, name), name).toBe('ok')
  expect(meeting.waiting()).toEqual([])
  expect(meeting.pressed.map(({ control }) => control)).not.toContain('join')
})

test('knocks in a headed browser with the pointer and keyboard of the display', { timeout: LONG }, async () => {
  const meeting = teams.meeting({ knock: 'admitted' })
  const found = await runDoctor({ ...settings, BROWSER_MODE: 'auto' }, meeting.url, '--json', '--knock', '--name', 'Ann')
  expect(found.json?.door, found.said).toMatchObject({ screen: 'prejoin', knock: 'It was let in' })
  onTestFinished(() => rmSync(found.json.door.folder, { recursive: true }))
  expect(meeting.pressed.filter(({ control }) => control === 'join')).toMatchObject([{ trusted: true }])
})

test('exits with code 1 and names the matching rule when the meeting requires an account', { timeout: LONG }, async () => {
  const found = await runDoctor(settings, teams.meeting({ landing: 'verify_info' }).url)
  expect(found.status).toBe(1)
  expect(found.said).toMatch(/^problem {2}door .*SignInRequired/m)
  expect(found.said).toMatch(/^screen {3}sign_in$/m)
  const folder = /^kept in {2}(.+)$/m.exec(found.said)?.[1] ?? ''
  rmSync(folder, { recursive: true })
})
