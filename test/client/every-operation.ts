// A program of a client that uses every operation. Type-checked, and run in part, with a client generated from the published description.
import * as api from './generated/index.ts'

const bot_id = 'bot_01kabcdefghjkmnpqrstvwxyz0'
const bot = { path: { bot_id } }
const event = { path: { event_id: 'evt_01kabcdefghjkmnpqrstvwxyz0' } }
const endpoint = { path: { endpoint_id: 'whe_01kabcdefghjkmnpqrstvwxyz0' } }
const domain = { path: { domain: 'example.com' } }
const login = { path: { login_id: 'lgn_01kabcdefghjkmnpqrstvwxyz0' } }
const google = { google_client_id: 'id', google_client_secret: 'secret', google_refresh_token: 'token' }
const microsoft = { microsoft_client_id: 'id', microsoft_client_secret: 'secret', microsoft_refresh_token: 'token' }
const key = { sso_private_key_pem: 'key', sso_cert_pem: 'certificate' }

export const bots = (): readonly Promise<unknown>[] => [
  api.createBot({
    body: {
      meeting_link: 'https://meet.google.com/abc-defg-hij',
      bot_name: 'Note taker',
      automatic_leave: { waiting_room_timeout: 300, bot_detection: { using_participant_names: { matches: ['bot'] } } },
      recording_config: {
        transcript: { provider: { deepgram: { model: 'nova-3' } } },
        realtime_endpoints: [{ type: 'webhook', url: 'https://example.com/live', events: ['participant_events.join'] }],
        retention: { hours: 24 },
      },
      google_meet: { google_login_domain: 'example.com' },
    },
    headers: { 'Idempotency-Key': 'monday-standup' },
  }),
  api.listBots({ query: { platform: 'GMeet', limit: 10, custom_attr: { tag: 'sales' } } }),
  api.getBotStatus(bot),
  api.getBotDetail({ ...bot, query: { expires_in: 600 } }),
  api.getBotSummary(bot),
  api.removeBot(bot),
  api.deleteBotData(bot),
  api.sendMessage({ ...bot, body: { message: 'Hello' } }),
  api.sendImage({ ...bot, body: { img_url: 'https://example.com/x.png', display_duration: 5 } }),
  api.speak({ ...bot, body: { text: 'Hello', language: 'en' } }),
  api.takeScreenshot(bot),
  api.pauseRecording(bot),
  api.resumeRecording(bot),
]

export const recordings = (): readonly Promise<unknown>[] => [
  api.getAudio({ ...bot, query: { format: 'mp3' } }),
  api.getVideo(bot),
  api.getRecordingStreams(bot),
  api.getAudioStreams(bot),
  api.getSpeakerTimeline(bot),
  api.getParticipants(bot),
  api.getChats(bot),
  api.getScreenshots(bot),
  api.readMedia({ path: { token: 'token', file_name: 'audio.m4a' } }),
  api.getTranscript({ path: { transcript_id: 'trn_1' }, query: { format: 'vtt' } }),
  api.transcribeBot({ ...bot, body: { provider: 'native' } }),
  api.listTranscriptions(bot),
]

export const calendars = (): readonly Promise<unknown>[] => [
  api.connectGoogleCalendar({ body: { ...google, bot_name: 'Note taker' } }),
  api.connectOutlookCalendar({ body: microsoft }),
  api.listCalendars(),
  api.listCalendarConnections(),
  api.disconnectCalendarAccount({ path: { provider: 'google', account_id: 'cal_1' }, query: { purge_events: false } }),
  api.disconnectCalendar({ body: { provider: 'outlook' } }),
  api.disconnectCalendarByDelete({ body: { provider: 'microsoft' } }),
  api.listCalendarEvents({ query: { sync: true, limit: 5 } }),
  api.scheduleEvent({ ...event, body: { bot_config: { bot_name: 'Note taker', zoom: {} }, schedule_all_occurrences: true } }),
  api.unscheduleEvent({ ...event, body: { cancel_all_occurrences: true } }),
  api.toggleRecurrence({ body: { event_id: 'evt_1', recurring_enabled: true } }),
  api.enableAutoSchedule({ body: { default_bot_config: { transcription: { deepgram: {} } } } }),
  api.disableAutoSchedule({ body: {} }),
  api.getAutoScheduleSettings(),
  api.listScheduledBots({ query: { limit: 10 } }),
  api.rescheduleBot({ ...bot, body: { scheduled_join_time: '2026-12-01T09:00:00+01:00' } }),
  api.cancelScheduledBot(bot),
]

export const webhooks = (): readonly Promise<unknown>[] => [
  api.createWebhookEndpoint({ body: { url: 'https://example.com/hooks', events: ['bot.stopped', 'bot.done'], retry: 'standard' } }),
  api.listWebhookEndpoints(),
  api.getWebhookEndpoint(endpoint),
  api.updateWebhookEndpoint({ ...endpoint, body: { enabled: false } }),
  api.deleteWebhookEndpoint(endpoint),
  api.rotateWebhookSecret(endpoint),
  api.testWebhookEndpoint(endpoint),
  api.replayWebhookEvents({ ...endpoint, body: { from: '2026-11-15T09:00:00Z', to: '2026-11-15T10:00:00Z' } }),
  api.listDeliveries({ query: { status: 'delivered' } }),
  api.resendDelivery({ path: { delivery_id: 'dlv_1' } }),
  api.listEvents({ query: { cursor: 'cursor' } }),
]

