// The frame of every page in a workspace, with its navigation.
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLiveBots } from '../live.ts'
import { sessionQuery, useWorkspace } from '../session.ts'
import { chosenTheme, nextTheme } from '../theme.ts'
import { Mark } from './mark.tsx'

const LINKS = [
  { to: '/w/$workspace/bots', label: 'Bots', icon: 'M4 6h16M4 12h16M4 18h10' },
  { to: '/w/$workspace/send', label: 'Send a bot', icon: 'M4 12 20 4l-5 16-3.5-6.5Z' },
  { to: '/w/$workspace/settings', label: 'Settings', icon: 'M4 8h9m5 0h2M4 16h2m5 0h9M13 5.5v5M6 13.5v5' },
] as const

export function Shell() {
  const workspace = useWorkspace()
  const isConnected = useLiveBots(workspace.workspace_id)
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_1fr]">
      <a href="#content" className="button sr-only focus:not-sr-only focus:absolute focus:top-3 focus:left-3 focus:z-20">
        To the content
      </a>
      <header className="border-line md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:border-r md:px-4 md:py-6">
        <div className="flex items-center justify-between gap-3 px-5 pt-4 md:px-2 md:pt-0">
          <Link to="/" className="flex items-center gap-2.5">
            <Mark />
            <span className="text-[1.05rem] font-semibold tracking-[-0.02em]">Emissary</span>
          </Link>
          <div className="md:hidden">
            <Theme />
          </div>
        </div>
        <WorkspaceChoice />
        <Links />
        <div className="mt-auto hidden flex-col gap-1 md:flex">
          <Theme />
          <Me />
        </div>
      </header>
      <main id="content" className="mx-auto w-full max-w-6xl min-w-0 px-5 pt-6 pb-28 md:px-10 md:pt-12">
        {!isConnected && (
          <p role="alert" className="bg-bad-wash text-bad mb-6 rounded-lg px-3 py-2 text-sm">
            No connection to the service. What you see may be old; the page goes on by itself.
          </p>
        )}
        <Outlet />
      </main>
    </div>
  )
}

function Links() {
  const { workspace_id } = useWorkspace()
  return (
    <nav
      aria-label="Main"
      className="border-line bg-sheet/95 fixed inset-x-0 bottom-0 z-10 grid grid-cols-3 border-t px-2 pb-[env(safe-area-inset-bottom)] backdrop-blur md:static md:mt-6 md:flex md:flex-col md:gap-0.5 md:border-0 md:bg-transparent md:px-0 md:backdrop-blur-none"
    >
      {LINKS.map(({ to, label, icon }) => (
        <Link
          key={to}
          to={to}
          params={{ workspace: workspace_id }}
          className="text-soft hover:text-ink data-[status=active]:text-ink md:data-[status=active]:bg-accent-wash flex flex-col items-center gap-0.5 rounded-lg px-3 py-2 text-xs transition-colors md:flex-row md:gap-3 md:text-[15px] data-[status=active]:font-medium"
        >
          <svg
            aria-hidden="true"
            viewBox="0 0 24 24"
            className="size-5 fill-none stroke-current stroke-[1.7]"
            strokeLinecap="round"
            strokeLinejoin="round"
          >
            <path d={icon} />
          </svg>
          {label}
        </Link>
      ))}
    </nav>
  )
}

function WorkspaceChoice() {
  const { data: session } = useQuery(sessionQuery)
  const { workspace_id } = useWorkspace()
  const navigate = useNavigate()
  if (!session) return null
  return (
    <div className="px-5 pt-4 md:px-2">
      <label className="sr-only" htmlFor="workspace">
        Workspace
      </label>
      <select
        id="workspace"
        className="field w-full truncate py-1.5 text-sm"
        value={workspace_id}
        onChange={({ target }) => void navigate({ to: '/w/$workspace/bots', params: { workspace: target.value } })}
      >
        {session.workspaces.map(({ workspace_id: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

const THEMES = { system: 'Automatic', light: 'Light', dark: 'Dark' } as const

function Theme() {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <button
      type="button"
      className="button button-quiet text-soft hover:text-ink justify-start px-3"
      onClick={() => setTheme(nextTheme(theme))}
    >
      <span
        aria-hidden="true"
        className="size-3.5 rounded-full border-2 border-current bg-[linear-gradient(90deg,currentColor_50%,transparent_50%)]"
      />
      <span>
        <span className="sr-only">Theme: </span>
        {THEMES[theme]}
      </span>
    </button>
  )
}

function Me() {
  const { data: session } = useQuery(sessionQuery)
  const { workspace_id } = useWorkspace()
  return (
    <Link
      to="/w/$workspace/settings/account"
      params={{ workspace: workspace_id }}
      className="hover:bg-accent-wash flex min-w-0 flex-col rounded-lg px-3 py-2 text-sm leading-snug"
    >
      <span className="truncate font-medium">{session?.person.name}</span>
      <span className="text-soft truncate text-[13px]">{session?.person.email}</span>
    </Link>
  )
}
