import { z } from 'zod'
import {
  exportLedger,
  getSourceText,
  importProblems,
  type LedgerEntry,
  reportConsents,
  statusText,
} from '../../../shared/marketing/ledger.ts'
import { type CsvColumn, csvFile, prepareDownload, readPages, storeDownload } from '../../access/http/public.ts'
import type { Session } from '../../access/members/public.ts'
import { AppError } from '../../core/common/public.ts'
import type { StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

import { normalizeTypedAddress, toEntry } from './ledger.ts'
import { isImportId } from './rules.ts'
import { ledgerPage } from './sql.ts'

// Downloads of the consent ledger and of an import's rejected rows.

const limit = { name: 'ledger-export', points: 30, windowS: 3_600 }

export const ledgerDownload = storeDownload({
  name: 'ledger',
  path: '/api/consent/ledger/export/file',
  permission: exportLedger.permission,
  limit,
  what: exportLedger.query,
  again: 'download',
  read: async (deps, store, filter) => {
    const typed = await normalizeTypedAddress(store, filter.address)
    const hash = typed ? deps.secrets.addressHash(typed) : null
    const pages = readPages((page: LedgerPage) => ledgerPage(store, { ...filter, hash, ...page }))
    const show = (row: LedgerRow) => ({ ...toEntry(row, typed), hash: row.hash })
    return csvFile(deps, 'consent-ledger', { columns, pages, show })
  },
})

type LedgerRow = Awaited<ReturnType<typeof ledgerPage>>[number]
type LedgerPage = Pick<Parameters<typeof ledgerPage>[1], 'limit'> & { after: LedgerRow | null }

const columns: readonly CsvColumn<LedgerEntry & { hash: string }>[] = [
  ['Person', (entry) => entry.who],
  ['Fingerprint', (entry) => entry.hash],
  ['Channel', (entry) => entry.channel],
  ['Status', (entry) => statusText[entry.status]],
  ['Confirmed', (entry) => (entry.isConfirmed ? 'yes' : 'no')],
  ['Source', (entry) => getSourceText(entry.source)],
  ['Wording shown', (entry) => entry.wording],
  ['Time', (entry) => entry.at],
  ['Evidence', (entry) => entry.evidence.join('; ')],
]

/** The rows as in the file, with the problem of each, to be corrected and uploaded again. */
export const refusedDownload = storeDownload({
  name: 'refused-consents',
  path: '/api/consent/imports/report/file',
  permission: reportConsents.permission,
  limit,
  what: z.object({ importId: z.uuid() }),
  again: 'download',
  read: async (deps, store, { importId }) => {
    const names = (await readColumns(store, importId)) ?? []
    const columns: CsvColumn<RefusedRow>[] = [
      ...names.map((name, index): CsvColumn<RefusedRow> => [name, ({ cells }) => cells[index] ?? '']),
      ['Row', ({ line }) => line],
      ['Problem', ({ problem }) => importProblems[problem as keyof typeof importProblems] ?? problem],
    ]
    const pages = readPages<RefusedRow>(({ after, limit }) => refusalsAfter(store, importId, after?.line ?? 0, limit))
    return csvFile(deps, 'refused-consents', { columns, pages, show: (row) => row })
  },
})

/** For an import of this store. */
export async function prepareReport(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  session: Session,
  store: StoreDb,
  importId: string,
) {
  if (!isImportId(importId) || !(await readColumns(store, importId)))
    throw new AppError('not_found', 'Import not found')
  return prepareDownload(deps, refusedDownload, { session, storeId: store.storeId, what: { importId } })
}

async function readColumns({ db, storeId }: StoreDb, id: string): Promise<string[] | undefined> {
  const row = await db
    .selectFrom('consent_imports')
    .select('columns')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.columns
}

interface RefusedRow {
  line: number
  cells: string[]
  problem: string
}

function refusalsAfter({ db, storeId }: StoreDb, importId: string, line: number, limit: number): Promise<RefusedRow[]> {
  return db
    .selectFrom('consent_import_errors')
    .select(['line', 'cells', 'problem'])
    .where('store_id', '=', storeId)
    .where('import_id', '=', importId)
    .where('line', '>', line)
    .orderBy('line')
    .limit(limit)
    .execute()
}
