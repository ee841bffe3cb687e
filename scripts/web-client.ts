// Makes the dashboard's client of the API from the published description: node scripts/web-client.ts http://127.0.0.1:4000
import { createClient } from '@hey-api/openapi-ts'

type Operation = { readonly operationId?: string; readonly responses?: Readonly<Record<string, unknown>> }
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>; readonly webhooks?: unknown }

/** What the dashboard calls. */
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

/** Errors and the 202 of what is not ready have one shape, which the page reads itself. */
function slim(document: Document): Document {
  const { webhooks: _, paths, ...rest } = wordless(document) as Document
  const wanted = Object.entries(paths).map(([path, operations]) => {
    const called = Object.entries(operations).filter(([, { operationId = '' }]) => OPERATIONS.includes(operationId))
    return [path, Object.fromEntries(called.map(([method, it]) => [method, withoutErrors(it)]))] as const
  })
  return { ...rest, paths: Object.fromEntries(wanted.filter(([, operations]) => Object.keys(operations).length > 0)) }
}

/** Texts are for readers of the description: a better sentence makes no other client. A field may be called description, too. */
function wordless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wordless)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, inner]) => !(TEXTS.includes(name) && typeof inner === 'string') && !(name === 'examples' && Array.isArray(inner)),
  )
  return Object.fromEntries(kept.map(([name, inner]) => [name, wordless(inner)]))
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
