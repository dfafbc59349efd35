import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  cancelConsents,
  confirmConsents,
  exportLedger,
  type ImportMapping,
  type ImportView,
  keepConsents,
  type LedgerChannel,
  type LedgerStatus,
  listConsentImports,
  previewConsents,
  reportConsents,
  searchLedger,
  undoConsents,
  uploadConsents,
} from '../../shared/ledger.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'
import { useDownload } from '../ui/Download.tsx'

export interface LedgerQuery {
  address: string
  channel: LedgerChannel | ''
  status: LedgerStatus | ''
  source: string
  from: string
  to: string
}

export const noFilter: LedgerQuery = { address: '', channel: '', status: '', source: '', from: '', to: '' }

/** Empty filters are left out. */
const toQuery = ({ channel, status, source, from, to, ...rest }: LedgerQuery) => ({
  ...rest,
  ...(channel && { channel }),
  ...(status && { status }),
  ...(source && { source }),
  ...(from && { from }),
  ...(to && { to }),
})

export function useLedger(query: LedgerQuery) {
  const storeId = useStore()?.id
  return useInfiniteQuery({
    queryKey: ['ledger', storeId, query],
    queryFn: ({ pageParam, signal }) =>
      call(searchLedger, { query: { ...toQuery(query), ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

export const useExportLedger = () => useDownload((query: LedgerQuery) => call(exportLedger, { query: toQuery(query) }))

const importsKey = (storeId: string | undefined) => ['consent-imports', storeId]
const RUNNING_REFRESH_MS = 1_000

export function useImports() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: importsKey(storeId),
    queryFn: ({ signal }) => call(listConsentImports, { signal }),
    refetchInterval: ({ state }) => (state.data?.imports.some(isRunning) ? RUNNING_REFRESH_MS : false),
  })
}

export const isRunning = ({ state }: Pick<ImportView, 'state'>) => state === 'running'

export const useUpload = () =>
  useMutation({ mutationFn: (file: File) => call(uploadConsents, { query: { fileName: file.name }, file }) })

/** Cached per mapping, so switching back is immediate. */
export const usePreview = (importId: string, mapping: ImportMapping) =>
  useQuery({
    queryKey: ['consent-preview', importId, mapping],
    queryFn: ({ signal }) => call(previewConsents, { params: { importId }, body: { mapping }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

export function useConfirm(importId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { mapping: ImportMapping; legalGround: string }) =>
      call(confirmConsents, { params: { importId }, body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['consent-imports'] }),
  })
}

export function useCancelImport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (importId: string) => call(cancelConsents, { params: { importId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['consent-imports'] }),
  })
}

/** Refetches the list of imports and the ledger. */
export function useReview(decision: 'keep' | 'undo') {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (importId: string) => call(decision === 'keep' ? keepConsents : undoConsents, { params: { importId } }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['consent-imports'] }),
        queries.invalidateQueries({ queryKey: ['ledger'] }),
      ]),
  })
}

export const useReport = () => useDownload((importId: string) => call(reportConsents, { params: { importId } }))
