import { useQuery } from '@tanstack/react-query'

import { readCredits } from '../../../shared/billing/credits.ts'
import { call } from '../../core/api/api.ts'

export const useCredits = () =>
  useQuery({
    queryKey: ['billing', 'credits'],
    queryFn: ({ signal }) => call(readCredits, { signal }),
    staleTime: 0,
  })
