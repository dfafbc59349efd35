import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  addSuppression,
  exportSuppressions,
  IMPORT_PART,
  type ImportRow,
  importSuppressions,
  listDoubtfulSuppressions,
  listSuppressions,
  removeSuppression,
  type SuppressionFilter,
  type SuppressionReason,
} from '../../shared/suppressions.ts'
import { call } from '../api.ts'
import { useDownload } from '../ui/Download.tsx'

const LIST = ['suppressions']

export function useSuppressions(filter: SuppressionFilter) {
  return useInfiniteQuery({
    queryKey: [...LIST, filter],
    queryFn: ({ pageParam, signal }) =>
      call(listSuppressions, { query: { ...filter, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  })
}

export const useDoubtfulSuppressions = () =>
  useQuery({ queryKey: [...LIST, 'doubtful'], queryFn: ({ signal }) => call(listDoubtfulSuppressions, { signal }) })

/** Refetches the list after a change. */
function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: change, onSuccess: () => queries.invalidateQueries({ queryKey: LIST }) })
}

export const useAddSuppression = () =>
  useChange((body: { address: string; channels: ('sms' | 'whatsapp')[]; note: string }) =>
    call(addSuppression, { body }),
  )

export const useRemoveSuppression = () =>
  useChange((suppressionId: string) => call(removeSuppression, { params: { suppressionId } }))

export const useExportSuppressions = () =>
  useDownload((query: SuppressionFilter) => call(exportSuppressions, { query }))

export interface ImportReport {
  taken: number
  known: number
  refused: { line: number; problem: string }[]
}

/**
 * Uploads a file in chunks; `onPart` receives the number of rows sent. Rows are idempotent, so the whole file may be
 * sent again after a failure.
 */
export function useImportSuppressions(onPart: (rowsDone: number) => void) {
  return useChange(
    async (file: { rows: ImportRow[]; reason: Exclude<SuppressionReason, 'erased'>; fileName: string }) => {
      const report: ImportReport = { taken: 0, known: 0, refused: [] }
      for (let start = 0; start < file.rows.length; start += IMPORT_PART) {
        const rows = file.rows.slice(start, start + IMPORT_PART)
        const { taken, known, refused } = await call(importSuppressions, { body: { ...file, rows } })
        report.taken += taken
        report.known += known
        report.refused.push(...refused)
        onPart(start + rows.length)
      }
      return report
    },
  )
}
