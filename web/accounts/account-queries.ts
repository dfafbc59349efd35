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
  undoEmail,
  verifyEmail,
} from '../../shared/account.ts'
import { meQuery } from '../access/queries.ts'
import { endSession as forgetSession } from '../access/session.ts'
import { call } from '../api.ts'
import { useDownload } from '../ui/Download.tsx'

// The user's profile and sessions, and the account as a whole.

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

/** User name and account name; each is sent only if it changed. */
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

/** Sent with the current session's token: that session stays, the user's others end. */
export function useConfirmEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (token: string) => call(confirmEmail, { body: { token } }),
    onSuccess: refresh,
  })
}

export function useVerifyEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (token: string) => call(verifyEmail, { body: { token }, isAnonymous: true }),
    onSuccess: refresh,
  })
}

export const useUndoEmail = () =>
  useMutation({
    mutationFn: (body: { token: string; password: string }) => call(undoEmail, { body, isAnonymous: true }),
  })

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

export const useExport = () => useDownload(() => call(prepareExport))

export function useDeleteAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { confirmation: string; password: string }) => call(deleteAccount, { body }),
    // In the mutation, because the dialog may be unmounted: another refused call may have ended the session first.
    onSuccess: () => {
      forgetSession('deleted')
      queries.clear()
    },
  })
}

/** After leaving the account, remove all of its data from this browser. */
export function useForgetAccount() {
  const queries = useQueryClient()
  return () => {
    forgetSession('left')
    queries.clear()
  }
}
