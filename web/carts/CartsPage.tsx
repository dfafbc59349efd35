import './carts.css'
import { Button, Card, Group, NativeSelect } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconDownload } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { wordsOf } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { formatAge } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { badgeLooks } from './badges.tsx'
import { CartList } from './CartList.tsx'
import { ColumnsMenu } from './ColumnsMenu.tsx'
import { useColumns } from './columns.ts'
import { useCarts, useExportCarts } from './queries.ts'
import { type ListQuery, readListQuery, writeListQuery } from './rules.ts'
import { SendJobCard } from './SendJobCard.tsx'

const statuses = [
  { value: '', label: 'All' },
  ...Object.keys(badgeLooks).map((badge) => ({ value: badge.toLowerCase(), label: badge })),
]

export function CartsPage() {
  const [search, setSearch] = useSearchParams()
  const query = readListQuery(search)
  const carts = useCarts(query)
  const columns = useColumns()
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  const change = (next: Partial<ListQuery>) =>
    setSearch((address) => writeListQuery(query, next, address), { preventScrollReset: true })
  /** An open cart and a followed job stand in the address as well: both survive a reload. */
  const put = (key: 'cart' | 'job', value: string | null) =>
    setSearch(
      (address) => {
        const next = new URLSearchParams(address)
        if (value) next.set(key, value)
        else next.delete(key)
        return next
      },
      { preventScrollReset: true, replace: value === null },
    )
  const job = search.get('job')
  const age = carts.data?.syncAgeSeconds
  // One line from the start: nothing below it moves when the answer is there.
  const text = carts.isPending
    ? '\u00a0'
    : age == null
      ? 'What shoppers left behind.'
      : `Orders checked ${formatAge(age)}.`
  return (
    <>
      <PageTitle title="Abandoned Carts" text={text} />
      {job && <SendJobCard key={job} jobId={job} onJob={(id) => put('job', id)} onDismiss={() => put('job', null)} />}
      <Card padding={0} style={{ overflow: 'visible' }}>
        <Group p="md" gap="sm">
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
          {isWide && <ColumnsMenu {...columns} />}
          <ExportButton query={query} />
        </Group>
        <CartList
          query={query}
          carts={carts}
          columns={isWide ? columns.shown : null}
          openCart={search.get('cart')}
          onOpen={(id) => put('cart', id)}
          onJob={(id) => put('job', id)}
          onChange={change}
        />
      </Card>
    </>
  )
}

function ExportButton({ query: { status, search } }: { query: ListQuery }) {
  const download = useExportCarts()
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={download.isPending}
        onClick={() => download.mutate({ ...(status && { status }), ...(search && { search }) })}
      >
        Export CSV
      </Button>
      {download.error && (
        <Notice tone="bad" isLive>
          {wordsOf(download.error, BROKEN)}
        </Notice>
      )}
    </>
  )
}
