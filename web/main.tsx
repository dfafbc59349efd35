import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './core/theme/roles.css'
import './app.css'
import './core/ui/thread.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import type { EarlyWindow } from './ahead.ts'
import { meQuery, prefetchAccess } from './core/access/queries.ts'
import { ApiError, keepEarlyCalls } from './core/api/api.ts'
import { resolveColors, theme } from './core/theme/mantine.ts'
import { getScheme, useTheme } from './core/theme/theme-choice.ts'
import { createRoutes, prefetchOnHover } from './router.tsx'

const queries: QueryClient = new QueryClient({
  mutationCache: new MutationCache({
    // An offered action was refused: the member's role has changed.
    onError: (error) => {
      const isRefused = error instanceof ApiError && error.code === 'forbidden'
      if (isRefused) void queries.invalidateQueries({ queryKey: meQuery.queryKey })
    },
  }),
  defaultOptions: {
    queries: {
      // Only outages are worth a retry.
      retry: (failures, error) => error instanceof ApiError && error.isOutage && failures < 2,
      retryDelay: (attempt) => 800 * 2 ** attempt,
      staleTime: 10_000,
      // The browser's offline detection is wrong for a server on the same machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

const page = globalThis as EarlyWindow
keepEarlyCalls(page.earlyCalls ?? [])
page.earlyCalls = null
prefetchAccess(queries)
const router = createRoutes()
prefetchOnHover(router)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

function App() {
  const scheme = getScheme(useTheme())
  return (
    <MantineProvider theme={theme} cssVariablesResolver={resolveColors} forceColorScheme={scheme}>
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
