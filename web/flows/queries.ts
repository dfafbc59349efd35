import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { type FlowView, listFlows, previewFlow, saveFlow, switchFlow, upcomingMessages } from '../../shared/flows.ts'
import { cartEligibility, SAMPLE_CART } from '../../shared/reminders.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'
import { useCarts } from '../carts/queries.ts'
import { cartToShow } from './preview-cart.ts'

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

/** The carts a preview is offered for. */
export const NEWEST = { page: 1, limit: 50, sort: 'timestamp', order: 'desc' } as const

/** The cart a step is shown for until one is chosen: a cart that could get it, or the sample cart. Stays once it is found. */
export function usePreviewCart(step: FlowView['steps'][number]['channel']): string | null {
  const channel = step === 'push' ? 'email' : step
  const storeId = useStore()?.id
  const [kept, keep] = useState<Partial<Record<string, string>>>({})
  const listed = useCarts(NEWEST)
  const carts = listed.data?.carts
  const cartIds = carts?.map(({ id }) => id) ?? []
  const eligibility = useQuery({
    queryKey: ['carts', storeId, 'preview', channel, cartIds],
    queryFn: ({ signal }) => call(cartEligibility, { body: { channel, cartIds }, signal }),
    enabled: cartIds.length > 0 && !kept[channel],
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const isNone = carts?.length === 0 || listed.error || eligibility.error
  const found = carts && eligibility.data ? cartToShow(carts, channel, eligibility.data) : isNone ? SAMPLE_CART : null
  if (found && !kept[channel]) keep({ ...kept, [channel]: found })
  return kept[channel] ?? found
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
