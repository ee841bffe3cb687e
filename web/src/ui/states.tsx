// Placeholders for empty, loading and failed content.
import type { ReactNode } from 'react'
import { ServiceProblem } from '../service.ts'

export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-16 text-center">
      <span aria-hidden="true" className="bg-accent-wash text-accent mb-1 grid size-12 place-items-center rounded-2xl text-xl">
        ◦
      </span>
      <h2>{title}</h2>
      {children && <p className="text-soft">{children}</p>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const isOffline = error instanceof ServiceProblem && error.status === 0
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-16 text-center">
      <h2>{isOffline ? 'No connection' : 'Request failed'}</h2>
      <p className="text-soft">{error instanceof Error ? error.message : 'Something went wrong. Try again.'}</p>
      {onRetry && (
        <button type="button" className="button mt-2" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <div role="status" className="text-soft flex items-center justify-center gap-2 py-16">
      <span aria-hidden="true" className="breathing bg-accent size-2 rounded-full" />
      {label} …
    </div>
  )
}

export function Problem({ error }: { error: unknown }) {
  if (!error) return null
  return (
    <p role="alert" className="bg-bad-wash text-bad rounded-lg px-3 py-2 text-sm">
      {error instanceof Error ? error.message : 'Something went wrong. Try again.'}
    </p>
  )
}

export function NotFound() {
  return (
    <Empty
      title="There is no such page"
      action={
        <a className="button" href="/">
          To the start
        </a>
      }
    >
      The address may be mistyped, or what it showed was deleted.
    </Empty>
  )
}

type Loaded<Data> = {
  readonly data: Data | undefined
  readonly error: unknown
  /** `paused`: the browser is offline. */
  readonly fetchStatus: string
  readonly refetch: () => unknown
}

/** Chooses between loading, failure and content. */
export function Await<Data>({ query, children }: { query: Loaded<Data>; children: (data: Data) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.fetchStatus === 'paused') return <Empty title="No connection">The page loads as soon as there is one.</Empty>
  return <Loading />
}
