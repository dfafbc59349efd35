import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { logout, me } from '../../../shared/access/auth.ts'
import { hasPermission } from '../../../shared/access/roles.ts'
import { checkConnection } from '../../../shared/access/stores.ts'
import { type Feature, featurePlans, subscriptionStatus } from '../../../shared/billing/billing.ts'
import type { Permission } from '../../../shared/core/endpoint.ts'
import { readInstance } from '../../../shared/workspace/instance.ts'
import { ApiError, call } from '../api/api.ts'
import { deletions } from '../api/deletions.ts'
import { isInsteadOfStore } from '../session/request.ts'
import {
  buildStoreFields,
  endSession,
  forgetConnection,
  loadConnection,
  loadUser,
  rememberConnection,
  rememberUser,
  removeToken,
  session,
  useSession,
} from '../session/session.ts'
import { setStoreZone } from '../ui/times.ts'
import type { KnownAccessState } from './access.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const { user } = await call(me, { signal })
    rememberUser(user)
    return user
  },
  staleTime: 60_000,
  // The user may have confirmed the address in another tab.
  refetchOnWindowFocus: ({ state }) => (state.data?.isEmailConfirmed === false ? 'always' : true),
})

export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: async ({ signal }) => {
    const answer = await call(subscriptionStatus, { signal })
    const user = loadUser()
    const { status, hasActiveSubscription } = answer
    if (user) rememberUser({ ...user, subscriptionStatus: status, hasActiveSubscription })
    if (!hasActiveSubscription) forgetConnection()
    return answer
  },
  staleTime: 20_000,
  refetchOnWindowFocus: false,
})

/**
 * Asks about this tab's store while it is connected; another tab may have switched the session to a different store.
 */
async function fetchConnection(signal: AbortSignal) {
  const { storeId } = buildStoreFields()
  if (storeId) {
    const answer = await call(checkConnection, { query: { storeId }, signal }).catch((error) => {
      if (error instanceof ApiError && error.code === 'not_found') return null
      throw error
    })
    if (answer?.hasConnection) return answer
  }
  return call(checkConnection, { signal })
}

export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: async ({ signal, client }) => {
    const answer = await fetchConnection(signal)
    // The subscription may be a remembered "yes" that the server has since denied; without a subscription there is no
    // connection (A 4.1).
    const isDenied = client.getQueryData(subscriptionQuery.queryKey)?.hasActiveSubscription === false
    const isReplaced = isInsteadOfStore(location.pathname + location.search)
    if (!isDenied && !isReplaced && answer.hasConnection && answer.platform && answer.store_url) {
      rememberConnection({ platform: answer.platform, store_url: answer.store_url })
    } else forgetConnection()
    setStoreZone(answer.store?.timeZone ?? null)
    return answer
  },
  staleTime: 20_000,
  // Refetch on navigation (A 4.1), but not while the user reads the result of connecting.
  refetchOnWindowFocus: false,
})

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => call(readInstance, { signal }),
  staleTime: 60_000,
})

export const useMe = () => useQuery(meQuery).data
export const useInstance = () => useQuery(instanceQuery).data
export const useSubscription = () => useQuery(subscriptionQuery).data
/** Whether the current plan includes the feature (decision 6); null while unknown. */
export function useHasFeature(feature: Feature): boolean | null {
  const plan = useSubscription()?.planInForce
  return plan === undefined ? null : plan !== null && featurePlans[feature].includes(plan)
}
/** The connected store; always none without a subscription (A 4.1). */
export const useStore = () => useConnection()?.data?.store ?? null
/** If no store is connected: the store disconnected last, while its data is retained. */
export const useEndedStore = () => useConnection()?.data?.ended ?? null
/** Address of the demo store in the live demo; otherwise null. */
export function useDemoShop(): string | null {
  const store = useStore()
  const first = useInstance()?.demoStoreUrl ?? null
  return first && store?.isDemo ? store.store_url : first
}

/**
 * Whether the account has a subscription: the latest answer, or a "yes" remembered from an earlier visit. `null` while
 * unknown.
 */
