// Workspaces in the operator's API.
import Type from 'typebox'
import { Line, Moment } from '../schema.ts'

export const params = Type.Object({ id: Type.String() })

export const Name = Line({ minLength: 1, maxLength: 200 })

export const Workspace = Type.Object({ workspace_id: Type.String(), name: Type.String(), balance: Type.Number(), created_at: Moment })
