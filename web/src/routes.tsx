// Every address of the dashboard. Pages are loaded when they are first opened.
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import type { ReactNode } from 'react'
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

type Load<Name extends string> = () => Promise<Readonly<Record<Name, () => ReactNode>>>

/** A page of a workspace, which needs no more than its address. */
const page = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({ getParentRoute: () => workspace, path, component: lazyRouteComponent(load, name) })

const send = page('/send', () => import('./pages/send/send.tsx'), 'Send')
const trial = page('/try', () => import('./pages/try/try.tsx'), 'Try')
const bot = page('/bots/$bot', () => import('./pages/bot/bot.tsx'), 'BotPage')
const settings = page('/settings', () => import('./pages/settings/settings.tsx'), 'Settings')

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$workspace/settings/keys', params })
  },
})

const tab = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({ getParentRoute: () => settings, path, component: lazyRouteComponent(load, name) })

const settingsTree = settings.addChildren([
  settingsStart,
  tab('/keys', () => import('./pages/settings/keys.tsx'), 'Keys'),
  tab('/webhooks', () => import('./pages/settings/webhooks.tsx'), 'Webhooks'),
  tab('/people', () => import('./pages/settings/people.tsx'), 'People'),
  tab('/calendars', () => import('./pages/settings/calendars.tsx'), 'Calendars'),
  tab('/logins', () => import('./pages/settings/logins.tsx'), 'Logins'),
  tab('/speech', () => import('./pages/settings/speech.tsx'), 'Speech'),
  tab('/usage', () => import('./pages/settings/usage.tsx'), 'Usage'),
  tab('/storage', () => import('./pages/settings/storage.tsx'), 'StoragePage'),
  tab('/fleet', () => import('./pages/settings/fleet.tsx'), 'Fleet'),
  tab('/account', () => import('./pages/settings/account.tsx'), 'Account'),
])
export const routeTree = root.addChildren([start, signIn, setUp, invited, workspace.addChildren([bots, send, trial, bot, settingsTree])])
