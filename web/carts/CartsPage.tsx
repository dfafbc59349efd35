import './carts.css'
import { Button, Card, Group, NativeSelect, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { readStage } from '../../shared/reach.ts'
import { useHasPermission } from '../access/queries.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { useProducts } from '../audiences/queries.ts'
import { ColumnsMenu } from '../ui/ColumnsMenu.tsx'
import { DownloadButton } from '../ui/Download.tsx'
import { formatAge, formatCounted } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { useIsWide, useListQuery } from '../ui/useListQuery.ts'
import { BulkSendCard } from './BulkSendCard.tsx'
import { badgeLooks } from './badges.tsx'

import { columns as allColumns, optional, useColumns } from './columns.ts'
import { useCarts, useExportCarts } from './queries.ts'
import { listReachOptions } from './reason-badges.ts'
import { BEHIND_NUMBER, cartsAddress, formatStage, isFromFigure, type ListQuery, toFilterParams } from './rules.ts'
import { useReach } from './send-queries.ts'
import { VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { type CartView, cartTexts } from '../../shared/carts.ts'
import { ApiError } from '../api.ts'
import { formatCount } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { formatTotal } from '../ui/listQuery.ts'
import { Pager } from '../ui/Pager.tsx'
import { BulkBar } from './BulkBar.tsx'
import { CartPanel } from './CartPanel.tsx'
import { CartsEmpty } from './CartsEmpty.tsx'
import { CartsTable, type ListedProps } from './CartsTable.tsx'
import type { Column } from './columns.ts'
import { type SortColumn } from './rules.ts'
import { useReasonBadges, useWhatsappEligible } from './send-queries.ts'
import type { Selection } from './sending.ts'

import { useSendDialog } from './useSendDialog.tsx'
import { useCanSend, useIsTextsLocked } from './useTextAction.ts'

const statuses = [
  { value: '', label: 'All' },
  ...Object.keys(badgeLooks).map((badge) => ({ value: badge.toLowerCase(), label: badge })),
]

export function CartsPage() {
  const { query, change, put, sort, param } = useListQuery(cartsAddress)
  const carts = useCarts(query)
  const columns = useColumns()
  const isWide = useIsWide()
  const mayExport = useHasPermission('account:export')
  const job = param('job')
  const age = carts.data?.syncAgeSeconds
  // Reserve the line from the start, so the answer shifts nothing.
  const text = carts.isPending
    ? '\u00a0'
    : age == null
      ? 'Carts your shoppers didn’t check out.'
      : `Orders checked ${formatAge(age)}.`
  return (
    <>
      <PageTitle title="Abandoned Carts" text={text} />
      {job && <BulkSendCard key={job} jobId={job} onJob={(id) => put('job', id)} onDismiss={() => put('job', null)} />}
      <Card padding={0} style={{ overflow: 'visible' }}>
        <Group p="md" gap="sm">
          <div style={{ flex: '1 1 180px' }}>
            <SearchBox
              label="Search customers"
              value={query.search ?? ''}
              onSearch={(text) => change({ search: text })}
            />
          </div>
          <NativeSelect
            aria-label="Status"
            data={statuses}
            value={query.status ?? ''}
            onChange={(event) => change({ status: event.currentTarget.value })}
            style={{ flex: '1 1 150px' }}
            maw={{ base: 'none', md: 220 }}
          />
          <ReachFilter query={query} isAsked={carts.isSuccess} onChange={change} />
          {isWide && <ColumnsMenu optional={optional} {...columns} />}
          {mayExport && <ExportButton query={query} />}
        </Group>
        {isFromFigure(query) && (
          <Text fz="xs" c="dimmed" px="md" pb="sm">
            {BEHIND_NUMBER}
          </Text>
        )}
        <CartList
          query={query}
          carts={carts}
          columns={isWide ? columns.shown : allColumns}
          openCart={param('cart')}
          onOpen={(id) => put('cart', id)}
          onJob={(id) => put('job', id)}
          onChange={change}
          onSort={sort}
        />
      </Card>
    </>
  )
}

const regions = new Intl.DisplayNames('en-US', { type: 'region' })
const formatCountry = (code: string) => (code === 'none' ? 'Country not known' : (regions.of(code) ?? code))

interface ReachProps {
  query: ListQuery
  /** Loaded after the list. */
  isAsked: boolean
  onChange: (next: Partial<ListQuery>) => void
}

/** Filter by email reachability and its reasons; the dashboard links here with its 30 days. */
function ReachFilter({ query, isAsked, onChange }: ReachProps) {
  const { reach = '' } = query
  const known = useReach(query, isAsked)
  return (
    <>
      <NativeSelect
        aria-label="Can an email reach the shopper?"
        data={listReachOptions(known.data, reach)}
        value={reach}
        onChange={(event) => onChange({ reach: event.currentTarget.value })}
        style={{ flex: '1 1 170px' }}
        maw={{ base: 'none', md: 240 }}
      />
      <Chips {...{ query, onChange }} />
    </>
  )
}

interface Chip {
  label: string
  /** Explains labels that are too short. */
  means?: string
  without: Partial<ListQuery>
}

/** Active filters from links (decision 99); each can be removed. */
function Chips({ query, onChange }: Pick<ReachProps, 'query' | 'onChange'>) {
  const { days, country, product, stage } = query
  const productLabel = useProductLabel(product)
  const read = stage ? readStage(stage) : null
  const chips: (Chip | false | undefined | 0 | '')[] = [
    days && {
      label: `Last ${formatCounted(days, 'day')}`,
      means: `Abandoned in the last ${formatCounted(days, 'day')}`,
      without: { days: 0 },
    },
    country && { label: formatCountry(country), without: { country: '' } },
    product && { label: productLabel, without: { product: '' } },
    read !== null && { label: formatStage(read), without: { stage: '' } },
  ]
  return chips
    .filter((chip) => !!chip)
    .map(({ label, means = label, without }) => (
      <Button
        key={means}
        variant="light"
        rightSection={<IconX size={14} aria-hidden />}
        aria-label={`${means}: remove this filter`}
        onClick={() => onChange(without)}
        maw="100%"
      >
        {label}
      </Button>
    ))
}

/** The product's name from the catalogue, which may no longer contain it. */
function useProductLabel(id: string | undefined): string {
  const found = useProducts(id ?? '', id !== undefined)
  const product = found.data?.find((each) => each.id === id)
  return product ? `With ${product.name}` : 'With one product'
}

function ExportButton({ query }: { query: ListQuery }) {
  const download = useExportCarts()
  return (
    <>
      <DownloadButton isBusy={download.isPending} onClick={() => download.mutate(toFilterParams(query))} />
      {download.error && (
        <Notice tone="bad" isLive>
          {getErrorText(download.error, BROKEN)}
        </Notice>
      )}
    </>
  )
}

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

function CartList({ query, carts, columns, openCart, onOpen, onJob, onChange, onSort }: Props) {
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

/** Selection of carts across pages, or of all matches of the filter. A change of `filter` clears it. */
function useSelection(filter: string) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, CartView>>(new Map())
  const [isAll, setAll] = useState(false)
  const [lastFilter, setLastFilter] = useState(filter)
  const clear = () => {
    setChosen(new Map())
    setAll(false)
  }
  if (filter !== lastFilter) {
    setLastFilter(filter)
    clear()
  }
  return {
    isAll,
    chosen: [...chosen.values()],
    isSelected: (cart: CartView) => isAll || chosen.has(cart.id),
    /** `page`: the ids shown. Deselecting one after "all" keeps the others of the page. */
    select: (carts: CartView[], isSelected: boolean, page: CartView[]) => {
      const next = new Map(isAll ? page.map((cart) => [cart.id, cart]) : chosen)
      for (const cart of carts) {
        if (isSelected) next.set(cart.id, cart)
        else next.delete(cart.id)
      }
      setAll(false)
      setChosen(next)
    },
    selectAll: () => setAll(true),
    clear,
  }
}

const toSelection = (
  { isAll, chosen }: Pick<ReturnType<typeof useSelection>, 'isAll' | 'chosen'>,
  all: Extract<Selection, { kind: 'matching' }>,
): Selection => (isAll ? all : { kind: 'carts', carts: chosen })
