import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback } from 'react'
import type { z } from 'zod'
import { flowReport, type reportDays } from '../../../shared/marketing/flow-report.ts'
import {
  chooseWinner,
  copyFlow,
  createFlow,
  deleteFlow,
  type FlowView,
  listFlows,
  orderFlows,
  previewFlow,
  saveFlow,
  switchFlow,
  trySaveFlow,
} from '../../../shared/marketing/flows.ts'
import { upcomingMessages } from '../../../shared/marketing/upcoming.ts'
import { BROKEN, call, getErrorText } from '../../core/api/api.ts'
import { deletions, useHiddenIds } from '../../core/api/deletions.ts'
import { buildStoreFields } from '../../core/session/session.ts'
import { announce } from '../../core/ui/announce.ts'
import { deleteWithToast } from '../../core/ui/UndoToast.tsx'
import { insertFlow, removeFlows, sortFlows } from './rules.ts'

export type FlowEdit = z.input<typeof saveFlow.body>
export type FlowSwitch = z.input<typeof switchFlow.body>
export type PreviewOf = z.input<typeof previewFlow.body>

type FlowList = z.output<typeof listFlows.reply>

const COUNTS_REFRESH_MS = 15_000

const flowsQuery = queryOptions({
  queryKey: ['flows'],
  queryFn: ({ signal }) => call(listFlows, { signal }),
  refetchInterval: COUNTS_REFRESH_MS,
})

export function useFlows() {
  const hidden = useHiddenIds()
  const select = useCallback((data: FlowList) => ({ ...data, flows: removeFlows(data.flows, hidden) }), [hidden])
  return useQuery({ ...flowsQuery, select })
}

export function useUpcoming(flowId: string) {
  return useQuery({
    queryKey: ['flows', flowId, 'upcoming'],
    queryFn: ({ signal }) => call(upcomingMessages, { params: { flowId }, query: { minutes: 60 }, signal }),
    refetchInterval: COUNTS_REFRESH_MS,
  })
}

/** Rendered by the sending code. Keeps the last preview while the next loads. */
export function usePreview(flowId: string, body: PreviewOf | null) {
  return useQuery({
    queryKey: ['flows', flowId, 'preview', body],
    queryFn: ({ signal }) => call(previewFlow, { params: { flowId }, body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

/** What saving would do to scheduled messages. */
export function useFlowEffect(flowId: string, body: string | null) {
  return useQuery({
    queryKey: ['flows', flowId, 'effect', body],
    queryFn: ({ signal }) => call(trySaveFlow, { params: { flowId }, body: JSON.parse(body!), signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
}

export const useSaveFlow = (flowId: string) =>
  useFlowChange((body: FlowEdit) => call(saveFlow, { params: { flowId }, body }))

export const useSwitchFlow = (flowId: string) =>
  useFlowChange((body: FlowSwitch) => call(switchFlow, { params: { flowId }, body }))

export const useChooseWinner = (flowId: string) =>
  useFlowChange(({ stepId, variantId }: { stepId: string; variantId: string }) =>
    call(chooseWinner, { params: { flowId, stepId }, body: { variantId } }),
  )

// Plan limits and positions depend on the whole list, so pending deletions are sent first.
export const useCreateFlow = () =>
  useFlowChange(async (body: z.input<typeof createFlow.body>) => {
    await deletions.finishAll()
    return call(createFlow, { body })
  })

export const useCopyFlow = () =>
  useFlowChange(async (flowId: string) => {
    await deletions.finishAll()
    return call(copyFlow, { params: { flowId } })
  })

/** Deletes unless it is undone in time. */
export function useDeleteFlow() {
  const queries = useQueryClient()
  return ({ id, name }: Pick<FlowView, 'id' | 'name'>) => {
    // The store shown may change before the request is sent.
    const query = buildStoreFields()
    deleteWithToast('Flow deleted', {
      id,
      send: async ({ keepalive }) => {
        await call(deleteFlow, { params: { flowId: id }, query, keepalive })
        dropFlow(queries, id)
      },
      onFailed: (error) => {
        announce(`“${name}” was not deleted. ${getErrorText(error, BROKEN)}`, 'bad')
        void queries.invalidateQueries({ queryKey: flowsQuery.queryKey })
      },
    })
  }
}

function dropFlow(queries: QueryClient, flowId: string): void {
  queries.setQueryData(
    flowsQuery.queryKey,
    (old) => old && { ...old, flows: removeFlows(old.flows, new Set([flowId])) },
  )
  void queries.invalidateQueries({ queryKey: flowsQuery.queryKey })
}

/** Optimistic reorder, rolled back if refused. */
export function useOrderFlows() {
  const queries = useQueryClient()
  return useMutation({
    async mutationFn(flowIds: string[]) {
      await deletions.finishAll()
      return call(orderFlows, { body: { flowIds } })
    },
    async onMutate(flowIds) {
      await queries.cancelQueries({ queryKey: flowsQuery.queryKey, exact: true })
      queries.setQueryData(flowsQuery.queryKey, (old) => old && { ...old, flows: sortFlows(old.flows, flowIds) })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: flowsQuery.queryKey, exact: true }),
  })
}

export type ReportDays = (typeof reportDays)[number]

export function useFlowReport(flowId: string, days: ReportDays) {
  return useQuery({
    queryKey: ['flows', flowId, 'report', days],
    queryFn: async ({ signal }) => (await call(flowReport, { params: { flowId }, query: { days }, signal })).report,
    staleTime: COUNTS_REFRESH_MS,
    placeholderData: keepPreviousData,
  })
}

/** The answer replaces the flow, or is inserted at its position. */
function useFlowChange<Wanted>(change: (input: Wanted) => Promise<{ flow: FlowView }>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: ({ flow }) => {
      queries.setQueryData(flowsQuery.queryKey, (old) => old && { ...old, flows: insertFlow(old.flows, flow) })
      void queries.invalidateQueries({ queryKey: ['flows', flow.id] })
    },
  })
}
