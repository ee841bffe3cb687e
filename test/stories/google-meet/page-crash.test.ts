// Bots whose page fails when it knocks at Google Meet: reported at once, with the page's own errors as evidence.
import { describe, expect, test } from 'vitest'
import type { Scenario } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { until } from '../../helpers/until.ts'

const LONG = 90_000

const stage = openForFile(() => MeetStage.open())

type Failure = readonly [what: string, scenario: Partial<Scenario>, message: RegExp, log: RegExp]

const FAILURES: readonly Failure[] = [
  ['a disconnect while the lobby stays', { knock: 'dropped' }, /^Google Meet closed the page/, /DisconnectedError: .*EndCause = 72/],
  ['a disconnect with a black page', { knock: 'dropped_black' }, /^Google Meet (closed the page|shows nothing)/, /DisconnectedError/],
  ['too many requests from the lobby', { knock: 'sync_limited' }, /too many requests .*HTTP 429/, /sync was answered with HTTP 429/],
  ['too many requests at the knock', { knock: 'rate_limited' }, /too many requests .*HTTP 429/, /device was answered with HTTP 429/],
  ['a suspected browser that is dropped', { knock: 'dropped', suspected: true }, /treats this browser as suspicious.*sign in/, /field 36/],
  ['a suspected browser that is refused', { knock: 'refused_meeting', suspected: true }, /unless invited/, /field 36/],
  ['a suspected browser that cannot join', { knock: 'cannot_join', suspected: true }, /treats this browser as suspicious/, /field 36/],
]

describe.concurrent('a page that fails at the knock', () => {
  test.each(FAILURES)('reports %s with its cause', { timeout: LONG }, async (_what, scenario, message, log) => {
    const meeting = stage.meeting(scenario)
    const id = await stage.send(meeting)
    const bot = await until(
      'the bot is refused',
      async () => {
        const detail = await stage.detail(id)
        return detail.ErrorReason && detail.Evidence.length > 0 ? detail : null
      },
      40_000,
    )
    expect(bot.ErrorReason).toBe(scenario.knock === 'refused_meeting' ? 'MeetingRestricted' : 'JoinRefused')
    expect(bot.StatusTimeline).not.toHaveProperty('InMeeting')
    const [evidence] = bot.Evidence
    expect(evidence.message).toMatch(message)
    expect(evidence.page_log.join('\n')).toMatch(log)
    expect(meeting.inside()).toEqual([])
  })
})
