import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { logout, me } from '../../shared/auth.ts'
import { subscriptionStatus } from '../../shared/billing.ts'
import type { Permission } from '../../shared/endpoint.ts'
import { readInstance } from '../../shared/instance.ts'
import { mayDo } from '../../shared/roles.ts'
import { checkConnection } from '../../shared/stores.ts'
import { ApiError, call } from '../api.ts'
import { isSubscribed, type KnownStanding } from './access.ts'
import {
  endSession,
  forgetConnection,
  rememberConnection,
  rememberUser,
  session,
  storedConnection,
  storedUser,
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
})

export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: async ({ signal }) => {
    const answer = await call(subscriptionStatus, { signal })
    const user = storedUser()
    const subscribed = isSubscribed(answer.plan, answer.status)
    if (user) rememberUser({ ...user, subscriptionStatus: answer.status, hasActiveSubscription: subscribed })
    if (!subscribed) forgetConnection()
    return answer
  },
  staleTime: 20_000,
  refetchOnWindowFocus: false,
})

export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: async ({ signal }) => {
    const answer = await call(checkConnection, { signal })
    if (answer.hasConnection && answer.platform && answer.store_url) {
      rememberConnection({ platform: answer.platform, store_url: answer.store_url })
    } else forgetConnection()
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
export const useStore = () => useQuery(connectionQuery).data?.store ?? null

/** Whether this member may do it (decision 8). Unknown counts as yes: the server decides in the end. */
export function useMay(permission: Permission): boolean {
  const user = useMe()
  return user ? mayDo(user.role, permission) : true
}

/**
 * What the guard needs. The last answer decides (of this visit, else of the browser's storage) and is refreshed behind; `null` is what
 * nobody has answered yet.
 */
export function useStanding() {
  const authenticated = useSession().token !== null
  const subscription = useQuery({ ...subscriptionQuery, enabled: authenticated })
  const user = storedUser()
  const subscribed = subscription.data
    ? isSubscribed(subscription.data.plan, subscription.data.status)
    : user
      ? user.hasActiveSubscription
      : null
  const connection = useQuery({ ...connectionQuery, enabled: authenticated && subscribed === true })
  const connected = connection.data ? connection.data.hasConnection : storedConnection() ? true : null
  const retry = () => void (subscription.error ? subscription.refetch() : connection.refetch())
  return {
    standing: standingOf(authenticated, subscribed, connected),
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

/** Without a token nothing else counts, and without a subscription the store does not. */
function standingOf(authenticated: boolean, subscribed: boolean | null, connected: boolean | null): KnownStanding {
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
