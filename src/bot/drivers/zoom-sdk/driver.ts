// Joins Zoom with the Web Meeting SDK, on a page that this machine serves. The page reports the state of the meeting.
import type { Door } from '../../../domain/doctor.ts'
import type { KnockOutcome } from '../../../domain/meeting.ts'
import { createBrowserDriver } from '../browser-meeting/driver.ts'
import type { DriverTools, MeetingDriver } from '../driver.ts'
import { zoomSdk } from './client.ts'
import { type Joins, openBotPage } from './page-server.ts'
import { ZoomRoster } from './roster.ts'
import { fetchToken } from './token.ts'
import { TokenTurns } from './token-turns.ts'

export async function createZoomSdkDriver(tools: DriverTools): Promise<MeetingDriver> {
  if (tools.sdkFolder === null) throw new Error('zoom: no Meeting SDK is installed')
  const page = await openBotPage(tools.sdkFolder)
  let reports = ''
  const driver = await createBrowserDriver(
    {
      ...zoomSdk,
      addressOf: () => page.url,
      published: {
        scripts(name) {
          reports = name
          return []
        },
        createRoster: (...listeners) => new ZoomRoster(tools.spec.leave.waitingRoomSeconds * 1000, ...listeners),
        asksToRecord: true,
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
      const prepared = await prepare(tools, signal)
      if ('kind' in prepared) return prepared
      page.give({ ...prepared, reports })
      return knock.call(driver, signal)
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

type Failed = Extract<KnockOutcome, { kind: 'failed' }>

const failed = (reason: Failed['reason'], message: string): Failed => ({ kind: 'failed', reason, message })

/** The parameters of each try to join, or the reason why there are none. */
async function prepare(tools: DriverTools, signal: AbortSignal): Promise<Joins | Failed> {
  const { spec, signIn } = tools
  const { meeting } = spec
  if (meeting.platform !== 'zoom' || meeting.meetingNumber === null)
    return failed('InvalidMeetingLink', 'Invalid meeting link format: the link has no /j/<meeting-id> path')
  if (signIn?.kind !== 'zoom_app')
    return failed('LoginFailed', 'Zoom needs the credentials of a Meeting SDK app: set ZOOM_SDK_KEY and ZOOM_SDK_SECRET')
  const { meetingNumber, passcode, registrantToken } = meeting
  if (passcode !== null && passcode.length > LONGEST_PASSCODE)
    return failed(
      'InvalidMeetingLink',
      `Invalid meeting link format: the passcode (pwd) has ${passcode.length} characters, but Zoom accepts at most ${LONGEST_PASSCODE}. Copy the link from the invitation again`,
    )
  const fetched = signIn.token && (await fetchToken(tools, { ...signIn.token, meetingNumber, signal }))
  if (fetched?.kind === 'failed') return fetched
  const tokens = fetched?.tokens ?? []
  const isObf = signIn.token?.kind === 'obf'
  const turns = new TokenTurns(isObf ? tokens : [])
  const userName = spec.name.slice(0, zoomSdk.longestName).trim()
  const join = {
    signature: signIn.signature,
    meetingNumber,
    userName,
    passWord: passcode ?? '',
    ...(registrantToken && { tk: registrantToken }),
    ...(!isObf && tokens[0] && { zak: tokens[0] }),
  }
  return {
    join: () => ({ ...join, ...(turns.current && { obfToken: turns.current }) }),
    nextMs: (code) => turns.nextMs(code),
  }
}
