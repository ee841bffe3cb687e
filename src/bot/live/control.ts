// The control socket: the caller's server tells the bot what to say and to show, and hears the meeting's chat.
import type { Lookup } from '../../kit/outgoing-guard.ts'
import type { Explain } from '../explain.ts'
import { CommandQueue, type Perform } from './command-queue.ts'
import { type Command, readCommand } from './control-command.ts'
import { openSocket, type Socket } from './socket.ts'

type ControlOptions = {
  readonly url: string
  readonly botId: string
  readonly allowPrivate: boolean
  readonly perform: Perform
  readonly onProblem: (message: string) => void
  readonly explain: Explain
  readonly lookup?: Lookup
}

export type Control = {
  tellChat(said: { readonly message: string; readonly speaker: string }): void
  end(): Promise<void>
}

/** Twice the largest image in base64: one that is only somewhat too large is answered instead of ending the connection. */
const LARGEST_MESSAGE_BYTES = 28 * 1024 * 1024

export function startControl({ botId, perform, ...options }: ControlOptions): Control {
  const complain = (command: string | null, message: string): void => {
    socket.send(JSON.stringify({ type: 'error', command, message }))
  }
  const queue = new CommandQueue({
    perform,
    onFailed(kind: Command['kind'], error) {
      const { message } = options.explain(error, { code: 'command_failed', message: 'the bot could not carry it out' })
      options.onProblem(`The command ${kind} failed: ${message}`)
      complain(kind, 'The bot could not carry this out.')
    },
  })
  const socket: Socket = openSocket({
    ...options,
    hello: () => JSON.stringify({ type: 'ready', bot_id: botId }),
    largestMessageBytes: LARGEST_MESSAGE_BYTES,
    onMessage(text) {
      const reading = readCommand(text, options)
      if (reading.kind === 'broken') complain(reading.command, reading.message)
      else if (reading.kind === 'command' && !queue.take(reading.command))
        complain(reading.command.kind, 'Too many commands are waiting; this one is dropped.')
    },
  })
  return {
    tellChat: ({ message, speaker }) => void socket.send(JSON.stringify({ command: 'usermsg', message, speaker })),
    async end() {
      queue.end()
      await socket.end()
    },
  }
}
