import { queryOptions, useQuery } from '@tanstack/react-query'

import { acceptInvitation, readInvitation, readTeam } from '../../../shared/workspace/team.ts'

import { call } from '../../core/api/api.ts'
import { useSignIn } from './queries.ts'

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => call(readTeam, { signal }),
  // The invitation mail is sent within moments; refetch its state.
  refetchInterval: ({ state }) => (state.data?.invitations.some((each) => each.state === 'waiting') ? 2_000 : false),
})

export const useTeam = () => useQuery(teamQuery)

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
