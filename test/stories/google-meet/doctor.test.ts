// emissary doctor with a Google Meet link: the screen it finds, the rule that matched, and no knock.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startMeet } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { runDoctor, stateOf } from '../../helpers/service/doctor.ts'

const LONG = 120_000

const meet = openForFile(startMeet)
let settings: Record<string, string>
beforeAll(async () => {
  settings = { DATA_DIR: join(tmpdir(), 'emissary-no-such-folder'), CHROMIUM_FLAGS: meet.flags.map((flag) => `"${flag}"`).join(' ') }
})

test('opens the join page, answers notices, types the name, and stops before it knocks', { timeout: LONG }, async () => {
  const meeting = meet.meeting('doc-tora-abc', { knock: 'lobby', devicesOn: true, notices: ['devices'] })
  const found = await runDoctor({ ...settings, BROWSER_MODE: 'auto' }, meeting.url, '--json', '--name', 'Ann')
  expect(found.json?.door, found.said).toMatchObject({
    screen: 'prejoin',
    rule: expect.stringMatching(/^rule \d+ of the door: .*nameField/),
    next: 'press the button that asks to join',
    leadsIn: true,
    knock: null,
  })
  expect(found.status).toBe(0)
  for (const name of ['browser', 'reports', 'codecs', 'network', 'clock', 'display', 'door']) expect(stateOf(found, name), name).toBe('ok')
  const { folder } = found.json.door
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(readFileSync(join(folder, 'page.txt'), 'utf8')).toContain('Ask to join')
  expect(readFileSync(join(folder, 'page.jpg')).subarray(0, 2).toString('hex')).toBe('ffd8')
  expect(meeting.knocks()).toEqual([])
  expect(meeting.pressed.map(({ control }) => control)).not.toContain('join')
})

test('knocks when it is asked to', { timeout: LONG }, async () => {
  const meeting = meet.meeting('doc-tora-abd', { knock: 'admitted' })
  const found = await runDoctor(settings, meeting.url, '--json', '--knock', '--name', 'Ann')
  expect(found.json?.door, found.said).toMatchObject({ screen: 'prejoin', knock: 'It was let in' })
  onTestFinished(() => rmSync(found.json.door.folder, { recursive: true }))
  expect(found.status).toBe(0)
})

test('exits with code 1 and names the matching rule when the meeting cannot be joined', { timeout: LONG }, async () => {
  const meeting = meet.meeting('doc-tora-abe', { landing: 'expired_code' })
  const found = await runDoctor(settings, meeting.url)
  expect(found.status).toBe(1)
  expect(found.said).toMatch(/^problem {2}door .*MeetingNotFound/m)
  expect(found.said).toMatch(/^screen {3}not_found$/m)
  expect(found.said).toMatch(/^by {7}rule \d+ of the door: \{"sentences":\["not_found"\]\}$/m)
  const folder = /^kept in {2}(.+)$/m.exec(found.said)?.[1] ?? ''
  expect(readFileSync(join(folder, 'page.txt'), 'utf8')).toContain('expired')
  rmSync(folder, { recursive: true })
})
