// Executes callers' commands: one table of all commands that a bot in a meeting knows.
import type { MeetingCommand } from '../domain/meeting.ts'
import type { CommandProblem, VoiceEndpoint } from '../domain/protocol.ts'
import type { HttpClient } from '../kit/http-client.ts'
import { synthesise, UnknownVoice } from '../speech/text-to-speech.ts'
import type { Explain } from './explain.ts'
import { FetchRefused, fetchPicture } from './outgoing/fetch-media.ts'
import type { Chat } from './own-chat.ts'
import type { Presence } from './presence.ts'
import type { Screenshots } from './screenshots.ts'
import type { BotWork } from './work.ts'

export type CommandTools = {
  readonly chat: Chat
  readonly presence: Presence
  readonly screenshots: Pick<Screenshots, 'take'>
  readonly recording: Pick<BotWork, 'whenBegun' | 'pause' | 'resume'>
  readonly http: HttpClient
  readonly voice: VoiceEndpoint | null
  readonly explain: Explain
}

type Commands = {
  readonly [Kind in MeetingCommand['kind']]: (tools: CommandTools, command: Extract<MeetingCommand, { kind: Kind }>) => Promise<void>
}

const COMMANDS: Commands = {
  send_message: ({ chat }, { text }) => chat.write(text),
  send_image: async ({ presence, http }, { url, seconds }) => presence.show(await fetchPicture(http, url), seconds),
  speak: async ({ presence, voice: endpoint }, { text, voice, language }) =>
    presence.play(await synthesise({ text, voice, language }, endpoint)),
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
