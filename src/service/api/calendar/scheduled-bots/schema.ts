// Scheduled bots in API requests and answers.
import Type from 'typebox'
import { AutomaticLeave } from '../../bots/create/schema.ts'
import { Attributes, Line, Moment, NewAttributes } from '../../schema.ts'

export const ScheduledBot = Type.Object({
  bot_id: Type.String(),
  platform: Type.String(),
  status: Type.String(),
  scheduled_join_time: Moment,
  custom_attributes: Type.Unsafe<Record<string, unknown>>({
    ...Attributes,
    description: 'Also has source, event_id and deduplication_key as strings, which are empty if the bot has none.',
  }),
  bot_username: Type.String(),
  meeting_link: Type.String(),
  is_scheduled: Type.Boolean(),
})

export const RescheduleBody = Type.Object({
  scheduled_join_time: Type.Optional(
    Type.String({ description: 'ISO 8601 with an offset: YYYY-MM-DDTHH:mm:ss+HH:MM. Required if no other field is given.' }),
  ),
  bot_username: Type.Optional(Line({ minLength: 1, maxLength: 100 })),
  custom_attributes: Type.Optional(NewAttributes),
  automatic_leave: Type.Optional(AutomaticLeave),
})

export const Rescheduled = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  bot_id: Type.String(),
  scheduled_join_time: Moment,
  updated_fields: Type.Array(Type.String()),
  schedule_updated: Type.Boolean(),
})
