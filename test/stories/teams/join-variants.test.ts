// The Teams driver at every variant of a join page that lets it in.
import { expect, test } from 'vitest'
import type { LinkForm } from '../../../sims/teams/site/links.ts'
import type { Meeting, Scenario } from '../../../sims/teams/teams.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { teams } from '../../../src/bot/drivers/teams/client.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsBench } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000

const bench = openForFile(() => TeamsBench.open(), LONG)

/** Knocks, and leaves when `work` is done. */
async function knockAt(link: string, work: (driver: MeetingDriver) => Promise<void>, client = teams): Promise<void> {
  const driver = await bench.driver(link, null, client)
  try {
    expect(await driver.knock(AbortSignal.timeout(LONG))).toEqual({ kind: 'asked' })
    await work(driver)
  } finally {
    await driver.leave('at once')
  }
}

const pressesOf = ({ pressed }: Meeting) => pressed.map(({ control }) => control).toSorted()

async function expectAdmitted(meeting: Meeting, driver: MeetingDriver, presses: readonly string[] | null): Promise<void> {
  const admitted = driver.enter(AbortSignal.timeout(LONG))
  await until('it waits', () => meeting.waiting().length > 0, 30_000)
  // Dialogs over the lobby are closed before the host admits the bot.
  if (presses) await until('it has pressed everything', () => meeting.pressed.length >= presses.length, 30_000)
  expect(meeting.waiting()).toMatchObject([{ name: 'Note taker' }])
  meeting.admit(meeting.waiting()[0]?.id)
  expect(await admitted).toEqual({ kind: 'admitted' })
  expect(meeting.inside()).toHaveLength(1)
}

/** `presses`: the controls to be pressed while joining. Null if they do not matter. */
type Variant = readonly [what: string, scenario: Partial<Scenario>, presses: readonly string[] | null]

const VARIANTS: readonly Variant[] = [
  ['microphone and camera on', { devicesOn: true }, ['camera', 'join', 'microphone']],
  ['switches that are not inputs', { devicesOn: true, toggles: 'div', nameField: 'placeholder' }, ['camera', 'join', 'microphone']],
  ['the older page', { devicesOn: true, toggles: 'titled', nameField: 'aria-label' }, ['camera', 'join', 'microphone']],
  ['"Ask to join" and a field without a label', { join: 'ask', joinButton: 'text', nameField: 'only_input', audioChoice: false }, ['join']],
  ['"Join meeting"', { join: 'meeting', joinButton: 'text', lobby: 'request_sent' }, ['join']],
  ['a launcher with an app prompt', { launcher: 'shown' }, ['join']],
  ['a question about devices before the knock', { noDevicesDialog: 'before_join' }, ['join', 'without_devices']],
  ['a question about devices after the knock', { noDevicesDialog: 'after_join' }, ['join', 'without_devices']],
  ['a note about permissions', { permissionNote: true }, ['allow_ok', 'join']],
  ['the client in a frame', { frame: 'iframe' }, ['join']],
  ['a page that loads slowly', { loadMs: 5_000, knockMs: 2_000 }, ['join']],
  ['a request that is answered late', { knockMs: 12_000 }, ['join']],
  ['the light experience', { experience: 'light' }, ['join']],
  ['a light experience that reloads when the name is typed', { experience: 'reload_on_name' }, ['join']],
  ['a light experience that reloads at the knock', { experience: 'reload_on_join' }, ['join', 'join']],
  ['a sign-in page on the first load only', { landing: 'sign_in_once' }, ['join']],
  ['a personal meeting', { variant: 'personal', lobby: 'hi_should_soon' }, ['join']],
  ['a personal meeting behind a launcher', { variant: 'personal', launcher: 'shown', lobby: 'in_lobby' }, ['join']],
  ['a personal meeting in a frame', { variant: 'personal', frame: 'iframe', lobby: 'should_soon' }, ['join']],
  ['curly apostrophes', { apostrophes: 'curly', lobby: 'in_lobby', devicesOn: true, toggles: 'titled' }, null],
  ['German', { language: 'de', devicesOn: true, permissionNote: true, noDevicesDialog: 'before_join', lobby: 'hi_should_soon' }, null],
  ['Dutch without data-tid attributes', { language: 'nl', joinButton: 'text', nameField: 'placeholder', lobby: 'someone' }, null],
  ['Chinese in a frame', { language: 'zh', frame: 'iframe', joinButton: 'text', nameField: 'only_input', lobby: 'admitted' }, null],
  ['British English', { language: 'en-GB', lobby: 'soon', hangup: 'call_hangup', popup: true }, null],
  ['a webinar, as an attendee without microphone and camera', { event: 'webinar', devicesOn: true }, ['camera', 'join', 'microphone']],
  ['a lobby for suspected bots', { suspectsBots: true }, ['join']],
]

test.concurrent.each(VARIANTS)('joins with %s', { timeout: LONG }, async (_what, scenario, presses) => {
  const meeting = bench.meeting(scenario)
  await knockAt(meeting.url, (driver) => expectAdmitted(meeting, driver, presses))
  if (presses) expect(pressesOf(meeting)).toEqual(presses)
  expect(pressesOf(meeting).filter((it) => /retry|tip_ok|sign_in|cancel|rejoin/.test(it))).toEqual([])
})

const FORMS: readonly LinkForm[] = [
  'encoded_twice',
  'v2',
  'launcher',
  'launcher_unencoded',
  'launcher_meet',
  'light',
  'cloud',
  'government',
  'google',
]

test.concurrent.each(FORMS)('joins from a link of the form %s', { timeout: LONG }, async (form) => {
  const meeting = bench.meeting({ launcher: 'shown', knock: 'admitted' })
  await knockAt(meeting.links[form], async (driver) => {
    expect(await driver.enter(AbortSignal.timeout(LONG))).toEqual({ kind: 'admitted' })
  })
})

// Chromium drops the mouse events of about every third tab that the launcher has opened.
test.concurrent.each([1, 2, 3, 4, 5, 6])(
  'passes the launcher by script when mouse events are dropped (%i)',
  { timeout: LONG },
  async () => {
    const meeting = bench.meeting({ launcher: 'shown', devicesOn: true })
    await knockAt(meeting.url, (driver) => expectAdmitted(meeting, driver, ['camera', 'join', 'microphone']), {
      ...teams,
      redirects: { origins: [], wrongLinkStatuses: [], passBy: () => null },
    })
  },
)
