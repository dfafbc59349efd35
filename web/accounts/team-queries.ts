import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Role } from '../../shared/roles.ts'
import {
  acceptInvitation,
  changeRole,
  inviteMember,
  leaveTeam,
  listAccounts,
  readInvitation,
  readTeam,
  removeMember,
  resendInvitation,
  revokeInvitation,
  switchAccount,
} from '../../shared/team.ts'
import { forgetConnection } from '../access/session.ts'
import { call } from '../api.ts'
import { useSignIn } from './queries.ts'

const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => call(readTeam, { signal }),
  // The invitation mail is sent within moments; refetch its state.
  refetchInterval: ({ state }) => (state.data?.invitations.some((each) => each.state === 'waiting') ? 2_000 : false),
})

const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => call(listAccounts, { signal }),
})

export const useTeam = () => useQuery(teamQuery)
export const useAccounts = () => useQuery(accountsQuery)

export const useInvite = () => useTeamChange((body: { email: string; role: Role }) => call(inviteMember, { body }))
export const useResend = () =>
  useTeamChange((invitationId: string) => call(resendInvitation, { params: { invitationId } }))
export const useRevoke = () =>
  useTeamChange((invitationId: string) => call(revokeInvitation, { params: { invitationId } }))
export const useChangeRole = () =>
  useTeamChange(({ userId, role }: { userId: string; role: Role }) =>
    call(changeRole, { params: { userId }, body: { role } }),
  )
export const useRemoveMember = () => useTeamChange((userId: string) => call(removeMember, { params: { userId } }))

export const useLeaveTeam = () => useMutation({ mutationFn: () => call(leaveTeam) })

/** All cached data belongs to the previous account: clear and refetch. */
export function useSwitchAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (accountId: string) => call(switchAccount, { body: { accountId } }),
    onSuccess: () => {
      forgetConnection()
      return queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'instance' })
    },
  })
}

export const useInvitation = (token: string) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call(readInvitation, { body: { token }, signal }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

interface Accepting {
  token: string
  name?: string
  password?: string
  code?: string
  isRemembered: boolean
}

/** Sends the token of the signed-in user, so an invited user need not sign in again. */
export const useAcceptInvitation = () =>
  useSignIn(({ token, name, password, code }: Accepting) =>
    call(acceptInvitation, {
      body: { token, ...(name && { name }), ...(password && { password }), ...(code && { code }) },
    }),
  )

function useTeamChange<Given>(ask: (given: Given) => Promise<{ message: string }>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: teamQuery.queryKey }),
        // The member's own role may have changed.
        queries.invalidateQueries({ queryKey: ['me'] }),
      ]),
  })
}
