import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { type FlowView, listFlows, previewFlow, saveFlow, switchFlow, upcomingMessages } from '../../shared/flows.ts'
import { call } from '../api.ts'

export type FlowEdit = z.input<typeof saveFlow.body>
export type FlowSwitch = z.input<typeof switchFlow.body>
export type PreviewOf = z.input<typeof previewFlow.body>

const COUNTS_REFRESH_MS = 15_000

const flowsQuery = queryOptions({
  queryKey: ['flows'],
  queryFn: ({ signal }) => call(listFlows, { signal }),
  refetchInterval: COUNTS_REFRESH_MS,
})

export const useFlows = () => useQuery(flowsQuery)

export function useUpcoming(flowId: string) {
  return useQuery({
    queryKey: ['flows', flowId, 'upcoming'],
    queryFn: ({ signal }) => call(upcomingMessages, { params: { flowId }, query: { minutes: 60 }, signal }),
    refetchInterval: COUNTS_REFRESH_MS,
  })
}

/** Rendered by the code that sends. The last one stays while the next is on its way. */
export function usePreview(flowId: string, body: PreviewOf | null) {
  return useQuery({
    queryKey: ['flows', flowId, 'preview', body],
    queryFn: ({ signal }) => call(previewFlow, { params: { flowId }, body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

export function useSaveFlow(flowId: string) {
  const keep = useKeepFlow()
  return useMutation({
    mutationFn: (body: FlowEdit) => call(saveFlow, { params: { flowId }, body }),
    onSuccess: ({ flow }) => keep(flow),
  })
}

export function useSwitchFlow(flowId: string) {
  const keep = useKeepFlow()
  return useMutation({
    mutationFn: (body: FlowSwitch) => call(switchFlow, { params: { flowId }, body }),
    onSuccess: ({ flow }) => keep(flow),
  })
}

function useKeepFlow() {
  const queries = useQueryClient()
  return (flow: FlowView) => {
    queries.setQueryData(
      flowsQuery.queryKey,
      (old) => old && { ...old, flows: old.flows.map((other) => (other.id === flow.id ? flow : other)) },
    )
    void queries.invalidateQueries({ queryKey: ['flows', flow.id] })
  }
}
