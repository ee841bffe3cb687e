// Types of the tables that the query builder reads and writes. Statements in SQL have the types of their rows beside them.
import type { Generated, JSONColumnType } from 'kysely'
import type { Timeline } from '../../domain/bot.ts'
import type { ErrorReason } from '../../domain/errors.ts'
import type { Status } from '../../domain/lifecycle.ts'

type Json<Value extends object> = JSONColumnType<Value, string, string>

export type Tables = {
  bots: {
    id: string
    status: Status
    message: string
    error_reason: ErrorReason | null
    in_meeting_at: Date | null
    ended_at: Date | null
    launch_at: Date | null
    lost_at: Date | null
    process_at: Date | null
    timeline: Json<Timeline>
    delete_at: Date | null
  }
  events: {
    id: string
    bot_id: string | null
    name: string
  }
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
    updated_at: Date
  }
  deliveries: {
    seq: Generated<number>
    event_id: string
    workspace_id: string
    bot_id: string
    endpoint_id: string | null
    url: string
    state: Generated<'queued' | 'sending' | 'delivered' | 'failed'>
    due_at: Date
    last_error: string | null
    created_at: Date
    finished_at: Date | null
  }
}
