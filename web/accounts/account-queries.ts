import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  cancelEmailChange,
  changeEmail,
  changePassword,
  confirmEmail,
  deleteAccount,
  endSession,
  endSessions,
  listSessions,
  prepareExport,
  renameAccount,
  saveProfile,
} from '../../shared/account.ts'
import { meQuery } from '../access/queries.ts'
import { endSession as forgetSession } from '../access/session.ts'
import { call } from '../api.ts'

// One's own profile and sessions, and the account as a whole.

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call(listSessions, { signal }),
})

export const useSessions = () => useQuery(sessionsQuery)

function useRefreshMe() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.refetchQueries({ queryKey: meQuery.queryKey }),
      queries.invalidateQueries({ queryKey: ['team'] }),
      queries.invalidateQueries({ queryKey: ['accounts'] }),
    ])
}

/** Name of the user and of the account; each is asked for only where it changed. */
export function useSaveProfile() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: async ({ name, accountName }: { name?: string; accountName?: string }) => {
      if (name !== undefined) await call(saveProfile, { body: { name } })
      if (accountName !== undefined) await call(renameAccount, { body: { name: accountName } })
    },
    onSettled: refresh,
  })
}

export function useChangeEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => call(changeEmail, { body }),
    onSuccess: refresh,
  })
}

export function useCancelEmailChange() {
  const refresh = useRefreshMe()
  return useMutation({ mutationFn: () => call(cancelEmailChange), onSuccess: refresh })
}

export function useConfirmEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (token: string) => call(confirmEmail, { body: { token }, isAnonymous: true }),
    onSuccess: refresh,
  })
}

export function useChangePassword() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { current: string; password: string }) => call(changePassword, { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
}

export function useEndSession() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (sessionId: string) => call(endSession, { params: { sessionId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
}

export function useEndSessions() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (scope: 'others' | 'all') => call(endSessions, { body: { scope } }),
    onSuccess: (_, scope) => {
      if (scope === 'others') return queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      forgetSession('left')
      return queries.clear()
    },
  })
}

/** The link is a download of its own: what comes is written to disk by the browser, however large. */
export function useExport() {
  return useMutation({
    mutationFn: () => call(prepareExport),
    onSuccess: ({ url }) => {
      const link = document.createElement('a')
      link.href = url
      link.download = ''
      link.click()
    },
  })
}

export function useDeleteAccount() {
  return useMutation({
    mutationFn: (body: { confirmation: string; password: string }) => call(deleteAccount, { body }),
  })
}

/** After the account is gone, or one has left it: nothing of it stays in this browser. */
export function useForgetAccount() {
  const queries = useQueryClient()
  return () => {
    forgetSession('left')
    queries.clear()
  }
}
