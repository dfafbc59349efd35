import '../../kits/carts/carts.css'
import { ActionIcon, Button, Card, Group, Menu, NativeSelect, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import {
  IconBrandWhatsapp,
  IconClock,
  IconDotsVertical,
  IconEye,
  IconLock,
  IconMail,
  IconMailOff,
  IconMessage,
  IconMessageSearch,
  IconX,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { CartState as State } from '../../../shared/carts/carts.ts'
import { type CartView, cartTexts } from '../../../shared/carts/carts.ts'
import { readStage } from '../../../shared/carts/reach.ts'
import { reminderTexts } from '../../../shared/delivery/reminders.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError, BROKEN, getErrorText } from '../../core/api/api.ts'
import { ColumnsMenu } from '../../core/ui/ColumnsMenu.tsx'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn, DataRows } from '../../core/ui/DataTable.tsx'
import { DownloadButton } from '../../core/ui/Download.tsx'
import { Filters } from '../../core/ui/Filters.tsx'
import { formatAge, formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { formatTotal } from '../../core/ui/listQuery.ts'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { Pager } from '../../core/ui/Pager.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { ProductPicture } from '../../core/ui/ProductPicture.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useIsWide, useListQuery } from '../../core/ui/useListQuery.ts'
import { useProducts } from '../../kits/audiences/queries.ts'
import { badgeStyles, CartStatus, stateStyles } from '../../kits/carts/badges.tsx'
import { CartThread } from '../../kits/carts/CartThread.tsx'
import { useCarts, useExportCarts } from '../../kits/carts/queries.ts'
import {
  BEHIND_NUMBER,
  cartsAddress,
  countItems,
  formatStage,
  isFromFigure,
  type ListQuery,
  type SortColumn,
  toFilterParams,
} from '../../kits/carts/rules.ts'
import { BulkSendCard } from '../../kits/manual-sends/BulkSendCard.tsx'
import type { ReasonBadge } from '../../kits/manual-sends/reason-badges.ts'
import { listReachOptions } from '../../kits/manual-sends/reason-badges.ts'
import { useReach, useReasonBadges, useWhatsappEligible } from '../../kits/manual-sends/send-queries.ts'
import type { Selection, TextChannel } from '../../kits/manual-sends/sending.ts'
import { explainEnded } from '../../kits/manual-sends/sending.ts'
import { useCanSend, useIsTextsLocked, useTextAction } from '../../kits/manual-sends/useTextAction.ts'
import { BulkBar } from './BulkBar.tsx'
import { CartPanel } from './CartPanel.tsx'
import { CartsEmpty } from './CartsEmpty.tsx'
import type { Column, ColumnId } from './columns.ts'
import { columns as allColumns, optional, useColumns } from './columns.ts'
import { RecoveryWindow } from './RecoveryWindow.tsx'
import type { Ask } from './useSendDialog.tsx'
import { useSendDialog } from './useSendDialog.tsx'

const statuses = [
  { value: '', label: 'All' },
  ...Object.keys(badgeStyles).map((badge) => ({ value: badge.toLowerCase(), label: badge })),
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
          <Filters active={[query.status, query.reach].filter(Boolean).length}>
            <NativeSelect
              aria-label="Status"
              data={statuses}
              value={query.status ?? ''}
              onChange={(event) => change({ status: event.currentTarget.value })}
              style={{ flex: '1 1 150px' }}
              maw={{ base: 'none', md: 220 }}
            />
            <ReachFilter query={query} isEnabled={carts.isSuccess} onChange={change} />
            {isWide && <ColumnsMenu optional={optional} {...columns} />}
            {mayExport && <ExportButton query={query} />}
          </Filters>
          <Chips query={query} onChange={change} />
        </Group>
        {isFromFigure(query) && (
          <Text fz="xs" c="dimmed" px="md" pb="sm">
            {BEHIND_NUMBER}
          </Text>
        )}
        <CartList
          query={query}
          carts={carts}
          columns={isWide ? columns.visible : allColumns}
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
  isEnabled: boolean
  onChange: (next: Partial<ListQuery>) => void
}

/** Filter by email reachability and its reasons; the dashboard links here with its 30 days. */
function ReachFilter({ query, isEnabled, onChange }: ReachProps) {
  const { reach = '' } = query
  const known = useReach(query, isEnabled)
  return (
    <NativeSelect
      aria-label="Can an email reach the shopper?"
      data={listReachOptions(known.data, reach)}
      value={reach}
      onChange={(event) => onChange({ reach: event.currentTarget.value })}
      style={{ flex: '1 1 170px' }}
      maw={{ base: 'none', md: 240 }}
    />
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
          getKey: ({ id }) => id,
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
      getErrorText={getFailureText}
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

function CartsTable({ columns, ...list }: ListedProps & { columns: readonly Column[] }) {
  return (
    <DataList
      {...list}
      label="Abandoned carts"
      className="carts-rows"
      minWidth={columns.length > 4 ? 860 : 560}
      columns={columns.map((column) => addContent(column, list))}
      card={(cart) => <CartCard cart={cart} list={list} />}
      actions={(cart) => <RowActions {...list} cart={cart} isWhatsappEligible={list.whatsappEligible.has(cart.id)} />}
    />
  )
}

const addContent = (column: Column, { onOpen, reasonBadges }: ListedProps): DataColumn<CartView, SortColumn> => ({
  ...column,
  ...(column.id === 'email' && { shrinks: (cart: CartView) => cart.customer_email }),
  cell: (cart) => (
    <>
      {column.id === 'customer' ? (
        <div className="cart-customer">
          <ProductPicture url={cart.items[0]?.image_url ?? null} size={32} />
          <div>
            {contentOf.customer(cart, onOpen)}
            <ReasonMark badge={reasonBadges.get(cart.id)} />
          </div>
        </div>
      ) : (
        contentOf[column.id](cart, onOpen)
      )}
    </>
  ),
})

const contentOf: Record<ColumnId, (cart: CartView, onOpen: (cart: CartView) => void) => ReactNode> = {
  customer: (cart, onOpen) => (
    <button type="button" className="plain-button" title={cart.customer_name} onClick={() => onOpen(cart)}>
      {cart.customer_name}
    </button>
  ),
  email: (cart) => cart.customer_email ?? <Missing text="No email" />,
  phone: (cart) => cart.phone ?? <Missing text="–" />,
  items: (cart) => countItems(cart.items),
  value: (cart) => <Money amount={cart.total} currency={cart.currency} />,
  timestamp: (cart) => <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />,
  status: (cart, onOpen) => (
    <>
      <CartStatus status={cart.status} isInMailbox={cart.is_in_mailbox} />
      <CartThread cart={cart} onOpen={() => onOpen(cart)} />
    </>
  ),
  window: (cart) => <RecoveryWindow cart={cart} />,
  state: (cart) => <CartStateText state={cart.state} />,
}

const Missing = ({ text }: { text: string }) => (
  <Text span c="dimmed" inherit>
    {text}
  </Text>
)

/** Card layout for screens too narrow for a table. */
function CartCard({ cart, list }: { cart: CartView; list: ListedProps }) {
  const { onOpen, whatsappEligible, reasonBadges } = list
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
        <button type="button" className="plain-button" onClick={() => onOpen(cart)}>
          {cart.customer_name}
        </button>
        <Text fw={600}>
          <Money amount={cart.total} currency={cart.currency} />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {cart.customer_email ?? cart.phone ?? 'No email'}
      </Text>
      <Text fz="sm" c="dimmed" mb="xs">
        {formatCounted(countItems(cart.items), 'item')} · <TimeAgo at={cart.abandoned_at ?? cart.last_activity} /> ·{' '}
        <RecoveryWindow cart={cart} isAlone />
      </Text>
      <Group gap="sm" justify="space-between" wrap="nowrap">
        <Group gap={6}>
          <CartStatus status={cart.status} isInMailbox={cart.is_in_mailbox} />
          <CartThread cart={cart} onOpen={() => onOpen(cart)} />
          <ReasonMark badge={reasonBadges.get(cart.id)} />
        </Group>
        <RowActions {...list} cart={cart} isWhatsappEligible={whatsappEligible.has(cart.id)} />
      </Group>
    </>
  )
}

interface ListedProps
  extends Required<DataRows<CartView, SortColumn>>,
    Omit<RowActionsProps, 'cart' | 'isWhatsappEligible'> {
  whatsappEligible: ReadonlySet<string>
  reasonBadges: ReadonlyMap<string, ReasonBadge>
}

interface RowActionsProps {
  cart: CartView
  isWhatsappEligible: boolean
  onOpen: (cart: CartView) => void
  onAsk: (ask: Ask) => void
  onSmsStatus: (cart: CartView) => void
}

/** Actions of one row; each names its customer for screen readers. */
function RowActions({ cart, isWhatsappEligible, onOpen, onAsk, onSmsStatus }: RowActionsProps) {
  const may = useCanSend()
  const name = cart.customer_name
  const selection = { kind: 'carts' as const, carts: [cart] }
  const hasEmail = cart.customer_email !== null && explainEnded(cart.state) === null
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {may && hasEmail && (
        <Act label={`Send email to ${name}`} onClick={() => onAsk({ channel: 'email', selection, when: 'now' })}>
          <IconMail size={17} aria-hidden />
        </Act>
      )}
      <TextAct cart={cart} channel="sms" isEligible onAsk={onAsk} />
      <TextAct cart={cart} channel="whatsapp" isEligible={isWhatsappEligible} onAsk={onAsk} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${name}`}>
            <IconDotsVertical size={17} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconEye size={16} aria-hidden />} onClick={() => onOpen(cart)}>
            View details
          </Menu.Item>
          {may && hasEmail && (
            <Menu.Item
              leftSection={<IconClock size={16} aria-hidden />}
              onClick={() => onAsk({ channel: 'email', selection, when: 'schedule' })}
            >
              Schedule email
            </Menu.Item>
          )}
          {cart.phone && (
            <Menu.Item leftSection={<IconMessageSearch size={16} aria-hidden />} onClick={() => onSmsStatus(cart)}>
              Check SMS status
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

const reachIcons = {
  sms: { label: 'Send SMS to', Sign: IconMessage, upgrade: reminderTexts.smsPlan },
  whatsapp: { label: 'Send WhatsApp message to', Sign: IconBrandWhatsapp, upgrade: reminderTexts.whatsappPlan },
}

interface TextActProps {
  cart: CartView
  channel: TextChannel
  isEligible: boolean
  onAsk: (ask: Ask) => void
}

function TextAct({ cart, channel, isEligible, onAsk }: TextActProps) {
  const action = useTextAction(cart, channel, isEligible)
  const { label, Sign, upgrade } = reachIcons[channel]
  if (action.kind === 'none') return null
  if (action.kind === 'upgrade') {
    return (
      <Tooltip label={upgrade} multiline w={240}>
        <ActionIcon component={Link} to="/pricing" variant="subtle" color="gray" aria-label={upgrade}>
          <span className="locked-sign">
            <Sign size={17} aria-hidden />
            <IconLock size={10} aria-hidden />
          </span>
        </ActionIcon>
      </Tooltip>
    )
  }
  const waits = action.isSending ? 'Sending…' : action.waits
  const ask = () => onAsk({ channel, selection: { kind: 'carts', carts: [cart] }, when: 'now' })
  return (
    <Act label={waits ?? `${label} ${cart.customer_name}`} isOff={waits !== null} onClick={ask}>
      <Sign size={17} aria-hidden />
    </Act>
  )
}

interface ActProps {
  label: string
  /** Stays focusable, so its label can give the reason. */
  isOff?: boolean
  onClick: () => void
  children: ReactNode
}

function Act({ label, isOff = false, onClick, children }: ActProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        {...(isOff && { 'aria-disabled': true, 'data-disabled': true })}
        onClick={() => !isOff && onClick()}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

/** The state without a background: two badges per row would be too loud. */
function CartStateText({ state }: { state: State }) {
  const { icon: Sign, label } = stateStyles[state]
  return (
    <Group gap={5} wrap="nowrap" fz="sm" c="dimmed">
      <Sign size={15} aria-hidden />
      {label}
    </Group>
  )
}

/** Why the cart would get no email now; the full sentence in the tooltip and for screen readers. */
function ReasonMark({ badge }: { badge: ReasonBadge | undefined }) {
  if (!badge) return null
  return (
    <div className="reason-mark" title={badge.explanation}>
      <IconMailOff size={13} aria-hidden />
      {badge.label}
      <VisuallyHidden>: {badge.explanation}</VisuallyHidden>
    </div>
  )
}
