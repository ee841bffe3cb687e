// The control socket: the caller's server sends commands to the bot and receives the meeting's chat.
import { openSocket, type Socket } from '../../kit/reconnecting-socket.ts'
import type { Explain } from '../attendance/problems.ts'
import { type CommandActions, CommandQueue } from './command-queue.ts'
import { type Command, readCommand } from './control-command.ts'

type ControlOptions = {
  readonly url: string
  readonly botId: string
  readonly allowPrivate: boolean
  readonly perform: CommandActions
  readonly onProblem: (message: string) => void
  readonly explain: Explain
}

export type Control = ReturnType<typeof startControl>

/** Twice the largest image in base64, so that a somewhat larger one gets an error and does not end the connection. */
const LARGEST_MESSAGE_BYTES = 28 * 1024 * 1024

export function startControl({ botId, perform, ...options }: ControlOptions) {
  const sendError = (command: string | null, message: string): void => {
    socket.send(JSON.stringify({ type: 'error', command, message }))
  }
  const queue = new CommandQueue({
    perform,
    onFailed(kind: Command['kind'], error) {
      const { message } = options.explain(error, { code: 'command_failed', message: 'the bot could not execute it' })
      options.onProblem(`The command ${kind} failed: ${message}`)
      sendError(kind, 'The bot could not execute this command.')
    },
  })
  const socket: Socket = openSocket({
    ...options,
    hello: () => JSON.stringify({ type: 'ready', bot_id: botId }),
    largestMessageBytes: LARGEST_MESSAGE_BYTES,
    onMessage(text) {
      const reading = readCommand(text, options)
      if (reading.kind === 'invalid') sendError(reading.command, reading.message)
      else if (reading.kind === 'command' && !queue.enqueue(reading.command))
        sendError(reading.command.kind, 'Too many commands are waiting, so this one is dropped.')
    },
  })
  return {
    sendChat: ({ message, speaker }: { readonly message: string; readonly speaker: string }): void =>
      void socket.send(JSON.stringify({ command: 'usermsg', message, speaker })),
    async end(): Promise<void> {
      queue.end()
      await socket.end()
    },
  }
}
