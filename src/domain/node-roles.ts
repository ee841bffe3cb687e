// Roles of a service process: the work it does. Several processes on one database share the roles between them.

export const ALL_ROLES = ['api', 'fleet', 'media', 'delivery', 'calendar'] as const

export type NodeRole = (typeof ALL_ROLES)[number]
