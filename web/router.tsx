import { createBrowserRouter, matchRoutes } from 'react-router'
import { Guard } from './access/Guard.tsx'
import { bareScreens, notFound, publicScreens, settingsScreens, shell, shellScreens } from './screens.ts'
import { Passage } from './shell/Passage.tsx'
import { RouteFailed } from './site/RouteFailed.tsx'
import { LoadingPage } from './ui/Loading.tsx'

const routesOf = (screens: typeof shellScreens) => Object.entries(screens).map(([path, lazy]) => ({ path, lazy }))

const withTabs = (route: ReturnType<typeof routesOf>[number]) =>
  route.path === '/settings' ? { ...route, children: routesOf(settingsScreens) } : route

export const createRoutes = () =>
  createBrowserRouter([
    {
      Component: Passage,
      HydrateFallback: LoadingPage,
      ErrorBoundary: RouteFailed,
      children: [
        ...routesOf(publicScreens),
        {
          Component: Guard,
          children: [
            { path: '/', Component: LoadingPage },
            ...routesOf(bareScreens),
            { lazy: shell, children: routesOf(shellScreens).map(withTabs) },
            { path: '*', lazy: notFound },
          ],
        },
      ],
    },
  ])

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
