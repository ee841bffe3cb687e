// A caller's wish, carried out: every command that a bot in a meeting knows, as one table.
import type { MeetingCommand } from '../domain/meeting.ts'
import type { CommandProblem, VoiceEndpoint } from '../domain/protocol.ts'
import type { Outgoing } from '../kit/outgoing.ts'
import { sayAloud, UnknownVoice } from '../speech/voice.ts'
import type { Explain } from './explain.ts'
import { fetchPicture, Refused } from './outgoing/fetched.ts'
import type { Chat } from './own-chat.ts'
import type { Presence } from './presence.ts'
import type { Screenshots } from './screenshots.ts'
import type { BotWork } from './work.ts'

export type CommandTools = {
  readonly chat: Chat
  readonly presence: Presence
  readonly screenshots: Pick<Screenshots, 'take'>
  readonly recording: Pick<BotWork, 'whenBegun' | 'pause' | 'resume'>
  readonly outgoing: Outgoing
  readonly voice: VoiceEndpoint | null
  readonly explain: Explain
}

type Verbs = {
  readonly [Kind in MeetingCommand['kind']]: (tools: CommandTools, command: Extract<MeetingCommand, { kind: Kind }>) => Promise<void>
}

const VERBS: Verbs = {
  send_message: ({ chat }, { text }) => chat.write(text),
  send_image: async ({ presence, outgoing }, { url, seconds }) => presence.show(await fetchPicture(outgoing, url), seconds),
  speak: async ({ presence, voice: endpoint }, { text, voice, language }) =>
    presence.play(await sayAloud({ text, voice, language }, endpoint)),
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

/** Settles when it is done: null, or why it could not be. */
export async function perform<Kind extends MeetingCommand['kind']>(
  tools: CommandTools,
  command: Extract<MeetingCommand, { kind: Kind }>,
): Promise<CommandProblem | null> {
  try {
    await VERBS[command.kind as Kind](tools, command)
    return null
  } catch (error) {
    const told = tools.explain(error, { code: 'command_failed', message: `The bot could not carry out ${command.kind}.` })
    return { fault: error instanceof Refused || error instanceof UnknownVoice ? 'request' : 'bot', ...told }
  }
}
