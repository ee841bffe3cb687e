// The dashboard's API under /dashboard/v1. For everything else the dashboard uses /api/v1.
import { createPasswords } from '../../accounts/passwords.ts'
import { createSignInThrottle } from '../../accounts/sign-in-throttle.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { requireSession } from '../session-auth.ts'
import { dashboardBotRoutes } from './bots.ts'
import { installationRoutes } from './installation.ts'
import { dashboardKeyRoutes } from './keys.ts'
import { liveRoutes } from './live.ts'
import { peopleRoutes } from './people.ts'
import { sessionRoutes } from './session.ts'
import { createStreams } from './streams.ts'

/** Signing in, and accepting an invitation. */
const OPEN = ['session', 'invitation', 'invitation/accept'].map((path) => `/dashboard/v1/${path}`)

export function dashboardRoutes(app: Api, api: ApiDeps): void {
  const isSecure = () => api.publicUrl().startsWith('https:')
  const streams = createStreams(api)
  const deps = { ...api, passwords: createPasswords(), throttle: createSignInThrottle(api), streams, isSecure }
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true }
  })
  app.addHook('onRequest', requireSession(api, OPEN))
  app.addHook('preClose', () => streams.stop())
  // This request may have ended a session or membership: close their streams now.
  app.addHook('onResponse', async ({ method }) => {
    if (method !== 'GET') streams.wake()
  })
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
  for (const add of [sessionRoutes, peopleRoutes, dashboardKeyRoutes, dashboardBotRoutes, installationRoutes, liveRoutes]) add(app, deps)
}
