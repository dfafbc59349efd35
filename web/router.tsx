import { createBrowserRouter, matchRoutes, type RouteObject } from 'react-router'
import { type ScreenFrame, screens } from '../shared/screens.ts'
import { Guard } from './access/Guard.tsx'
import { Permitted } from './access/Permitted.tsx'
import { components, frames } from './screens.ts'
import { RouteTransition } from './shell/RouteTransition.tsx'
import { RouteFailed } from './site/RouteFailed.tsx'
import { ScreenFailed } from './site/ScreenFailed.tsx'
import { LoadingPage } from './ui/Loading.tsx'

/** The screens of a frame, where their permission is looked at. The guard knows each by its handle. */
const permitted = (frame: ScreenFrame): RouteObject => ({
  Component: Permitted,
  children: screens
    .filter((screen) => screen.frame === frame)
    .map((screen) => ({ path: screen.path, handle: screen, lazy: components[screen.loader] })),
})

/**
 * A screen that fails says so in its own place, and the shell around it stays. The boundary is a route of its own: the router shows none of
 * a route whose file has not come.
 */
const inShell: RouteObject = {
  ErrorBoundary: ScreenFailed,
  children: [permitted('shell'), { lazy: frames.settings, children: [permitted('settings')] }],
}

/** The guard shows its 404 page for a path without a screen. */
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

/** Loads a screen's file when its link is pointed at or focused, so that it is there when the link is followed. */
export function prefetchOnHover(router: Router) {
  const prefetch = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || link.origin !== location.origin) return
    for (const { route } of matchRoutes(router.routes, link.pathname) ?? []) {
      // What cannot be loaded now is said when the link is followed.
      if (typeof route.lazy === 'function') route.lazy().catch(() => undefined)
    }
  }
  document.addEventListener('pointerover', prefetch, { passive: true })
  document.addEventListener('focusin', prefetch, { passive: true })
}
