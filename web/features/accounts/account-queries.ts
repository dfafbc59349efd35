import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { listSessions, prepareExport } from '../../../shared/workspace/account.ts'
import { meQuery } from '../../core/access/queries.ts'

import { call } from '../../core/api/api.ts'
import { useDownload } from '../../core/ui/Download.tsx'

// The user's profile and sessions, and the account as a whole.

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call(listSessions, { signal }),
})

export function useRefreshMe() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.refetchQueries({ queryKey: meQuery.queryKey }),
      queries.invalidateQueries({ queryKey: ['team'] }),
      queries.invalidateQueries({ queryKey: ['accounts'] }),
    ])
}

export const useExport = () => useDownload(() => call(prepareExport))
