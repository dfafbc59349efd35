import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import * as api from '../../shared/mail-server.ts'
import { call } from '../api.ts'

export const mailServerQuery = queryOptions({
  queryKey: ['mail-server'],
  queryFn: ({ signal }): Promise<api.MailServerView> => call(api.readMailServer, { signal }),
})

export const useMailServer = (isWanted = true) => useQuery({ ...mailServerQuery, enabled: isWanted })

/** The answer replaces the cached state. Switches and tests depend on it. */
function useMailServerChange<Input>(change: (input: Input) => Promise<api.MailServerView>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (view) => {
      queries.setQueryData(mailServerQuery.queryKey, view)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'store' })
    },
  })
}

export const useSaveMailServer = () =>
  useMailServerChange((body: z.input<typeof api.saveMailServer.body>) => call(api.saveMailServer, { body }))

export const useRemoveMailServer = () => useMailServerChange((_: undefined) => call(api.removeMailServer))
