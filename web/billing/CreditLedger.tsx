import { Button } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useEffect } from 'react'
import type { CreditEntry } from '../../shared/credits.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { formatDateTime } from '../ui/times.ts'
import { describeEntry, formatCredits, formatSignedCredits } from './credit-copy.ts'
import { useCreditEntries } from './credit-queries.ts'
import { PageNumbers, usePageParam } from './PageNumbers.tsx'

const REGION = 'credit-ledger'

/** Every movement of the credits, to the millionth. */
export function CreditLedger() {
  const { page, put } = usePageParam('ledger')
  const isOpen = page !== null
  return (
    <div>
      <Button
        variant="default"
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': REGION })}
        onClick={() => put(isOpen ? null : 1)}
      >
        {isOpen ? 'Hide Movements' : 'View Movements'}
      </Button>
      {isOpen && (
        <section id={REGION} aria-label="Movements of credits" style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <Entries page={page} onPage={put} />
        </section>
      )}
    </div>
  )
}

function Entries({ page, onPage }: { page: number; onPage: (page: number, replace?: boolean) => void }) {
  const entries = useCreditEntries(page)
  const last = entries.isPlaceholderData ? 0 : (entries.data?.pagination.pages ?? 0)
  // The page number in the address does not exist.
  useEffect(() => {
    if (last > 0 && page > last) onPage(last, true)
  })
  return (
    <Loaded query={entries} loading={<LoadingRows count={4} />} failed="The movements could not be loaded.">
      {({ entries: rows, pagination }) =>
        pagination.total === 0 ? (
          <Empty icon={IconReceipt} text="No credits yet" />
        ) : (
          <>
            <DataList label="Movements" columns={columns} rows={rows} keyOf={({ seq }) => String(seq)} minWidth={560} />
            {pagination.pages > 1 && (
              <PageNumbers {...pagination} noun="movement" requestedPage={page} onPage={onPage} />
            )}
          </>
        )
      }
    </Loaded>
  )
}

const columns: readonly DataColumn<CreditEntry>[] = [
  { id: 'date', label: 'Date', sort: null, cell: ({ at }) => formatDateTime(at) },
  { id: 'what', label: 'What', sort: null, cell: (entry) => describeEntry(entry) },
  {
    id: 'amount',
    label: 'Amount',
    sort: null,
    isNumber: true,
    cell: ({ micros }) => <Money words={formatSignedCredits(micros)} />,
  },
  {
    id: 'balance',
    label: 'Balance',
    sort: null,
    isNumber: true,
    cell: ({ balanceMicros }) => <Money words={formatCredits(balanceMicros)} />,
  },
]

const Money = ({ words }: { words: string }) => <span className="tabular">{words}</span>
