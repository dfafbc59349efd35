import { exportSuppressions, suppressionTexts } from '../../../shared/shoppers/suppressions.ts'
import { accountDownload, type CsvColumn, csvFile, readPages } from '../../access/http/public.ts'
import { type EntryRow, selectPage } from './sql.ts'
import { buildFilter } from './suppressions.ts'

/** The list as a CSV file. */
export const suppressionsDownload = accountDownload({
  name: 'suppressions',
  path: '/api/suppressions/export/file',
  permission: exportSuppressions.permission,
  limit: { name: 'suppressions-export', points: 30, windowS: 3_600 },
  what: exportSuppressions.query,
  read: async (deps, account, query) => {
    const filter = await buildFilter(deps, account, query)
    return csvFile(deps, 'suppression-list', {
      columns,
      pages: readPages<EntryRow>((page) => selectPage(account, filter, page)),
      show: (row) => row,
    })
  },
})

const columns: readonly CsvColumn<EntryRow>[] = [
  ['Address', ({ address }) => address],
  ['Channel', ({ channel }) => suppressionTexts.channels[channel]],
  ['Reason', ({ reason }) => suppressionTexts.reasons[reason]],
  ['Source', ({ source }) => source],
  ['Note', ({ note }) => note],
  ['Added by', ({ added_by }) => added_by],
  ['Since', ({ created_at }) => created_at.toISOString()],
  // An erased shopper's entry has no address; the fingerprint distinguishes entries.
  ['Fingerprint', ({ address_hash }) => address_hash.toString('hex')],
]
