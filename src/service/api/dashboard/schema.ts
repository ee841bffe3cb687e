// Requests and answers of the dashboard's API, and the messages of its streams, whose types the dashboard imports.
import Type, { type Static } from 'typebox'
import { ROLES } from '../../../domain/roles.ts'
import { Line, Moment, NamedObject, Nullable } from '../schema.ts'

/** The maximum bounds the cost of hashing. */
const Password = Type.String({ minLength: 10, maxLength: 200 })
const Email = Type.String({ format: 'email', maxLength: 254 })
const Name = Line({ minLength: 1, maxLength: 200 })
const Role = Type.Enum([...ROLES])

/** What the request has done. */
export const Done = NamedObject('Done', { message: Type.String() })

export const SignIn = Type.Object({ email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 200 }) })
export const PasswordChange = Type.Object({ current_password: Type.String({ maxLength: 200 }), new_password: Password })

export const SessionAnswer = NamedObject('Session', {
  csrf_token: Type.String(),
  person: Type.Object({ name: Type.String(), email: Type.String() }),
  is_operator: Type.Boolean({ description: 'true for owners of the first workspace of this installation, who may see its fleet.' }),
  workspaces: Type.Array(Type.Object({ workspace_id: Type.String(), name: Type.String(), role: Role, user_id: Type.String() })),
})
export type SessionAnswer = Static<typeof SessionAnswer>

export const SessionList = NamedObject('SessionList', {
  sessions: Type.Array(
    Type.Object({
      session_id: Type.String(),
      user_agent: Type.String(),
      is_current: Type.Boolean(),
      created_at: Moment,
      last_seen_at: Moment,
    }),
  ),
})

export const LinkToken = Type.Object({ token: Type.String({ maxLength: 200 }) })
export const InvitationAnswer = NamedObject('Invitation', {
  workspace_name: Type.String(),
  email: Nullable(Type.String({ description: 'Null for the set-up link: the person enters an address.' })),
  role: Role,
})
export const Acceptance = Type.Object({
  ...LinkToken.properties,
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  password: Password,
  has_account: Type.Optional(Type.Boolean({ description: 'true: the person has an account, and password is its password.' })),
})

export const WorkspaceParams = Type.Object({ workspace_id: Type.String() })
export const WorkspaceName = Type.Object({ name: Name })
export const WorkspaceMade = Type.Object({ workspace_id: Type.String() })

export const People = NamedObject('People', {
  members: Type.Array(Type.Object({ user_id: Type.String(), email: Type.String(), name: Type.String(), role: Role, member_since: Moment })),
  invitations: Type.Array(
    Type.Object({ invitation_id: Type.String(), email: Type.String(), role: Role, created_at: Moment, expires_at: Moment }),
  ),
})
export const NewInvitation = Type.Object({ email: Email, role: Role })
export const InvitationMade = Type.Object({ url: Type.String({ description: 'Shown only in this answer.' }) })
export const RoleChange = Type.Object({ role: Role })

export const NewKey = Type.Object({ name: Name, service: Type.Optional(Type.Boolean()) })
export const KeyMade = Type.Object({ key_id: Type.String(), api_key: Type.String({ description: 'Shown only in this answer.' }) })
export const KeyList = NamedObject('KeyList', {
  keys: Type.Array(
    Type.Object({
      key_id: Type.String(),
      name: Type.String(),
      hint: Nullable(Type.String({ description: 'The last characters of the key.' })),
      user_email: Nullable(Type.String({ description: 'Null for a service key.' })),
      made_by: Nullable(
        Type.String({ description: 'The e-mail address of the maker, or “operator”. Null for a key of an earlier version.' }),
      ),
      created_at: Moment,
      last_used_at: Nullable(Moment),
    }),
  ),
})

export const LinkCheck = Type.Object({ meeting_link: Type.String({ maxLength: 4096 }) })
export const LinkVerdict = NamedObject('LinkVerdict', { platform: Nullable(Type.String()), problem: Nullable(Type.String()) })
export type LinkVerdict = Static<typeof LinkVerdict>

export const BotParams = Type.Object({ ...WorkspaceParams.properties, bot_id: Type.String() })

const Seconds = Type.Number({ description: 'Seconds after the start of the recording.' })
const Stretch = Type.Array(Type.Object({ start: Seconds, end: Seconds }))
/** Speaker names, pauses and absences of a recording. */
export const Lanes = NamedObject('Lanes', {
  speaker_names: Type.Record(Type.String(), Type.String(), { description: 'Names given to speakers in the dashboard, by speaker id.' }),
  pauses: Stretch,
  gaps: Type.Array(Type.Object({ start: Seconds, end: Seconds }), { description: 'Times at which the bot had lost the meeting.' }),
})
export const SpeakerName = Type.Object({
  speaker_id: Type.String({ minLength: 1, maxLength: 500 }),
  name: Nullable(Name),
})

/** One message of a bot's live view. */
export type Watched = {
  readonly levels: readonly { readonly speaker_id: string; readonly name: string; readonly level: number }[]
  readonly lines: readonly { readonly id: number; readonly speaker: string; readonly text: string; readonly at: string }[]
}

export const Storage = NamedObject('StorageUse', {
  place: Type.String(),
  bots: Type.Integer(),
  files: Type.Integer(),
  bytes: Type.Number(),
  retention_hours: Nullable(Type.Number({ description: 'Null for the server’s default.' })),
  default_retention_hours: Type.Number(),
})
export const Retention = Type.Object({ retention_hours: Nullable(Type.Number({ minimum: 1, maximum: 87_600 })) })

const Duration = Nullable(Type.Number({ description: 'Seconds.' }))
export const Fleet = NamedObject('Fleet', {
  nodes: Type.Array(
    Type.Object({
      node_id: Type.String(),
      address: Type.String(),
      is_alive: Type.Boolean(),
      seats: Type.Integer(),
      free_seats: Type.Integer(),
      started_at: Moment,
    }),
  ),
  queue: Type.Object({ waiting: Type.Integer(), longest_seconds: Type.Number(), scheduled: Type.Integer() }),
  lateness: Type.Object({ bots: Type.Integer(), median: Duration, p95: Duration, most: Duration }),
})

/** One message of the workspace's event stream. */
export type LiveEvent = { readonly bot_id: string; readonly event: string; readonly status: string | null }
