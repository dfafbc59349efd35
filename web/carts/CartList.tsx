import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { type CartView, cartTexts } from '../../shared/carts.ts'
import { getErrorText } from '../accounts/queries.ts'
import { ApiError } from '../api.ts'
import { formatCount, formatCounted } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { formatTotal } from '../ui/listQuery.ts'
import { Notice } from '../ui/Notice.tsx'
import { Pager } from '../ui/Pager.tsx'
import { BulkBar } from './BulkBar.tsx'
import { CartPanel } from './CartPanel.tsx'
import { CartsEmpty } from './CartsEmpty.tsx'
import { CartsTable, type ListedProps } from './CartsTable.tsx'
import type { Column } from './columns.ts'
import type { useCarts } from './queries.ts'
import { type ListQuery, type SortColumn, toFilterParams } from './rules.ts'
import { useReasonBadges, useWhatsappEligible } from './send-queries.ts'
import type { Selection } from './sending.ts'
import { toSelection, useSelection } from './useSelection.ts'
import { useSendDialog } from './useSendDialog.tsx'
import { useCanSend, useIsTextsLocked } from './useTextAction.ts'

interface Props {
  query: ListQuery
  carts: ReturnType<typeof useCarts>
  columns: readonly Column[]
  openCart: string | null
  onOpen: (id: string | null) => void
  onJob: (id: string) => void
  onChange: (next: Partial<ListQuery>) => void
  onSort: (column: SortColumn) => void
}

export function CartList({ query, carts, columns, openCart, onOpen, onJob, onChange, onSort }: Props) {
  const filter = toFilterParams(query)
  const selection = useSelection(JSON.stringify(filter))
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
    filter,
    count: total,
    isCapped,
  }
  const chosen = toSelection(selection, all)
  const isWholePage = rows.length > 0 && rows.every(selection.isSelected)
  const whatsappEligible = useEligibleRows(rows)
  const reasonBadges = useReasonBadges(rows)
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
        columns={columns}
        onChange={onChange}
        list={{
          rows,
          keyOf: ({ id }) => id,
          sorting: { ...query, onSort },
          whatsappEligible,
          reasonBadges,
          selection: {
            isSelected: selection.isSelected,
            onSelect: (some, isSelected) => selection.select(some, isSelected, rows),
            allLabel: 'Select all carts on this page',
            labelOf: (cart) => `Select the cart of ${cart.customer_name}`,
          },
          onOpen: ({ id }) => onOpen(id),
          onAsk: send.onAsk,
          onSmsStatus: send.onSmsStatus,
        }}
      />
      <BulkBar
        key={chosen.kind}
        selection={chosen}
        all={describeOffer(chosen, isWholePage, all)}
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

/** Offers to select all matches once the whole page is selected and more exist. */
const describeOffer = (chosen: Selection, isWholePage: boolean, all: Matching): Matching | null =>
  chosen.kind === 'carts' && isWholePage && (all.count > chosen.carts.length || all.isCapped) ? all : null

function useEligibleRows(rows: CartView[]): ReadonlySet<string> {
  const may = useCanSend()
  const lacksTexts = useIsTextsLocked()
  const withPhone = rows.filter(({ phone }) => phone !== null).map(({ id }) => id)
  return useWhatsappEligible(withPhone, may && !lacksTexts)
}

/** Hides the carts in this view only; nothing is deleted (B 7). */
const Removed = ({ count, onUndo }: { count: number; onUndo: () => void }) => (
  <div className="padded">
    <Notice tone="info" isLive>
      <Group justify="space-between" gap="sm">
        <span>{formatCounted(count, 'cart')} removed from this view. Nothing was deleted.</span>
        <Button variant="default" size="compact-sm" onClick={onUndo}>
          Undo
        </Button>
      </Group>
    </Notice>
  </div>
)

interface RowsProps extends Pick<Props, 'query' | 'carts' | 'columns' | 'onChange'> {
  list: ListedProps
}

function Rows({ carts, ...props }: RowsProps) {
  return (
    <Loaded
      query={carts}
      loading={<LoadingRows />}
      failed="The carts could not be loaded"
      wordsOf={getFailureText}
      className="padded"
    >
      {(data) => <Page {...props} data={data} isStale={carts.isPlaceholderData} />}
    </Loaded>
  )
}

interface PageProps extends Omit<RowsProps, 'carts'> {
  data: NonNullable<Props['carts']['data']>
  /** The requested page is still loading. */
  isStale: boolean
}

function Page({ query, data, isStale, columns, onChange, list }: PageProps) {
  const { pagination } = data
  const { total, totalIsCapped: isCapped = false } = pagination
  const isFiltered = Object.keys(toFilterParams(query)).length > 0 && data.carts.length === 0
  return (
    <div aria-busy={isStale}>
      {list.rows.length === 0 ? (
        <CartsEmpty isFiltered={isFiltered} page={query.page} total={total} onReset={onChange} />
      ) : (
        <>
          <VisuallyHidden role="status">
            {formatTotal({ total, isCapped })} {total === 1 ? 'cart' : 'carts'}
          </VisuallyHidden>
          <CartsTable {...list} columns={columns} />
        </>
      )}
      {pagination.lookedThrough && (
        <Text fz="sm" c="dimmed" px="md" pb="md">
          No name, email or number begins with “{query.search}”. These results contain it anywhere, among the newest{' '}
          {formatCount(pagination.lookedThrough)} carts.
        </Text>
      )}
      {pagination.reachOfNewest && (
        <Text fz="sm" c="dimmed" px="md" pb="md">
          The newest {formatCount(pagination.reachOfNewest)} carts were checked for this filter.
        </Text>
      )}
      <Pager
        {...pagination}
        limit={query.limit}
        requestedPage={query.page}
        onPage={(page) => onChange({ page })}
        onLimit={(limit) => onChange({ limit })}
      />
    </div>
  )
}

/** B 8: the server's message, else the specification's. Without a store no request is made. */
function getFailureText(error: Error): string {
  if (error instanceof ApiError && error.code === 'not_found') return cartTexts.noPlatform
  return getErrorText(error, cartTexts.loadFailed)
}
