import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme/roles.css'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, matchRoutes, type RouteObject } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { type ScreenFrame, screens } from '../shared/screens.ts'
import { prefetchFirstQuery } from './access/early.ts'
import { Guard } from './access/Guard.tsx'
import { Permitted } from './access/Permitted.tsx'
import { meQuery, prefetchAccess } from './access/queries.ts'
import { ApiError } from './api.ts'
import { components, frames } from './screens.ts'
import { RouteTransition } from './shell/RouteTransition.tsx'
import { RouteFailed } from './site/RouteFailed.tsx'
import { ScreenFailed } from './site/ScreenFailed.tsx'
import { getScheme, useTheme } from './theme/chosen.ts'
import { resolveColors, theme } from './theme/mantine.ts'
import { LoadingPage } from './ui/Loading.tsx'

/** The screens of a frame, which checks their permission. The guard identifies each by its handle. */
const guardFrame = (frame: ScreenFrame): RouteObject => ({
  Component: Permitted,
  children: screens
    .filter((screen) => screen.frame === frame)
    .map((screen) => ({ path: screen.path, handle: screen, lazy: components[screen.loader] })),
})

/**
 * A failing screen shows its error in place and keeps the shell. The boundary is its own route because the router
 * renders no route whose chunk failed to load.
 */
const inShell: RouteObject = {
  ErrorBoundary: ScreenFailed,
  children: [guardFrame('shell'), { lazy: frames.settings, children: [guardFrame('settings')] }],
}

/** For a path without a screen the guard shows its 404 page. */
const unlisted: RouteObject = { path: '*' }

export const routes: RouteObject[] = [
  {
    Component: RouteTransition,
    HydrateFallback: LoadingPage,
    ErrorBoundary: RouteFailed,
    children: [
      {
        Component: Guard,
        children: [guardFrame('page'), { lazy: frames.shell, children: [inShell] }, unlisted],
      },
    ],
  },
]

const createRoutes = () => createBrowserRouter(routes)

type Router = ReturnType<typeof createRoutes>

/** Preloads a screen's chunk when its link is hovered or focused. */
function prefetchOnHover(router: Router) {
  const prefetch = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || link.origin !== location.origin) return
    for (const { route } of matchRoutes(router.routes, link.pathname) ?? []) {
      // A failed preload is reported when the link is followed.
      if (typeof route.lazy === 'function') route.lazy().catch(() => undefined)
    }
  }
  document.addEventListener('pointerover', prefetch, { passive: true })
  document.addEventListener('focusin', prefetch, { passive: true })
}

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

prefetchAccess(queries)
prefetchFirstQuery()
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
