// POST /bots/{bot_id}/<command>: commands to a bot in a meeting. The bot confirms a command before the caller gets 200.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import Type, { type TObject } from 'typebox'
import type { Bot } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { PRESENT } from '../../../domain/lifecycle.ts'
import type { MeetingCommand } from '../../../domain/meeting.ts'
import { type CommandName, hasCommand, PLATFORMS } from '../../../domain/platforms.ts'
import { newId } from '../../../kit/id.ts'
import { notInMeeting } from '../../fleet/bot/remove.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idempotencyHeaders, idempotencyKeyIn } from '../http/idempotency-key.ts'
import { limitReached } from '../http/rate-limit.ts'
import { type UrlRules, urlRules } from '../http/url-rules.ts'
import { BotParams, Line, operationsOf, problems, Url } from '../schema.ts'
import { keptBotIn, ownBotIn } from './find-bot.ts'
import { CommandAccepted } from './schema.ts'

const operation = operationsOf('In the meeting')

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Word = (maxLength: number) => Line({ minLength: 1, maxLength })

type CommandRow = { readonly summary: string; readonly operationId: string; readonly body?: TObject; readonly limited?: boolean }

const ROWS: Readonly<Record<CommandName, CommandRow>> = {
  send_message: { summary: 'Post a chat message', operationId: 'sendMessage', body: Type.Object({ message: Text(4000) }) },
  send_image: {
    summary: 'Show an image as the bot’s video',
    operationId: 'sendImage',
    body: Type.Object({
      img_url: Url('The image.', { minLength: 1, maxLength: 4096 }),
      display_duration: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 86_400 })),
    }),
  },
  speak: {
    summary: 'Say a text aloud',
    operationId: 'speak',
    body: Type.Object({ text: Text(4000), voice: Type.Optional(Word(100)), language: Type.Optional(Word(35)) }),
  },
  take_screenshot: { summary: 'Take a screenshot now', operationId: 'takeScreenshot' },
  pause_recording: { summary: 'Pause the recording', operationId: 'pauseRecording', limited: true },
  resume_recording: { summary: 'Resume the recording', operationId: 'resumeRecording', limited: true },
}

type Bodies = {
  readonly send_message: { readonly message: string }
  readonly send_image: { readonly img_url: string; readonly display_duration?: number }
  readonly speak: { readonly text: string; readonly voice?: string; readonly language?: string }
}

/** Turns each request body into a command. The body has passed the schema of the same name. */
const COMMANDS: Readonly<Record<CommandName, (body: unknown, urls: UrlRules) => MeetingCommand>> = {
  send_message(body) {
    const { message } = body as Bodies['send_message']
    if (message.trim() === '') throw invalid('message must not be blank.')
    return { kind: 'send_message', text: message }
  },
  send_image(body, urls) {
    const { img_url, display_duration } = body as Bodies['send_image']
    return { kind: 'send_image', url: urls.file('img_url', img_url) ?? img_url, seconds: display_duration ?? null }
  },
  speak(body) {
    const { text, voice, language } = body as Bodies['speak']
    return { kind: 'speak', text, voice: voice ?? null, language: language ?? null }
  },
  take_screenshot: () => ({ kind: 'take_screenshot' }),
  pause_recording: () => ({ kind: 'pause_recording' }),
  resume_recording: () => ({ kind: 'resume_recording' }),
}

const KEYED_ID_LENGTH = 26

/** The specification's limit: pause and resume share 30 requests a minute per bot. */
const PAUSES_PER_MINUTE = { max: 30, timeWindow: 60_000, keyGenerator: botKey }

const CommandHeaders = idempotencyHeaders(
  'A key that is repeated for the same bot and command within a minute executes nothing and gives the first answer again.',
  'greet-ada',
)

const REFUSALS = ['unsupported_command', 'bot_not_found', 'not_in_meeting', 'bot_unreachable'] as const

export function commandRoutes(app: Api, deps: ApiDeps): void {
  const countPause = app.createRateLimit(PAUSES_PER_MINUTE)
  const urls = urlRules(deps.config.ALLOW_INSECURE_URLS)

  async function limitPauses(request: FastifyRequest): Promise<void> {
    const count = await countPause(request)
    if (!count.isAllowed && count.isExceeded) throw limitReached(count.max, count.ttl)
  }

  for (const [command, row] of Object.entries(ROWS) as [CommandName, CommandRow][]) {
    const { summary, operationId, body, limited } = row
    const schema = operation(operationId, summary, {
      params: BotParams,
      headers: CommandHeaders,
      ...(body && { body }),
      response: { 200: CommandAccepted, ...problems(...REFUSALS, ...(limited ? (['wrong_bot_owner'] as const) : [])) },
    })
    app.post(`/bots/:bot_id/${command}`, { schema, ...(limited && { preHandler: limitPauses }) }, async (request) => {
      const bot = await (limited ? ownBotIn : keptBotIn)(request, deps)
      checkPossible(bot, command)
      const commandId = commandIdOf(bot, command, idempotencyKeyIn(request))
      const problem = await deps.botRequests.perform(bot.id, commandId, COMMANDS[command](request.body, urls))
      if (problem)
        throw new ServiceError(problem.fault === 'request' ? 'invalid' : 'bot_unreachable', problem.message, { code: problem.code })
      return { status: 'accepted' as const, bot_id: bot.id, command, command_id: commandId }
    })
  }
}

function checkPossible(bot: Bot, command: CommandName): void {
  if (!hasCommand(bot.platform, command)) {
    throw new ServiceError('unsupported_command', `${command} is not supported on ${PLATFORMS[bot.platform].label}.`, {
      code: 'unsupported_command',
    })
  }
  if (!PRESENT.has(bot.status)) throw notInMeeting(bot)
}

/** A command with a key has the same id on every node. */
function commandIdOf(bot: Bot, command: CommandName, key: string | null): string {
  if (key === null) return newId('cmd', new Date())
  return `cmd_${createHash('sha256')
    .update(JSON.stringify([bot.id, command, key]))
    .digest('hex')
    .slice(0, KEYED_ID_LENGTH)}`
}

/** Includes the workspace, so that another workspace's requests do not use up the owner's limit. */
function botKey(request: FastifyRequest): string {
  return `${callerOf(request).workspaceId} ${(request.params as { bot_id: string }).bot_id}`
}
