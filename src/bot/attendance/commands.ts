// Executes callers' commands: one table of all commands that a bot in a meeting knows.
import { setTimeout as delay } from 'node:timers/promises'
import type { MeetingCommand } from '../../domain/meeting.ts'
import type { CommandProblem, VoiceEndpoint } from '../../domain/protocol.ts'
import type { HttpClient } from '../../kit/http-client.ts'
import { createSerialQueue } from '../../kit/serial-queue.ts'
import { synthesise, UnknownVoice } from '../../speech/text-to-speech.ts'
import { FetchRefused, fetchPicture } from '../outgoing/fetch-media.ts'
import type { BotAttendance } from './attendance.ts'
import type { Chat } from './own-chat.ts'
import type { Presence } from './presence.ts'
import type { Explain } from './problems.ts'
import type { Screenshots } from './screenshots.ts'
import type { SessionTools } from './session.ts'

export type CommandTools = {
  readonly chat: Chat
  readonly presence: Presence
  readonly screenshots: Pick<Screenshots, 'take'>
  readonly recording: Pick<BotAttendance, 'whenBegun' | 'pause' | 'resume'>
  readonly http: HttpClient
  readonly voice: VoiceEndpoint | null
  /** Plays speech in the order of its commands. */
  readonly serially: ReturnType<typeof createSerialQueue>
  /** A text that was accepted cannot be spoken. */
  readonly onSpeechFailed: (error: unknown) => void
  readonly explain: Explain
}

type Commands = {
  readonly [Kind in MeetingCommand['kind']]: (tools: CommandTools, command: Extract<MeetingCommand, { kind: Kind }>) => Promise<void>
}

/** Less than a caller waits. A voice that does not exist is refused sooner. */
const ACCEPTED_AFTER_MS = 3_000

const COMMANDS: Commands = {
  send_message: ({ chat }, { text }) => chat.write(text),
  send_image: async ({ presence, http }, { url, seconds }) => presence.show(await fetchPicture(http, url), seconds),
  async speak({ presence, voice: endpoint, serially, onSpeechFailed }, { text, voice, language }) {
    const clip = synthesise({ text, voice, language }, endpoint)
    // The turn ends when the clip is queued, so that it can be cleared with the rest of the queue.
    const queued = serially(async () => ({ playing: presence.play(await clip) }))
    await acceptedBy(Promise.all([clip, queued.then(({ playing }) => playing)]), onSpeechFailed)
  },
  async take_screenshot({ recording, screenshots }) {
    await recording.whenBegun()
    await screenshots.take()
  },
  async pause_recording({ recording }) {
    await recording.whenBegun()
    recording.pause()
  },
  async resume_recording({ recording }) {
    await recording.whenBegun()
    recording.resume()
  },
}

/** Resolves when the work is done or has not failed for a while: a long text takes longer to synthesise, or waits behind other audio. */
async function acceptedBy(attendance: Promise<unknown>, onLateFailure: (error: unknown) => void): Promise<void> {
  const accepted = Symbol('accepted')
  const late = delay(ACCEPTED_AFTER_MS, accepted, { ref: false })
  if ((await Promise.race([attendance, late])) === accepted) attendance.catch(onLateFailure)
}

type Tools = Omit<CommandTools, 'serially' | 'onSpeechFailed'> & { readonly failed: SessionTools['failed'] }

/** The commands of one bot. */
export function createCommands({ failed, ...tools }: Tools): (command: MeetingCommand) => Promise<CommandProblem | null> {
  const onSpeechFailed = (error: unknown): void => {
    const { message, code } = tools.explain(error, { code: 'speech_failed', message: 'A text that was accepted could not be spoken.' })
    void failed('speak', message, code)
  }
  const whole = { ...tools, serially: createSerialQueue(), onSpeechFailed }
  return (command) => perform(whole, command)
}

/** Resolves with null when the command is executed, otherwise with the reason. */
export async function perform<Kind extends MeetingCommand['kind']>(
  tools: CommandTools,
  command: Extract<MeetingCommand, { kind: Kind }>,
): Promise<CommandProblem | null> {
  try {
    await COMMANDS[command.kind as Kind](tools, command)
    return null
  } catch (error) {
    const problem = tools.explain(error, { code: 'command_failed', message: `The bot could not execute ${command.kind}.` })
    return { fault: error instanceof FetchRefused || error instanceof UnknownVoice ? 'request' : 'bot', ...problem }
  }
}
