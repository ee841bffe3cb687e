// Types of the calendar tables of migration 0005.
import type { Generated, JSONColumnType } from 'kysely'
import type { JsonObject } from '../../../domain/bot.ts'
import type { CalendarProvider } from '../../../domain/calendar.ts'

type Json<Value extends object> = JSONColumnType<Value, string, string>

export type CalendarTables = {
  calendar_connections: {
    id: string
    workspace_id: string
    user_id: string
    provider: CalendarProvider
    email: string
    secret: Buffer
    state: 'connected' | 'revoked' | 'disconnected'
    last_error: string | null
    bot_config: Json<JsonObject>
    next_sync_at: Date | null
    claimed_until: Date | null
    fence: Generated<number>
    failures: Generated<number>
    synced_at: Date | null
    planned_until: Date | null
    created_at: Date
  }
  calendars: {
    id: string
    connection_id: string
    platform_id: string
    summary: string
    is_primary: boolean
    is_own: boolean
    time_zone: string
    sync_token: string | null
    window_until: Date | null
    run: Generated<number>
    channel_id: string | null
    channel_resource: string | null
    channel_digest: Buffer | null
    channel_until: Date | null
    created_at: Date
  }
  calendar_events: {
    id: string
    workspace_id: string
    user_id: string
    calendar_id: string
    platform_id: string
    ical_uid: string | null
    kind: 'single' | 'master' | 'occurrence'
    master_platform_id: string | null
    original_start: Date | null
    is_derived: boolean
    occurrence_key: string
    title: string
    start_at: Date
    end_at: Date
    is_all_day: boolean
    time_zone: string
    recurrence: string[]
    recurring_enabled: Generated<boolean>
    expanded_until: Date | null
    is_deleted: boolean
    is_declined: boolean
    meeting_url: string | null
    meeting_platform: string | null
    meeting_key: string | null
    changed_at: Date
    raw: Json<JsonObject>
    run: number
    wish: 'bot' | 'none' | null
    wished_at: Date | null
    wish_config: JSONColumnType<JsonObject | null, string | null, string | null>
    wish_from: Date | null
    wish_until: Date | null
    created_at: Date
    updated_at: Date
  }
  calendar_schedules: {
    id: string
    workspace_id: string
    event_id: string
    occurrence_key: string
    meeting_key: string
    start_at: Date
    bot_id: string
    created_at: Date
    released_at: Date | null
  }
  calendar_settings: { user_id: string; auto_schedule: boolean; default_bot_config: Json<JsonObject>; updated_at: Date }
}
