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
import { CartList } from './CartList.tsx'
import { columns as allColumns, optional, useColumns } from './columns.ts'
import { useCarts, useExportCarts } from './queries.ts'
import { listReachOptions } from './reason-badges.ts'
import { BEHIND_NUMBER, cartsAddress, formatStage, isFromFigure, type ListQuery, toFilterParams } from './rules.ts'
import { useReach } from './send-queries.ts'

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
