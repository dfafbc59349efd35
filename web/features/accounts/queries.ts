import { useMutation, useQueryClient } from '@tanstack/react-query'
import { demoLogin, forgotPassword, login, register, resetPassword, type User } from '../../../shared/access/auth.ts'
import { meQuery } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { forgetConnection, rememberUser, startSession } from '../../core/session/session.ts'

interface RememberChoice {
  isRemembered: boolean
}

export const useLogin = () =>
  useSignIn(({ email, password, code }: { email: string; password: string; code?: string } & RememberChoice) =>
    call(login, { body: { email, password, ...(code !== undefined && { code }) }, isAnonymous: true }),
  )

export const useRegister = () =>
  useSignIn(({ name, email, password }: { name: string; email: string; password: string } & RememberChoice) =>
    call(register, { body: { name, email, password }, isAnonymous: true }),
  )

export const useDemoLogin = () => useSignIn((_: RememberChoice) => call(demoLogin, { isAnonymous: true }))

export const useForgotPassword = () =>
  useMutation({ mutationFn: (email: string) => call(forgotPassword, { body: { email }, isAnonymous: true }) })

export const useResetPassword = () =>
  useMutation({
    mutationFn: (body: { token: string; password: string }) => call(resetPassword, { body, isAnonymous: true }),
  })

/** Clears the cache, so the new user sees nothing of the previous one. */
export function useSignIn<Input extends RememberChoice>(ask: (input: Input) => Promise<{ token: string; user: User }>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSuccess: ({ token, user }, { isRemembered }) => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'instance' })
      forgetConnection()
      rememberUser(user)
      queries.setQueryData(meQuery.queryKey, user)
      startSession(token, isRemembered)
    },
  })
}
