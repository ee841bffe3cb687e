// Generates the dashboard's API client from the OpenAPI description: node scripts/web-client.ts http://127.0.0.1:4000
import { createClient } from '@hey-api/openapi-ts'

type Operation = { readonly operationId?: string; readonly responses?: Readonly<Record<string, unknown>> }
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>; readonly webhooks?: unknown }

/** The operations that the dashboard calls. */
const OPERATIONS = [
  ...['listBots', 'createBot', 'createRoom', 'getBotDetail', 'getBotSummary', 'removeBot', 'deleteBotData'],
  ...[
    'getAudio',
    'getVideo',
    'getRecordingStreams',
    'getAudioStreams',
    'getSpeakerTimeline',
    'getParticipants',
    'getChats',
    'getScreenshots',
  ],
  ...['sendMessage', 'sendImage', 'speak', 'takeScreenshot', 'pauseRecording', 'resumeRecording'],
  ...['getTranscript', 'transcribeBot', 'listTranscriptions'],
  ...['createWebhookEndpoint', 'listWebhookEndpoints', 'updateWebhookEndpoint', 'deleteWebhookEndpoint', 'rotateWebhookSecret'],
  ...['testWebhookEndpoint', 'replayWebhookEvents', 'listDeliveries', 'resendDelivery'],
  ...['listCalendarConnections', 'connectGoogleCalendar', 'connectOutlookCalendar', 'disconnectCalendarAccount', 'listCalendarEvents'],
  ...['scheduleEvent', 'unscheduleEvent', 'enableAutoSchedule', 'disableAutoSchedule', 'getAutoScheduleSettings'],
  ...['listGoogleLoginDomains', 'addGoogleLoginDomain', 'deleteGoogleLoginDomain', 'listTeamsLoginDomains', 'addTeamsLoginDomain'],
  ...['deleteTeamsLoginDomain', 'addGoogleLogin', 'updateGoogleLogin', 'deleteGoogleLogin'],
  ...['addTeamsLogin', 'updateTeamsLogin', 'deleteTeamsLogin'],
  ...['listSpeechProviders', 'setSpeechProviderKey', 'deleteSpeechProviderKey', 'getUsage', 'getSettings', 'updateSettings'],
]

export const WEB_CLIENT = 'web/src/api'

export async function writeWebClient(document: Document, folder: string): Promise<void> {
  await createClient({
    input: slim(document) as object as Record<string, unknown>,
    output: { path: folder, module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    parser: { filters: { orphans: false } },
    logs: { level: 'silent', file: false },
  })
}

/** Keeps the operations that the dashboard calls, without errors and 202 responses: these have one shape, which the dashboard parses itself. */
function slim(document: Document): Document {
  const { webhooks: _, paths, ...rest } = withoutTexts(document) as Document
  const wanted = Object.entries(paths).map(([path, operations]) => {
    const called = Object.entries(operations).filter(([, { operationId = '' }]) => OPERATIONS.includes(operationId))
    return [path, Object.fromEntries(called.map(([method, it]) => [method, withoutErrors(it)]))] as const
  })
  return { ...rest, paths: Object.fromEntries(wanted.filter(([, operations]) => Object.keys(operations).length > 0)) }
}

/** Removes texts, so that a better sentence does not change the client. A field that is called `description` stays. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, inner]) => !(TEXTS.includes(name) && typeof inner === 'string') && !(name === 'examples' && Array.isArray(inner)),
  )
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutTexts(inner)]))
}

const TEXTS = ['description', 'summary']

function withoutErrors(operation: Operation): Operation {
  const good = Object.entries(operation.responses ?? {}).filter(([status]) => Number(status) < 202)
  return { ...operation, responses: Object.fromEntries(good) }
}

const [, program, url] = process.argv
if (program === import.meta.filename) {
  const answer = await fetch(`${url}/api/v1/openapi.json`)
  await writeWebClient((await answer.json()) as Document, WEB_CLIENT)
}
