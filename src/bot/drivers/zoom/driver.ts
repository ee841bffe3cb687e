// Joins Zoom with the Web Meeting SDK, on a page that this host serves. The page reports the state of the meeting.
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

/** The SDK accepts one join in ten seconds for each page load. */
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
    async leave(manner: 'politely' | 'at once'): Promise<void> {
      await leave.call(driver, manner)
      page.close()
    },
  })
}

/** `join` rejects a longer passcode as a wrong parameter (4003), before any request. */
const LONGEST_PASSCODE = 32

/** The SDK shows nothing of a meeting before the bot joins. */
const NO_DOOR: Door = { screen: 'nothing before the bot joins', rule: 'the Meeting SDK', next: 'join', leadsIn: true }

/** Gives the page its join parameters. Returns the reason where it cannot. */
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
  const { meetingNumber, passcode } = meeting
  if (passcode !== null && passcode.length > LONGEST_PASSCODE)
    return {
      kind: 'failed',
      reason: 'InvalidMeetingLink',
      message: `Invalid meeting link format: the passcode (pwd) has ${passcode.length} characters, but Zoom accepts at most ${LONGEST_PASSCODE}. Copy the link from the invitation again`,
    }
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
