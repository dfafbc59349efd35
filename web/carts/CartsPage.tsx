import { Card, Group, NativeSelect, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useSearchParams } from 'react-router'
import { cartTexts } from '../../shared/carts.ts'
import { wordsOf } from '../accounts/queries.ts'
import { Failed } from '../ui/Failed.tsx'
import { counted, formatAge } from '../ui/format.ts'
import { LoadingRows } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { badgeLooks } from './badges.tsx'
import { CartCards } from './CartCards.tsx'
import { CartsEmpty } from './CartsEmpty.tsx'
import { CartsTable } from './CartsTable.tsx'
import { Pages } from './Pages.tsx'
import { useCarts } from './queries.ts'
import { type ListQuery, nextSort, readListQuery, writeListQuery } from './rules.ts'

const statuses = [
  { value: '', label: 'All' },
  ...Object.keys(badgeLooks).map((badge) => ({ value: badge.toLowerCase(), label: badge })),
]

export function CartsPage() {
  const [search, setSearch] = useSearchParams()
  const query = readListQuery(search)
  const carts = useCarts(query)
  const change = (next: Partial<ListQuery>) => setSearch(writeListQuery(query, next), { preventScrollReset: true })
  const age = carts.data?.syncAgeSeconds
  // One line from the start: nothing below it moves when the answer is there.
  const text = carts.isPending
    ? '\u00a0'
    : age == null
      ? 'What shoppers left behind, and what became of it.'
      : `Orders checked ${formatAge(age)}.`
  return (
    <>
      <PageTitle title="Abandoned Carts" text={text} />
      <Card padding={0}>
        <Group p="md" gap="sm" grow preventGrowOverflow={false}>
          <div style={{ flex: '1 1 220px' }}>
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
        </Group>
        <CartList query={query} carts={carts} onChange={change} />
      </Card>
    </>
  )
}

interface ListProps {
  query: ListQuery
  carts: ReturnType<typeof useCarts>
  onChange: (next: Partial<ListQuery>) => void
}

function CartList({ query, carts, onChange }: ListProps) {
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  if (carts.isPending) return <LoadingRows />
  if (!carts.data) {
    const error = new Error(wordsOf(carts.error, cartTexts.loadFailed))
    return (
      <Padded>
        <Failed title="The carts could not be loaded" error={error} onRetry={() => carts.refetch()} />
      </Padded>
    )
  }
  const { carts: rows, pagination } = carts.data
  const sort = (column: ListQuery['sort']) => onChange(nextSort(query, column))
  if (rows.length === 0) {
    return <CartsEmpty isFiltered={Boolean(query.search || query.status)} total={pagination.total} onReset={onChange} />
  }
  return (
    <div aria-busy={carts.isPlaceholderData}>
      <VisuallyHidden role="status">{counted(pagination.total, 'cart')}</VisuallyHidden>
      {isWide ? (
        <CartsTable carts={rows} query={query} onSort={sort} />
      ) : (
        <CartCards carts={rows} query={query} onSort={sort} />
      )}
      {pagination.pages > 1 && <Pages {...pagination} onPage={(page) => onChange({ page })} />}
    </div>
  )
}

const Padded = ({ children }: { children: React.ReactNode }) => <div style={{ padding: 16 }}>{children}</div>
