// Usage and settings of a workspace in API requests and answers.
import Type from 'typebox'
import { Nullable } from '../schema.ts'

export const Usage = Type.Object({
  balance: Type.Number(),
  currency: Type.String(),
  bots: Type.Integer(),
  bot_seconds: Type.Integer(),
  cost: Type.Number(),
  by_day: Type.Array(Type.Object({ day: Type.String(), bots: Type.Integer(), bot_seconds: Type.Integer(), cost: Type.Number() })),
})

export const Settings = Type.Object({
  zoom_sdk_key: Nullable(Type.String({ description: 'The workspace’s Zoom app. If null, the server’s app is used.' })),
  zoom_sdk_secret_set: Type.Boolean({ description: 'Whether a secret is set. The secret itself is never shown.' }),
})