function useIsSubscribed(): boolean | null {
  const authenticated = useSession().token !== null
  const { data } = useQuery({ ...subscriptionQuery, enabled: authenticated })
  // A "no" may be outdated: the plan may have been chosen in another tab.
  return data?.hasActiveSubscription ?? (loadUser()?.hasActiveSubscription === true ? true : null)
}

/** The connection check; it runs only with a subscription (A 4.1) and is null otherwise. */
export function useConnection() {
  const subscribed = useIsSubscribed()
  const connection = useQuery({ ...connectionQuery, enabled: subscribed === true })
  return subscribed === false ? null : connection
}

/** False while the connection check runs. Store queries would have to be repeated once the store id is known. */
export const useIsStoreKnown = () => useConnection()?.isPending !== true

/** Whether this member's role has the permission (decision 8). Unknown counts as yes because the server enforces it. */
export function useHasPermission(permission: Permission): boolean {
  const user = useMe()
  return user ? hasPermission(user.role, permission) : true
}

/** Whether this member may connect and disconnect stores. The demo account cannot. */
export function useCanConnectStores(): boolean {
  const user = useMe()
  return user !== undefined && !user.isDemo && hasPermission(user.role, 'stores:connect')
}

/**
 * Input of the access rule. Uses the last answer (this visit's, else a stored "yes") and refreshes it in the
 * background; `null` means unanswered.
 */
export function useAccessState() {
  const authenticated = useSession().token !== null
  const subscription = useQuery({ ...subscriptionQuery, enabled: authenticated })
  const subscribed = useIsSubscribed()
  const connection = useQuery({ ...connectionQuery, enabled: authenticated && subscribed === true })
  const connected = connection.data ? connection.data.hasConnection : loadConnection() ? true : null
  const retry = () => void (subscription.error ? subscription.refetch() : connection.refetch())
  return {
    accessState: {
      ...buildAccessState(authenticated, subscribed, connected),
      ended: subscribed === true && Boolean(connection.data?.ended),
    },
    /** The "yes" comes from an earlier visit; this visit has no answer yet. */
    isConnectionRemembered: !connection.data && connected === true,
    failure: subscription.error ?? connection.error,
    retry,
  }
}

/**
 * Prefetches the guard's and the shell's queries while their code loads. The component that needs an answer reports its
 * failure.
 */
export function prefetchAccess(queries: QueryClient): void {
  if (!session().token) return
  void queries.prefetchQuery(meQuery)
  void queries.prefetchQuery(subscriptionQuery)
  void queries.prefetchQuery(instanceQuery)
  if (loadUser()?.hasActiveSubscription) void queries.prefetchQuery(connectionQuery)
}

/** The path this document was opened with; its queries started while the app was loading. */
let hasBegun = false

/** A 4.1: rechecks on every path and shares a running check. Returns true once this path's check is done. */
export function useConnectionCheck(): boolean {
  const { pathname } = useLocation()
  const queries = useQueryClient()
  const [checked, setChecked] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    const isFirst = !hasBegun
    hasBegun = true
    const ask = ({ queryKey }: { queryKey: QueryKey }) =>
      queries.refetchQueries({ queryKey, type: 'active', ...(isFirst && { stale: true }) }, { cancelRefetch: false })
    void Promise.all([subscriptionQuery, connectionQuery].map(ask)).then(() => isCurrent && setChecked(pathname))
    return () => {
      isCurrent = false
    }
  }, [pathname, queries])
  return checked === pathname
}

/** Without a token no other answer counts; without a subscription the store does not. */
function buildAccessState(
  authenticated: boolean,
  subscribed: boolean | null,
  connected: boolean | null,
): KnownAccessState {
  if (!authenticated) return { authenticated, subscribed: false, connected: false }
  return { authenticated, subscribed, connected: subscribed === false ? false : connected }
}

/** Revokes and forgets the token. Never fails: the token is forgotten even if the server does not answer. */
export function useLogout() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await Promise.race([deletions.finishAll(), new Promise((resolve) => setTimeout(resolve, 3_000))])
      const leaving = call(logout)
      removeToken()
      return leaving.catch((cause) => {
        if (!(cause instanceof ApiError)) throw cause
      })
    },
    onSettled: () => {
      endSession('left')
      queries.clear()
    },
  })
}
