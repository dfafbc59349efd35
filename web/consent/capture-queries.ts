import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { chooseCaptureMode, readCaptureMode } from '../../shared/capture-mode.ts'
import { connectionQuery, useStore } from '../access/queries.ts'
import { call } from '../api.ts'

const modeKey = (storeId: string | undefined) => ['capture-mode', storeId]

export function useCaptureMode() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: modeKey(storeId), queryFn: ({ signal }) => call(readCaptureMode, { signal }) })
}

export function useChooseCaptureMode() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: z.input<typeof chooseCaptureMode.body>) => call(chooseCaptureMode, { body }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['capture-mode'] }),
        // The store's data includes whether the setting was chosen.
        queries.invalidateQueries({ queryKey: connectionQuery.queryKey }),
      ]),
  })
}
