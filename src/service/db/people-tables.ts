// Types of the tables of people, their sessions and their invitations.
import type { Role } from '../../domain/roles.ts'

export type PeopleTables = {
  people: { id: string; email: string; name: string; password: string; created_at: Date }
  sessions: {
    id: string
    digest: Buffer
    person_id: string
    user_agent: string
    created_at: Date
    last_seen_at: Date
    expires_at: Date
  }
  failed_sign_ins: { name: string; count: number; until: Date }
  invitations: {
    id: string
    workspace_id: string
    email: string | null
    role: Role
    digest: Buffer
    created_at: Date
    expires_at: Date
  }
}
