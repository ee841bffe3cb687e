import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { routeTree } from './routes.tsx'
import { ServiceProblem } from './service.ts'
import { sessionQuery } from './session.ts'
import './styles.css'
import { chosenTheme, showTheme } from './theme.ts'
import { ErrorState, Loading } from './ui/states.tsx'

showTheme(chosenTheme())

/** A session that has ended leads back to the sign-in page. */
function onError(error: unknown): void {
  if (!(error instanceof ServiceProblem) || error.status !== 401) return
  queries.setQueryData(sessionQuery.queryKey, null)
  void router.invalidate()
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only outages are retried, because an answer stays the same.
      retry: (count, error) => count < 3 && (!(error instanceof ServiceProblem) || error.status === 0 || error.status >= 500),
    },
  },
})

const router = createRouter({
  routeTree,
  context: { queries },
  defaultPreload: 'intent',
  scrollRestoration: true,
  // A slow page shows that it is loading.
  defaultPendingMs: 300,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

const page = document.getElementById('page')
if (page)
  createRoot(page).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
