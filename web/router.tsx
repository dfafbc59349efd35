import type { ComponentType } from 'react'
import { createBrowserRouter, Navigate } from 'react-router'
import { Guard } from './access/Guard.tsx'
import { RouteFailed } from './site/RouteFailed.tsx'
import { LoadingPage } from './ui/Loading.tsx'

/** One chunk per screen: `screen(() => import('./x.tsx'), 'X')`. */
const screen =
  <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K) =>
  async () => ({ Component: (await load())[name] })

const signIn = screen(() => import('./accounts/SignInPage.tsx'), 'SignInPage')

export const createRoutes = () =>
  createBrowserRouter([
    {
      HydrateFallback: LoadingPage,
      ErrorBoundary: RouteFailed,
      children: [
        {
          Component: Guard,
          children: [
            { path: '/', Component: LoadingPage },
            { path: '/login', lazy: signIn },
            { path: '/register', lazy: signIn },
            {
              path: '/reset-password',
              lazy: screen(() => import('./accounts/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
            },
            { path: '/logout', lazy: screen(() => import('./accounts/LogoutPage.tsx'), 'LogoutPage') },
            { path: '/pricing', lazy: screen(() => import('./billing/PricingPage.tsx'), 'PricingPage') },
            {
              path: '/test-subscription',
              lazy: screen(() => import('./billing/TestSubscriptionPage.tsx'), 'TestSubscriptionPage'),
            },
            { path: '/store-setup', lazy: screen(() => import('./stores/StoreSetupPage.tsx'), 'StoreSetupPage') },
            // The dashboard has its own issue; what leads there arrives at the carts.
            { path: '/dashboard', element: <Navigate to="/carts" replace /> },
            {
              lazy: screen(() => import('./shell/Shell.tsx'), 'Shell'),
              children: [
                { path: '/carts', lazy: screen(() => import('./carts/CartsPage.tsx'), 'CartsPage') },
                { path: '/carts/:id', lazy: screen(() => import('./carts/CartPage.tsx'), 'CartPage') },
                { path: '/flows', lazy: screen(() => import('./flows/FlowsPage.tsx'), 'FlowsPage') },
                { path: '/flows/:flowId', lazy: screen(() => import('./flows/FlowPage.tsx'), 'FlowPage') },
                { path: '/settings', lazy: screen(() => import('./stores/SettingsPage.tsx'), 'SettingsPage') },
              ],
            },
          ],
        },
        // The landing page has its own issue; until then its visitors sign in.
        { path: '/landing', element: <Navigate to="/login" replace /> },
        { path: '/cart/recover', lazy: screen(() => import('./restore/RestorePage.tsx'), 'RestorePage') },
        { path: '/unsubscribe', lazy: screen(() => import('./restore/UnsubscribePage.tsx'), 'UnsubscribePage') },
        { path: '/terms', lazy: screen(() => import('./site/TermsPage.tsx'), 'TermsPage') },
        { path: '/privacy', lazy: screen(() => import('./site/PrivacyPage.tsx'), 'PrivacyPage') },
        { path: '/test', lazy: screen(() => import('./site/TestPage.tsx'), 'TestPage') },
        { path: '*', lazy: screen(() => import('./site/NotFoundPage.tsx'), 'NotFoundPage') },
      ],
    },
  ])
