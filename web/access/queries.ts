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
import { logout, me } from '../../shared/auth.ts'
import { type Feature, featurePlans, subscriptionStatus } from '../../shared/billing.ts'
import type { Permission } from '../../shared/endpoint.ts'
import { readInstance } from '../../shared/instance.ts'
import { mayDo } from '../../shared/roles.ts'
import { checkConnection } from '../../shared/stores.ts'
import { ApiError, call } from '../api.ts'
import { showTimesOf } from '../ui/times.ts'
import type { KnownAccessState } from './access.ts'
import { isInsteadOfStore } from './request.ts'
import {
  endSession,
  forgetConnection,
  rememberConnection,
  rememberUser,
  session,
  storedConnection,
  storedUser,
  storeFields,
  useSession,
  withdrawToken,
} from './session.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const { user } = await call(me, { signal })
    rememberUser(user)
    return user
  },
  staleTime: 60_000,
  // Whoever comes back from confirming the address in another tab is not asked to confirm it.
  refetchOnWindowFocus: ({ state }) => (state.data?.isEmailConfirmed === false ? 'always' : true),
})

export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: async ({ signal }) => {
    const answer = await call(subscriptionStatus, { signal })
    const user = storedUser()
    const { status, hasActiveSubscription } = answer
    if (user) rememberUser({ ...user, subscriptionStatus: status, hasActiveSubscription })
    if (!hasActiveSubscription) forgetConnection()
    return answer
  },
  staleTime: 20_000,
  refetchOnWindowFocus: false,
})

/** About the store this tab shows, while it is connected: another tab may have switched the session to another store. */
async function askConnection(signal: AbortSignal) {
  const { storeId } = storeFields()
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
    const answer = await askConnection(signal)
    // Asked on a remembered yes, which the server may have denied meanwhile: an invalid subscription has no connection (A 4.1).
    const isDenied = client.getQueryData(subscriptionQuery.queryKey)?.hasActiveSubscription === false
    const isReplaced = isInsteadOfStore(location.pathname + location.search)
    if (!isDenied && !isReplaced && answer.hasConnection && answer.platform && answer.store_url) {
      rememberConnection({ platform: answer.platform, store_url: answer.store_url })
    } else forgetConnection()
    showTimesOf(answer.store?.timeZone ?? null)
    return answer
  },
  staleTime: 20_000,
  // Asked again on navigation (A 4.1), not while someone reads what connecting has found.
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
/** Whether the plan in force has it (decision 6); null: not known yet. */
export function useHasFeature(feature: Feature): boolean | null {
  const plan = useSubscription()?.planInForce
  return plan === undefined ? null : plan !== null && featurePlans[feature].includes(plan)
}
/** The connected store; nobody without a subscription has one (A 4.1). */
export const useStore = () => useConnection()?.data?.store ?? null
/** Without a connected store: the one that was disconnected last, while its data is kept. */
export const useEndedStore = () => useConnection()?.data?.ended ?? null
/** The address of the demo store that is being looked at; null outside of a demo. */
export function useDemoShop(): string | null {
  const store = useStore()
  const first = useInstance()?.demoStoreUrl ?? null
  return first && store?.isDemo ? store.store_url : first
}

/** Whether the account has a subscription: the last answer says, or a yes remembered from an earlier visit. `null`: not known yet. */
function useSubscribed(): boolean | null {
  const authenticated = useSession().token !== null
  const { data } = useQuery({ ...subscriptionQuery, enabled: authenticated })
  // A no may be old: the plan may have been chosen elsewhere.
  return data?.hasActiveSubscription ?? (storedUser()?.hasActiveSubscription === true ? true : null)
}

/** The connection check, made only when subscribed (A 4.1); null for whoever is not. */
export function useConnection() {
  const subscribed = useSubscribed()
  const connection = useQuery({ ...connectionQuery, enabled: subscribed === true })
  return subscribed === false ? null : connection
}

/** False while the connection check is under way: what is asked for a store would be asked again once its id is known. */
export const useIsStoreKnown = () => useConnection()?.isPending !== true

/** Whether this member may do it (decision 8). Unknown counts as yes: the server decides in the end. */
export function useMay(permission: Permission): boolean {
  const user = useMe()
  return user ? mayDo(user.role, permission) : true
}

/** Whether this member connects stores and lets go of them; the demo account keeps its own. */
export function useMayConnect(): boolean {
  const user = useMe()
  return user !== undefined && !user.isDemo && mayDo(user.role, 'stores:connect')
}

/**
 * What the guard needs. The last answer decides (of this visit, else a yes in the browser's storage) and is refreshed behind; `null` is
 * what nobody has answered yet.
 */
export function useAccessState() {
  const authenticated = useSession().token !== null
  const subscription = useQuery({ ...subscriptionQuery, enabled: authenticated })
  const subscribed = useSubscribed()
  const connection = useQuery({ ...connectionQuery, enabled: authenticated && subscribed === true })
  const connected = connection.data ? connection.data.hasConnection : storedConnection() ? true : null
  const retry = () => void (subscription.error ? subscription.refetch() : connection.refetch())
  return {
    accessState: {
      ...accessStateOf(authenticated, subscribed, connected),
      ended: subscribed === true && Boolean(connection.data?.ended),
    },
    /** The yes is of an earlier visit: nobody has answered in this one. */
    isConnectionRemembered: !connection.data && connected === true,
    failure: subscription.error ?? connection.error,
    retry,
  }
}

/** What the guard and the shell ask, asked while their files are still on their way. A failure is told where it is needed. */
export function askAtOnce(queries: QueryClient): void {
  if (!session().token) return
  void queries.prefetchQuery(meQuery)
  void queries.prefetchQuery(subscriptionQuery)
  void queries.prefetchQuery(instanceQuery)
  if (storedUser()?.hasActiveSubscription) void queries.prefetchQuery(connectionQuery)
}

/** Of the path this document began with: its answers were asked for while the app was loading. */
let hasBegun = false

/**
 * A 4.1: the check is made again on every path; one that is under way is shared. True once the one of this path is over.
 */
export function useCheck(): boolean {
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

/** Without a token nothing else counts, and without a subscription the store does not. */
function accessStateOf(
  authenticated: boolean,
  subscribed: boolean | null,
  connected: boolean | null,
): KnownAccessState {
  if (!authenticated) return { authenticated, subscribed: false, connected: false }
  return { authenticated, subscribed, connected: subscribed === false ? false : connected }
}

/** Revokes the token and forgets it here. Leaving never fails: without an answer the token still goes. */
export function useLogout() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const leaving = call(logout)
      withdrawToken()
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