export const account = (): readonly Promise<unknown>[] => [
  api.createRoom({ body: { name: 'stand-up' } }),
  api.listSpeechProviders(),
  api.setSpeechProviderKey({ path: { vendor: 'deepgram' }, body: { api_key: 'key' } }),
  api.deleteSpeechProviderKey({ path: { vendor: 'deepgram' } }),
  api.getUsage({ query: { from: '2026-11-01' } }),
  api.getSettings(),
  api.updateSettings({ body: { zoom_sdk_key: null, zoom_sdk_secret: null } }),
  api.updateSettings({ body: { teams_bot_tenant: null, teams_bot_client_id: null, teams_bot_client_secret: null } }),
  api.getZakToken(),
  api.getObfToken(),
  api.getHealth(),
  api.getReadiness(),
  api.createWorkspace({ body: { name: 'Acme', user_email: 'ada@example.com' } }),
  api.listWorkspaces(),
  api.addCredits({ path: { id: 'wsp_1' }, body: { amount: 10 } }),
  api.createKey({ path: { id: 'wsp_1' }, body: { name: 'laptop' } }),
  api.revokeKey({ path: { key_id: 'key_1' } }),
]

export const logins = (): readonly Promise<unknown>[] => [
  api.addGoogleLoginDomain({ body: { sso_workspace_domain: 'example.com', login_mode: 'if_required' } }),
  api.listGoogleLoginDomains(),
  api.getGoogleLoginDomain(domain),
  api.updateGoogleLoginDomain({ ...domain, body: { name: 'Acme' } }),
  api.deleteGoogleLoginDomain(domain),
  api.addTeamsLoginDomain({ body: { domain: 'example.com' } }),
  api.listTeamsLoginDomains(),
  api.getTeamsLoginDomain(domain),
  api.updateTeamsLoginDomain({ ...domain, body: { login_mode: 'always' } }),
  api.deleteTeamsLoginDomain(domain),
  api.addGoogleLogin({ body: { domain: 'example.com', email: 'bot1@example.com', ...key } }),
  api.listGoogleLogins(),
  api.getGoogleLogin(login),
  api.updateGoogleLogin({ ...login, body: { is_active: false } }),
  api.deleteGoogleLogin(login),
  api.addTeamsLogin({ body: { domain: 'example.com', email: 'bot1@example.com', password: 'password' } }),
  api.listTeamsLogins(),
  api.getTeamsLogin(login),
  api.updateTeamsLogin({ ...login, body: { password: 'password' } }),
  api.deleteTeamsLogin(login),
]

/** Other paths of the same operations. */
export const aliases = (): readonly Promise<unknown>[] => [
  api.listScheduledBotsAtSchedule(),
  api.listScheduledBotsAtScheduledBots(),
  api.cancelScheduledBotAtScheduled(bot),
  api.listCalendarsAtCalendars(),
  api.listCalendarEventsAtList(),
  api.listScheduledBotsWithoutPrefix(),
  api.listScheduledBotsAtScheduleWithoutPrefix(),
  api.listScheduledBotsAtScheduledBotsWithoutPrefix(),
  api.rescheduleBotWithoutPrefix({ ...bot, body: { scheduled_join_time: '2026-12-01T09:00:00+01:00' } }),
  api.cancelScheduledBotWithoutPrefix(bot),
  api.cancelScheduledBotAtScheduledWithoutPrefix(bot),
  api.connectGoogleCalendarWithoutPrefix({ body: google }),
  api.connectOutlookCalendarWithoutPrefix({ body: microsoft }),
  api.listCalendarsWithoutPrefix(),
  api.listCalendarsAtCalendarsWithoutPrefix(),
  api.listCalendarConnectionsWithoutPrefix(),
  api.disconnectCalendarAccountWithoutPrefix({ path: { provider: 'google', account_id: 'cal_1' } }),
  api.disconnectCalendarWithoutPrefix({ body: {} }),
  api.disconnectCalendarByDeleteWithoutPrefix({ body: {} }),
  api.listCalendarEventsWithoutPrefix(),
  api.listCalendarEventsAtListWithoutPrefix(),
  api.scheduleEventWithoutPrefix({ ...event, body: {} }),
  api.unscheduleEventWithoutPrefix({ ...event, body: {} }),
  api.toggleRecurrenceWithoutPrefix({ body: { event_id: 'evt_1', recurring_enabled: true } }),
  api.enableAutoScheduleWithoutPrefix({ body: {} }),
  api.disableAutoScheduleWithoutPrefix({ body: {} }),
  api.getAutoScheduleSettingsWithoutPrefix(),
]

/** Reads a webhook by its payload's type. */
export function outcomeOf(payload: api.Event): string {
  if (payload.event === 'bot.stopped') return `${payload.bot_event}: ${payload.bot_status}`
  return payload.event === 'participant_events.chat_message' ? payload.data.data.data.text : payload.event
}

/** What the types refuse, as the service does. */
export const refused = (): readonly Promise<unknown>[] => [
  // @ts-expect-error meeting_link is required
  api.createBot({ body: { bot_name: 'Note taker' } }),
  // @ts-expect-error a wait is a number
  api.createBot({ body: { meeting_link: 'x', automatic_leave: { waiting_room_timeout: '300' } } }),
  // @ts-expect-error there is no such platform
  api.listBots({ query: { platform: 'gmeet' } }),
  // @ts-expect-error there is no such event
  api.createWebhookEndpoint({ body: { url: 'https://example.com', events: ['bot.exploded'] } }),
  // @ts-expect-error the bot has to be named
  api.getBotDetail({}),
]
