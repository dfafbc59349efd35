import { useMutation, useQuery } from '@tanstack/react-query'
import { checkSenderDomain, sendTestMail } from '../../shared/sending.ts'
import { call } from '../api.ts'

export const useTestMail = () => useMutation({ mutationFn: () => call(sendTestMail) })

/** Asked once per selector, and again only when somebody wants it. */
export const useSenderDomain = (storeId: string, selector: string) =>
  useQuery({
    queryKey: ['store', storeId, 'sender-domain', selector],
    queryFn: ({ signal }) => call(checkSenderDomain, { query: { storeId, selector: selector || undefined }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
