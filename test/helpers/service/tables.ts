// Tables and columns that only tests read and write by the query builder.
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { LossReason } from '../../../src/domain/absences.ts'
import type { BotSpec, Delivered, Evidence, JsonObject } from '../../../src/domain/bot.ts'
import type { Platform } from '../../../src/domain/platforms.ts'
import type { Role } from '../../../src/domain/roles.ts'
import type { Vendor } from '../../../src/domain/speech-providers.ts'
import type { Tables } from '../../../src/service/db/tables.ts'

type Json<Value extends object> = JSONColumnType<Value, string, string>

export type TestTables = Tables & {
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
    workspace_id: string
    platform: Platform
    meeting_id: string
    meeting_url: string
    name: string
    created_at: Date
    join_at: Date | null
    started_at: Date | null
    fence: Generated<number>
    /** The holder; null: the bot waits for a seat. */
    node_id: string | null
    recorded_by: string | null
    greeted_at: Date | null
    is_paused: Generated<boolean>
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
    evidence: ColumnType<Evidence[], string | undefined, string>
    deletion_epoch: Generated<number>
    erased_at: Date | null
    deleted_objects: Generated<number>
    request: Json<JsonObject>
    spec: Json<BotSpec>
  }
  absences: { bot_id: string; from_at: Date; to_at: Date | null; reason: LossReason; counts: boolean }
  speaker_names: { bot_id: string; speaker_id: string; name: string }
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
    seq: Generated<number>
    workspace_id: string
    body: string
    created_at: Date
    position: number | null
  }
  webhook_endpoints: {
    created_at: Date
  }
  deliveries: {
    receiver: string
    attempts: Generated<number>
    claimed_until: Date | null
    last_status: number | null
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
