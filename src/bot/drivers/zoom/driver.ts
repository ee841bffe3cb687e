// Zoom by its Web Meeting SDK: a page of the host's own loads the SDK and publishes the meeting; the kit does the rest.
import type { BotSpec } from '../../../domain/bot.ts'
import type { Door } from '../../../domain/doctor.ts'
import type { KnockOutcome } from '../../../domain/meeting.ts'
import type { DriverTools, MeetingDriver } from '../driver.ts'
import { createWebClientDriver } from '../web-client/driver.ts'
import { zoom } from './client.ts'
import { type BotPage, openBotPage } from './page-server.ts'
import { AUTHORISED_USER_ABSENT, REPORT } from './report.ts'
import { ZoomRoster } from './roster.ts'
import { fetchToken } from './token.ts'

/** Zoom's SDK takes one join in ten seconds; a page that is opened anew counts for itself. */
const RETRY_MS = 5_000

export async function createZoomDriver(tools: DriverTools): Promise<MeetingDriver> {
  if (tools.sdkFolder === null) throw new Error('zoom: no Meeting SDK is installed')
  const page = await openBotPage(tools.sdkFolder)
  const driver = await createWebClientDriver(
    {
      ...zoom,
      addressOf: () => page.url,
      published: {
        follow: (context, report) => context.exposeFunction(REPORT, report).then(() => undefined),
        createRoster: (...listeners) => new ZoomRoster(tools.spec.leave.waitingRoomSeconds * 1000, ...listeners),
      },
    },
    tools,
  ).catch((error: unknown) => {
    page.close()
    throw error
  })
  const { knock, leave } = driver
  return Object.assign(driver, {
    async approach(): Promise<Door> {
      return NO_DOOR
    },
    async knock(signal: AbortSignal): Promise<KnockOutcome> {
      const problem = await prepare(page, tools, signal)
      return problem ?? knock.call(driver, signal)
    },
    async leave(how: 'politely' | 'at once'): Promise<void> {
      await leave.call(driver, how)
      page.close()
    },
  })
}

/** The SDK shows a meeting only to who joins it. */
const NO_DOOR: Door = { screen: 'nothing before the bot joins', rule: 'the Meeting SDK', next: 'join', leadsIn: true }

/** Gives the page what it joins with; otherwise why it cannot. */
async function prepare(page: BotPage, tools: DriverTools, signal: AbortSignal): Promise<Extract<KnockOutcome, { kind: 'failed' }> | null> {
  const { spec, signIn } = tools
  const { meeting } = spec
  if (meeting.platform !== 'zoom' || meeting.meetingNumber === null)
    return { kind: 'failed', reason: 'InvalidMeetingLink', message: 'Invalid meeting link format: the link has no /j/<meeting-id> path' }
  if (signIn?.kind !== 'zoom_app')
    return {
      kind: 'failed',
      reason: 'LoginFailed',
      message: 'Zoom needs the credentials of a Meeting SDK app: set ZOOM_SDK_KEY and ZOOM_SDK_SECRET',
    }
  const { meetingNumber } = meeting
  const fetched = signIn.token && (await fetchToken(tools, { ...signIn.token, meetingNumber, signal }))
  if (fetched?.kind === 'failed') return fetched
  const token = fetched && signIn.token && { [signIn.token.kind === 'zak' ? 'zak' : 'obfToken']: fetched.token }
  page.give({ retry: { code: AUTHORISED_USER_ABSENT, afterMs: RETRY_MS }, join: { ...joinOf(spec, signIn.signature), ...token } })
  return null
}

function joinOf({ meeting, name }: BotSpec, signature: string) {
  const { meetingNumber, passcode, registrantToken } = meeting as Extract<BotSpec['meeting'], { platform: 'zoom' }>
  const userName = name.slice(0, zoom.longestName).trim()
  return {
    signature,
    meetingNumber: meetingNumber ?? '',
    userName,
    passWord: passcode ?? '',
    ...(registrantToken && { tk: registrantToken }),
  }
}
