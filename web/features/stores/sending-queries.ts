import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { readSendingStates, sendTestMail } from '../../../shared/delivery/sending.ts'
import { call } from '../../core/api/api.ts'
import { mailServerQuery } from './mail-server-queries.ts'

export function useTestMail() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(sendTestMail),
    // Other screens show whether a test mail was accepted.
    onSuccess: () => queries.invalidateQueries({ queryKey: mailServerQuery.queryKey }),
  })
}

export const useSendingStates = (storeId: string) =>
  useQuery({
    queryKey: ['store', storeId, 'sending-states'],
    queryFn: ({ signal }) => call(readSendingStates, { query: { storeId }, signal }),
    staleTime: 0,
  })
