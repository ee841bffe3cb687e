// Every address of the dashboard. Pages are loaded when they are first opened.
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { botSearchIn } from './bot-search.ts'
import { chooseWorkspace } from './service.ts'
import { sessionQuery } from './session.ts'
import { NotFound } from './ui/states.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Outlet, notFoundComponent: NotFound })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad({ context }) {
    const session = await context.queries.ensureQueryData(sessionQuery)
    const [first] = session?.workspaces ?? []
    if (!session) throw redirect({ to: '/sign-in' })
    if (first) throw redirect({ to: '/w/$workspace/bots', params: { workspace: first.workspace_id } })
  },
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'NoWorkspace'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string } => (typeof search.to === 'string' ? { to: search.to } : {}),
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignIn'),
})

const join = () => import('./pages/join.tsx')
const setUp = createRoute({ getParentRoute: () => root, path: '/set-up', component: lazyRouteComponent(join, 'Join') })
const invited = createRoute({ getParentRoute: () => root, path: '/join', component: lazyRouteComponent(join, 'Join') })

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspace',
  async beforeLoad({ context, params, location }) {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (!session) throw redirect({ to: '/sign-in', search: { to: location.href } })
    if (!session.workspaces.some(({ workspace_id }) => workspace_id === params.workspace)) throw redirect({ to: '/' })
    chooseWorkspace(params.workspace)
  },
  component: lazyRouteComponent(() => import('./ui/shell.tsx'), 'Shell'),
})

const bots = createRoute({
  getParentRoute: () => workspace,
  path: '/bots',
  validateSearch: botSearchIn,
  component: lazyRouteComponent(() => import('./pages/bots.tsx'), 'Bots'),
})

const send = createRoute({
  getParentRoute: () => workspace,
  path: '/send',
  component: lazyRouteComponent(() => import('./pages/send/send.tsx'), 'Send'),
})

const trial = createRoute({
  getParentRoute: () => workspace,
  path: '/try',
  component: lazyRouteComponent(() => import('./pages/try/try.tsx'), 'Try'),
})

const bot = createRoute({
  getParentRoute: () => workspace,
  path: '/bots/$bot',
  component: lazyRouteComponent(() => import('./pages/bot/bot.tsx'), 'BotPage'),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'Settings'),
})
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$workspace/settings/keys', params })
  },
})
const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/settings/keys.tsx'), 'Keys'),
})
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/settings/webhooks.tsx'), 'Webhooks'),
})
const people = createRoute({
  getParentRoute: () => settings,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/settings/people.tsx'), 'People'),
})
const calendars = createRoute({
  getParentRoute: () => settings,
  path: '/calendars',
  component: lazyRouteComponent(() => import('./pages/settings/calendars.tsx'), 'Calendars'),
})
const logins = createRoute({
  getParentRoute: () => settings,
  path: '/logins',
  component: lazyRouteComponent(() => import('./pages/settings/logins.tsx'), 'Logins'),
})
const speech = createRoute({
  getParentRoute: () => settings,
  path: '/speech',
  component: lazyRouteComponent(() => import('./pages/settings/speech.tsx'), 'Speech'),
})
const usage = createRoute({
  getParentRoute: () => settings,
  path: '/usage',
  component: lazyRouteComponent(() => import('./pages/settings/usage.tsx'), 'Usage'),
})
const storage = createRoute({
  getParentRoute: () => settings,
  path: '/storage',
  component: lazyRouteComponent(() => import('./pages/settings/storage.tsx'), 'StoragePage'),
})
const fleet = createRoute({
  getParentRoute: () => settings,
  path: '/fleet',
  component: lazyRouteComponent(() => import('./pages/settings/fleet.tsx'), 'Fleet'),
})
const account = createRoute({
  getParentRoute: () => settings,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/settings/account.tsx'), 'Account'),
})

const workspaceSettings = [keys, webhooks, people, calendars, logins, speech, storage, usage, fleet, account] as const
const settingsTree = settings.addChildren([settingsStart, ...workspaceSettings])
export const routeTree = root.addChildren([start, signIn, setUp, invited, workspace.addChildren([bots, send, trial, bot, settingsTree])])
