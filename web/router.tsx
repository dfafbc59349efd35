import { createBrowserRouter, matchRoutes, type RouteObject } from 'react-router'
import { type ScreenFrame, screens } from '../shared/screens.ts'
import { Permitted } from './core/access/Permitted.tsx'
import { LoadingPage } from './core/ui/Loading.tsx'
import { Guard } from './screens/shell/Guard.tsx'
import { RouteTransition } from './screens/shell/RouteTransition.tsx'
import { RouteFailed } from './screens/site/RouteFailed.tsx'
import { ScreenFailed } from './screens/site/ScreenFailed.tsx'
import { components, frames } from './screens.ts'

/** The screens of a frame, which checks their permission. The guard identifies each by its handle. */
const permitted = (frame: ScreenFrame): RouteObject => ({
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
  children: [permitted('shell'), { lazy: frames.settings, children: [permitted('settings')] }],
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
        children: [permitted('page'), { lazy: frames.shell, children: [inShell] }, unlisted],
      },
    ],
  },
]

export const createRoutes = () => createBrowserRouter(routes)

type Router = ReturnType<typeof createRoutes>

/** Preloads a screen's chunk when its link is hovered or focused. */
export function prefetchOnHover(router: Router) {
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
