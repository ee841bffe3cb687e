// Settings of the workspace and of the person.
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { sessionQuery, useWorkspace } from '../../session.ts'

const TABS = [
  { to: '/w/$workspace/settings/keys', label: 'API keys' },
  { to: '/w/$workspace/settings/webhooks', label: 'Webhooks' },
  { to: '/w/$workspace/settings/people', label: 'People' },
  { to: '/w/$workspace/settings/calendars', label: 'Calendars' },
  { to: '/w/$workspace/settings/logins', label: 'Logins' },
  { to: '/w/$workspace/settings/speech', label: 'Speech' },
  { to: '/w/$workspace/settings/storage', label: 'Storage' },
  { to: '/w/$workspace/settings/usage', label: 'Usage' },
  { to: '/w/$workspace/settings/fleet', label: 'Fleet', isForOperators: true },
  { to: '/w/$workspace/settings/account', label: 'Your account' },
] as const

export function Settings() {
  const { workspace_id } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const tabs = TABS.filter((tab) => !('isForOperators' in tab) || session?.is_operator)
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // On a phone, the tabs are wider than the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another tab.
  useEffect(() => {
    // Braces, because an effect must not return the promise.
    void nav.current?.querySelector('[data-status=active]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [pathname])
  return (
    <>
      <h1>Settings</h1>
      <nav
        ref={nav}
        aria-label="Settings"
        className="border-line mt-6 mb-8 flex gap-1 overflow-x-auto overflow-y-hidden border-b [scrollbar-width:none]"
      >
        {tabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ workspace: workspace_id }}
            className="text-soft hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink -mb-px border-b-2 border-transparent px-3 py-2 text-[15px] whitespace-nowrap data-[status=active]:font-medium"
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  )
}
