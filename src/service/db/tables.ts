// Types of the tables, one for each table of migrations/.
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { LossReason } from '../../domain/absences.ts'
import type { BotSpec, Delivered, Evidence, JsonObject, Timeline } from '../../domain/bot.ts'
import type { ErrorReason } from '../../domain/errors.ts'
import type { Status } from '../../domain/lifecycle.ts'
import type { ParticipantAction } from '../../domain/participant-events.ts'
import type { Platform } from '../../domain/platforms.ts'
import type { Role } from '../../domain/roles.ts'
import type { Vendor } from '../../domain/speech-providers.ts'
import type { CalendarTables } from './calendar/tables.ts'
import type { PeopleTables } from './people-tables.ts'

type Json<Value extends object> = JSONColumnType<Value, string, string>

export type Tables = CalendarTables &
  PeopleTables & {
    workspaces: {
      id: string
      name: string
      balance: Generated<number>
      zoom_sdk_key: string | null
      zoom_sdk_secret: Buffer | null
      retention_hours: number | null
      created_at: Date
    }
    users: {
      id: string
      workspace_id: string
      email: string
      is_admin: Generated<boolean>
      person_id: string | null
      role: Generated<Role>
      created_at: Date
    }
    api_keys: {
      id: string
      workspace_id: string
      user_id: string | null
      name: string
      digest: Buffer
      hint: string | null
      made_by: string | null
      last_used_at: Date | null
      created_at: Date
      revoked_at: Date | null
    }
    credit_entries: {
      id: string
      workspace_id: string
      kind: 'grant' | 'usage' | 'refund'
      amount: number
      bot_id: string | null
      bot_seconds: number | null
      created_at: Date
    }
    login_domains: {
      platform: string
      domain: string
      workspace_id: string
      name: string | null
      login_mode: 'always' | 'if_required'
      created_at: Date
    }
    logins: {
      id: string
      platform: string
      domain: string
      workspace_id: string
      email: string
      secret: Buffer
      is_active: boolean
      last_error: string | null
      created_at: Date
    }
    secret_check: { only_row: Generated<boolean>; sealed: Buffer; made_at: Date }
    provider_keys: { workspace_id: string; vendor: Vendor; secret: Buffer; updated_at: Date }
    nodes: {
      id: string
      address: string
      key: string
      seats: number
      free_seats: number
      freed_seats: Generated<number>
      roles: Generated<string[]>
      draining: Generated<boolean>
      version: Generated<string>
      started_at: Date
      alive_until: Date
      holds_until: Generated<Date | null>
    }
    bots: {
      id: string
      workspace_id: string
      platform: Platform
      meeting_id: string
      meeting_url: string
      name: string
      status: Status
      message: string
      error_reason: ErrorReason | null
      created_at: Date
      join_at: Date | null
      started_at: Date | null
      in_meeting_at: Date | null
      ended_at: Date | null
      launch_at: Date | null
      fence: Generated<number>
      /** The holder; null: the bot waits for a seat. */
      node_id: string | null
      recorded_by: string | null
      lost_at: Date | null
      greeted_at: Date | null
      process_at: Date | null
      process_tries: Generated<number>
      process_failures: Generated<number>
      process_unfinished: Generated<number>
      process_given_up_at: Date | null
      delivered: JSONColumnType<Delivered> | null
      idempotency_key: string | null
      deduplication_key: string | null
      callback_url: string | null
      transcript_id: string | null
      login_id: string | null
      custom_attributes: Json<JsonObject>
      timeline: Json<Timeline>
      evidence: ColumnType<Evidence[], string | undefined, string>
      deletion_epoch: Generated<number>
      delete_at: Date | null
      erased_at: Date | null
      deleted_objects: Generated<number>
      request: Json<JsonObject>
      spec: Json<BotSpec>
    }
    participants: {
      bot_id: string
      id: string
      name: string
      is_host: boolean
      microphone_on: boolean
      camera_on: boolean
      joined_at: Date
      left_at: Date | null
      removed: Generated<boolean>
      speaking_ms: Generated<number>
      spoken_before_ms: Generated<number>
      spoken_fence: Generated<number>
      updated_at: Date
    }
    absences: { bot_id: string; from_at: Date; to_at: Date | null; reason: LossReason; counts: boolean }
    participant_events: {
      seq: Generated<number>
      bot_id: string
      action: ParticipantAction
      participant_id: string
      name: string
      is_host: boolean
      microphone_on: boolean
      camera_on: boolean
      at: Date
    }
    speaker_names: { bot_id: string; speaker_id: string; name: string }
    chat_messages: { seq: Generated<number>; bot_id: string; participant_id: string; name: string; text: string; at: Date }
    screenshots: { bot_id: string; at: Date; key: string }
    transcriptions: {
      id: string
      bot_id: string
      provider: string
      options: Json<JsonObject>
      status: 'Processing' | 'Success' | 'Failed'
      error: string | null
      words: Generated<number>
      callback_url: string | null
      completes_bot: boolean
      created_at: Date
      finished_at: Date | null
      due_at: Date | null
      failures: Generated<number>
      unfinished: Generated<number>
      recognised_words: number | null
    }
    bot_terms: { term: string; created_at: Date; bot_id: string }
    events: {
      id: string
      seq: Generated<number>
      workspace_id: string
      bot_id: string | null
      name: string
      body: string
      created_at: Date
      position: number | null
    }
    event_feeds: { workspace_id: string; position: number }
    webhook_endpoints: {
      id: string
      workspace_id: string
      url: string
      description: string | null
      events: string[]
      retry: 'none' | 'standard'
      secret: Buffer
      failing_since: Date | null
      disabled_at: Date | null
      disabled_reason: string | null
      created_at: Date
      updated_at: Date
    }
    deliveries: {
      seq: Generated<number>
      event_id: string
      workspace_id: string
      bot_id: string
      endpoint_id: string | null
      url: string
      receiver: string
      state: Generated<'queued' | 'sending' | 'delivered' | 'failed'>
      due_at: Date
      attempts: Generated<number>
      claimed_until: Date | null
      last_status: number | null
      last_error: string | null
      created_at: Date
      finished_at: Date | null
    }
    delivery_attempts: {
      delivery_seq: number
      number: number
      at: Date
      duration_ms: number
      http_status: number | null
      answer_head: string | null
      error: string | null
    }
  }
