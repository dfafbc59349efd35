import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type ImportView,
  keepConsents,
  listConsentImports,
  reportConsents,
  undoConsents,
  uploadConsents,
} from '../../../shared/marketing/ledger.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { useDownload } from '../../core/ui/Download.tsx'

const buildImportsKey = (storeId: string | undefined) => ['consent-imports', storeId]
const RUNNING_REFRESH_MS = 1_000

export function useImports() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: buildImportsKey(storeId),
    queryFn: ({ signal }) => call(listConsentImports, { signal }),
    refetchInterval: ({ state }) => (state.data?.imports.some(isRunning) ? RUNNING_REFRESH_MS : false),
  })
}

export const isRunning = ({ state }: Pick<ImportView, 'state'>) => state === 'running'

export const useUpload = () =>
  useMutation({ mutationFn: (file: File) => call(uploadConsents, { query: { fileName: file.name }, file }) })

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
