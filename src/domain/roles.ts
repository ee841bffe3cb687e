// Roles in a workspace and their permissions.

export const ROLES = ['owner', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** A viewer reads. A member can do what an API key can. An owner also manages keys and members. */
type Permission = 'read' | 'change' | 'manage'

const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['read'],
  member: ['read', 'change'],
  owner: ['read', 'change', 'manage'],
}

/** Why a request is refused that only an owner may make. */
export const ONLY_OWNERS = 'Only an owner of the workspace may do this. Ask an owner.'

export function may(role: Role, permission: Permission): boolean {
  return PERMISSIONS[role].includes(permission)
}
