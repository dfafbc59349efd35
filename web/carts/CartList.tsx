import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { type CartView, cartTexts } from '../../shared/carts.ts'
import { wordsOf } from '../accounts/queries.ts'
import { ApiError } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { counted, formatCount } from '../ui/format.ts'
import { LoadingRows } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { BulkBar } from './BulkBar.tsx'
import { CartCards } from './CartCards.tsx'
import { CartPanel } from './CartPanel.tsx'
import { CartsEmpty } from './CartsEmpty.tsx'
import { CartsTable, type ListedProps } from './CartsTable.tsx'
import type { Column } from './columns.ts'
import { Pages } from './Pages.tsx'
import type { useCarts } from './queries.ts'
import { type ListQuery, nextSort, type SortColumn, totalText } from './rules.ts'
import { useWhatsappEligible } from './send-queries.ts'
import type { Selection } from './sending.ts'
import { selectionOf, useSelection } from './useSelection.ts'
import { useSendDialog } from './useSendDialog.tsx'
import { useMaySend, usePlanIsFree } from './useTextAction.ts'

interface Props {
  query: ListQuery
  carts: ReturnType<typeof useCarts>
  /** null: cards instead of a table. */
  columns: Column[] | null
  openCart: string | null
  onOpen: (id: string | null) => void
  onJob: (id: string) => void
  onChange: (next: Partial<ListQuery>) => void
}

export function CartList({ query, carts, columns, openCart, onOpen, onJob, onChange }: Props) {
  const selection = useSelection(`${query.status ?? ''}\n${query.search ?? ''}`)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const send = useSendDialog('list', {
    onJob: (id) => {
      selection.clear()
      onJob(id)
    },
  })
  const rows = (carts.data?.carts ?? []).filter(({ id }) => !hidden.has(id))
  const total = carts.data?.pagination.total ?? 0
  const isCapped = carts.data?.pagination.totalIsCapped ?? false
  const all = {
    kind: 'matching' as const,
    status: query.status ?? '',
    search: query.search ?? '',
    count: total,
    isCapped,
  }
  const chosen = selectionOf(selection, all)
  const isWholePage = rows.length > 0 && rows.every(selection.isSelected)
  const whatsappEligible = useEligibleOf(rows)
  const known = rows.find(({ id }) => id === openCart)
  const remove = () => {
    setHidden(new Set([...hidden, ...selection.chosen.map(({ id }) => id)]))
    selection.clear()
  }
  return (
    <>
      {hidden.size > 0 && <Removed count={hidden.size} onUndo={() => setHidden(new Set())} />}
      <Rows
        query={query}
        carts={carts}
        rows={rows}
        columns={columns}
        onChange={onChange}
        list={{
          query,
          whatsappEligible,
          isSelected: selection.isSelected,
          onSelect: (some, isSelected) => selection.select(some, isSelected, rows),
          onOpen: ({ id }) => onOpen(id),
          onAsk: send.onAsk,
          onSmsStatus: send.onSmsStatus,
        }}
      />
      <BulkBar
        key={chosen.kind}
        selection={chosen}
        all={offerOf(chosen, isWholePage, all)}
        onSelectAll={selection.selectAll}
        onClear={selection.clear}
        onAsk={send.onAsk}
        onDelete={remove}
      />
      <CartPanel
        cartId={openCart}
        known={known}
        onClose={() => onOpen(null)}
        onAsk={send.onAsk}
        onSmsStatus={send.onSmsStatus}
      />
      {send.dialogs}
    </>
  )
}

type Matching = Extract<Selection, { kind: 'matching' }>

/** All that match are offered once the whole page is selected and there is more. */
const offerOf = (chosen: Selection, isWholePage: boolean, all: Matching): Matching | null =>
  chosen.kind === 'carts' && isWholePage && (all.count > chosen.carts.length || all.isCapped) ? all : null

function useEligibleOf(rows: CartView[]): ReadonlySet<string> {
  const may = useMaySend()
  const isFree = usePlanIsFree()
  const withPhone = rows.filter(({ phone }) => phone !== null).map(({ id }) => id)
  return useWhatsappEligible(withPhone, may && !isFree)
}

/** Only this view leaves them out; nothing is deleted (B 7). */
const Removed = ({ count, onUndo }: { count: number; onUndo: () => void }) => (
  <div className="padded">
    <Notice tone="info" isLive>
      <Group justify="space-between" gap="sm">
        <span>{counted(count, 'cart')} removed from this view. Nothing was deleted.</span>
        <Button variant="default" size="compact-sm" onClick={onUndo}>
          Undo
        </Button>
      </Group>
    </Notice>
  </div>
)

interface RowsProps extends Pick<Props, 'query' | 'carts' | 'columns' | 'onChange'> {
  rows: CartView[]
  list: Omit<ListedProps, 'carts' | 'onSort'>
}

function Rows({ query, carts, rows, columns, onChange, list }: RowsProps) {
  if (carts.isPending) return <LoadingRows />
  if (!carts.data) {
    const error = new Error(failureOf(carts.error))
    return (
      <div className="padded">
        <Failed title="The carts could not be loaded" error={error} onRetry={() => carts.refetch()} />
      </div>
    )
  }
  const { pagination } = carts.data
  const { total, totalIsCapped: isCapped = false } = pagination
  const isFiltered = Boolean(query.search || query.status) && carts.data.carts.length === 0
  const sort = (column: SortColumn) => onChange(nextSort(query, column))
  return (
    <div aria-busy={carts.isPlaceholderData}>
      {rows.length === 0 ? (
        <CartsEmpty isFiltered={isFiltered} page={query.page} total={total} onReset={onChange} />
      ) : (
        <>
          <VisuallyHidden role="status">
            {totalText({ total, isCapped })} {total === 1 ? 'cart' : 'carts'}
          </VisuallyHidden>
          {columns ? (
            <CartsTable {...list} carts={rows} columns={columns} onSort={sort} />
          ) : (
            <CartCards {...list} carts={rows} onSort={sort} />
          )}
        </>
      )}
      {pagination.lookedThrough && (
        <Text fz="sm" c="dimmed" px="md" pb="md">
          No name, email or number begins with “{query.search}”, so the newest {formatCount(pagination.lookedThrough)}{' '}
          carts were searched for it anywhere.
        </Text>
      )}
      {pagination.pages > 1 && <Pages {...pagination} wanted={query.page} onPage={(page) => onChange({ page })} />}
    </div>
  )
}

/** B 8: the server's own words, else the specification's. Without a store there is nothing to ask. */
function failureOf(error: Error): string {
  if (error instanceof ApiError && error.code === 'not_found') return cartTexts.noPlatform
  return wordsOf(error, cartTexts.loadFailed)
}
