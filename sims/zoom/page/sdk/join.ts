/// <reference lib="dom" />
// `init` and `join`: from the call of the page to a session, or to an error screen and its callback.

import { codeOf } from '../../site/info-replies.ts'
import { messageOf } from '../../site/messages.ts'
import type { JoinErrors } from '../../site/scenario.ts'
import type { InfoReply, InfoResult } from '../../site/wire.ts'
import { CallView } from '../call-view.ts'
import { askInfo } from '../client.ts'
import { button, make } from '../make.ts'
import { agreeToDisclaimer, wallScreen } from '../walls.ts'
import { emit, emitJoinSpeed, makeRoots, root } from './events.ts'
import { words } from './i18n.ts'
import { type InfoFields, infoFields, type JoinArgs } from './info-fields.ts'
import { isLimited } from './limits.ts'
import { parameterFault } from './parameters.ts'
import { type Callbacks, fail, succeed } from './results.ts'
import { Session } from './session.ts'

const WRONG_PASSCODE = 3004
const NEEDS_REGISTRATION = 3099
const NOT_INITIALIZED = 2
const TOKENS_CONFLICT = 3636
const INVALID_PARAMETER = 4003
const UNREACHABLE = 1
const GENERAL = 1
const CONSOLE_LATER_MS = 200

type InitArgs = Callbacks & {
  readonly leaveUrl: string
  readonly webEndpoint?: string
  readonly isShowJoiningErrorDialog?: boolean
  readonly isSupportAV?: boolean
  readonly disableJoinAudio?: boolean
}

let config: InitArgs | null = null
let session: Session | null = null

export const currentSession = (): Session | null => session

export function init(args: InitArgs): void {
  makeRoots()
  config = args
  // Asynchronous, because the real SDK loads its chunks first.
  setTimeout(() => {
    emitJoinSpeed(0)
    succeed(args, 'init')
  }, 0)
}

export function join(args: JoinArgs): void {
  if (isLimited('join')) return
  if (!config) return void fail(args, 'join', 'Meeting not initialized.', NOT_INITIALIZED)
  if (args.zak && args.obfToken) return void fail(args, 'join', messageOf(TOKENS_CONFLICT), TOKENS_CONFLICT)
  emitJoinSpeed(1)
  emit('onMeetingStatus', { meetingStatus: 1 })
  const fault = parameterFault(args)
  if (fault === null) void enter(args, infoFields(args))
  else fail(args, 'join', fault, INVALID_PARAMETER)
}

async function enter(args: JoinArgs, fields: InfoFields): Promise<void> {
  const reply = await askInfo(config?.webEndpoint ?? 'zoom.us', fields).catch(() => null)
  // The SDK calls nothing back for these two and asks the user.
  if (reply?.errorCode === WRONG_PASSCODE) return askPasscode(args, fields)
  if (reply?.errorCode === NEEDS_REGISTRATION) return askToRegister()
  if (!reply?.result) return refuse(args, fields, reply)
  if (await isStopped(reply.result.options)) return
  session = new Session(reply.result, {
    words: words(),
    leaveUrl: config?.leaveUrl ?? location.origin,
    showsDialogs: config?.isShowJoiningErrorDialog !== false,
    joinsAudio: config?.isSupportAV !== false && !config?.disableJoinAudio,
    onSuccess: () => succeed(args, 'join'),
    onError: (code, message) => reportError(args, { code, message, joinErrors: reply.joinErrors }),
    reportsStatus: reply.joinErrors === 'callback',
  })
}

/** A block page or a stall calls nothing back. A disclaimer waits for the user. */
async function isStopped({ wall, stall, disclaimer }: InfoResult['options']): Promise<boolean> {
  const view = new CallView(words(), root())
  const screen = wallScreen(wall, words())
  if (screen) view.show(...screen)
  else if (stall !== 'white') view.showJoining()
  if (screen || stall !== 'none') return true
  if (disclaimer) await agreeToDisclaimer(words(), document.body, () => location.assign(config?.leaveUrl ?? '/'))
  return false
}

function askPasscode(args: JoinArgs, fields: InfoFields): void {
  const { wrongPasscode, meetingPasscode, join: joinWord } = words()
  const input = make('input', { id: 'input-for-pwd', type: 'password', placeholder: meetingPasscode }) as HTMLInputElement
  const again = () => void enter(args, { ...fields, passWord: input.value })
  const joinButton = button('passcode-join', joinWord, again, { class: 'preview-join-button' })
  new CallView(words(), root()).show(make('div', { class: 'preview-error', role: 'alert' }, wrongPasscode), input, joinButton)
}

function askToRegister(): void {
  new CallView(words(), root()).showText('Registration Meeting', 'Register')
}

function refuse(args: JoinArgs, fields: InfoFields, reply: InfoReply | null): void {
  const code = reply ? codeOf(reply) : UNREACHABLE
  const errorMessage = messageOf(code)
  if (config?.isShowJoiningErrorDialog !== false) showError(args, fields, reply ? errorMessage : null)
  const joinErrors = reply?.joinErrors ?? 'callback'
  reportError(args, { code, message: errorMessage, joinErrors, result: reply?.errorMessage })
  const codes = joinErrors === 'callback' ? { errorCode: code, detail: { errorCode: code, errorMessage } } : {}
  emit('onMeetingStatus', { meetingStatus: 3, ...codes })
}

/** The title is the same for every error. */
function showError(args: JoinArgs, fields: InfoFields, message: string | null): void {
  const { timeoutTitle, timeoutBody, ok, retry } = words()
  new CallView(words(), root()).dialog(timeoutTitle, message ?? timeoutBody, [
    { control: 'error-ok', text: ok, press: () => location.assign(config?.leaveUrl ?? '/') },
    { control: 'error-retry', text: retry, press: () => void enter(args, fields) },
  ])
}

type Failure = { readonly code: number; readonly message: string; readonly joinErrors: JoinErrors; readonly result?: unknown }

/** The SDK writes the code to the console too, and for some failures only there. */
function reportError(args: JoinArgs, { code, message, joinErrors, result = null }: Failure): void {
  const write = () => console.error(`join error code: ${code}`, message)
  const callBack = (errorCode: number, errorMessage: string) =>
    args.error?.({ method: 'join', status: false, errorCode, errorMessage, result })
  if (joinErrors !== 'general_callback') write()
  if (joinErrors === 'callback') callBack(code, message)
  if (joinErrors !== 'general_callback') return
  callBack(GENERAL, messageOf(GENERAL))
  setTimeout(write, CONSOLE_LATER_MS)
}
