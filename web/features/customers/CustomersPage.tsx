import { Button, Card, Group, NativeSelect, SegmentedControl, Text, VisuallyHidden } from '@mantine/core'
import { IconFilterOff, IconUsers } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router'
import type { CustomerSort, CustomerView } from '../../../shared/marketing/customers.ts'
import { customerTexts } from '../../../shared/marketing/customers.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn, Sorting } from '../../core/ui/DataTable.tsx'
import { DownloadButton } from '../../core/ui/Download.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { Filters } from '../../core/ui/Filters.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { formatTotal } from '../../core/ui/listQuery.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { Pager } from '../../core/ui/Pager.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useIsWide, useListQuery } from '../../core/ui/useListQuery.ts'
import { DemoHistoryGate } from '../../kits/page/DemoHistory.tsx'
import { NoCaptureYet } from '../../kits/page/NoCaptureYet.tsx'
import { useCustomers, useExportCustomers } from './queries.ts'
import { BLANK, customersAddress, formatName, formatTitle, type Kind, type ListQuery, toFilterParams } from './rules.ts'

const kinds = [
  { value: '', label: 'All' },
  { value: 'yes', label: 'Registered' },
  { value: 'no', label: 'Guests' },
]

export function CustomersPage() {
  const { query, change, sort } = useListQuery(customersAddress)
  const { isPlaceholderData } = useCustomers(query)
  const mayExport = useHasPermission('account:export')
  return (
    <>
      <PageTitle
        title="Customers"
        text="Registered customers, and guests who ordered or entered an email or phone number."
      />
      <Card padding={0} style={{ overflow: 'visible' }}>
        <Group p="md" gap="sm">
          <div style={{ flex: '1 1 170px' }}>
            <SearchBox
              label="Search by name, email or phone"
              value={query.search ?? ''}
              isBusy={isPlaceholderData}
              onSearch={(search) => change({ search })}
            />
          </div>
          <Filters active={query.registered ? 1 : 0}>
            <SegmentedControl
              aria-label="Which customers"
              data={kinds}
              value={query.registered ?? ''}
              onChange={(kind) => change({ registered: kind as Kind })}
            />
            <OrderSelect {...query} onOrder={(order) => change({ sort: 'since', order })} />
            {mayExport && <ExportButton query={query} />}
          </Filters>
        </Group>
        <List query={query} onChange={change} onSort={sort} />
      </Card>
    </>
  )
}

interface ListProps {
  query: ListQuery
  onChange: (next: Partial<ListQuery>) => void
  onSort: (column: ListQuery['sort']) => void
}

function List({ query, onChange, onSort }: ListProps) {
  const { data, error, isPlaceholderData } = useCustomers(query)
  if (data === undefined) return error ? <NotLoaded error={error} /> : <LoadingSkeleton />
  const { customers, pagination } = data
  const { total, totalIsCapped: isCapped = false, lookedThrough } = pagination
  return (
    <div aria-busy={isPlaceholderData}>
      {customers.length === 0 ? (
        <NoCustomers query={query} total={total} onChange={onChange} />
      ) : (
        <>
          <VisuallyHidden role="status">
            {formatTotal({ total, isCapped })} {total === 1 ? 'customer' : 'customers'}
          </VisuallyHidden>
          <CustomersTable rows={customers} sorting={{ ...query, onSort }} />
        </>
      )}
      {lookedThrough && (
        <Text fz="sm" c="dimmed" px="md" pb="md">
          No name, email or number begins with “{query.search}”. These results contain it anywhere, among the newest{' '}
          {formatCount(lookedThrough)} customers.
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

/** The default order matches no column. The card layout has its own select. */
function OrderSelect({
  sort,
  order,
  onOrder,
}: Pick<ListQuery, 'sort' | 'order'> & { onOrder: (order: ListQuery['order']) => void }) {
  if (!useIsWide()) return null
  const isUsual = sort === 'since'
  const column = columns.find(({ id }) => id === sort)
  const choices = [
    { value: 'desc', label: 'Newest first' },
    { value: 'asc', label: 'Oldest first' },
    ...(column ? [{ value: 'column', label: `By ${column.label}` }] : []),
  ]
  return (
    <NativeSelect
      aria-label="Order"
      data={choices}
      value={isUsual ? order : 'column'}
      onChange={({ currentTarget: { value } }) => value !== 'column' && onOrder(value as ListQuery['order'])}
    />
  )
}

const LoadingSkeleton = () => (
  <>
    <Text fz="sm" c="dimmed" px="md" pb="sm">
      {customerTexts.loading}
    </Text>
    <LoadingRows />
  </>
)

/** B 2: Retry reloads the page. B 8: the server's message, else the specification's. */
const NotLoaded = ({ error }: { error: Error }) => (
  <div className="padded">
    <Failed
      title={customerTexts.failed}
      error={new Error(getErrorText(error, customerTexts.fetchFailed))}
      onRetry={() => location.reload()}
    />
  </div>
)

interface EmptyProps extends Pick<ListProps, 'query' | 'onChange'> {
  total: number
}

function NoCustomers({ query, total, onChange }: EmptyProps) {
  if (total > 0) {
    return (
      <Empty icon={IconUsers} text="There are no customers on this page.">
        <Button variant="default" size="sm" onClick={() => onChange({ page: 1 })}>
          Go to the first page
        </Button>
      </Empty>
    )
  }
  if (Object.keys(toFilterParams(query)).length > 0) {
    return (
      <Empty icon={IconFilterOff} text={customerTexts.noMatch}>
        <Button variant="default" size="sm" onClick={() => onChange({ search: '', registered: '' })}>
          Clear filters
        </Button>
      </Empty>
    )
  }
  return (
    <DemoHistoryGate>
      <Empty icon={IconUsers} text={customerTexts.none} isFirst>
        <NoCaptureYet />
      </Empty>
    </DemoHistoryGate>
  )
}

function ExportButton({ query }: { query: ListQuery }) {
  const download = useExportCustomers()
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
  rows: CustomerView[]
  sorting: Sorting<CustomerSort>
}

function CustomersTable({ rows, sorting }: Props) {
  const navigate = useNavigate()
  return (
    <DataList
      rows={rows}
      sorting={{ ...sorting, extraSorts: [{ sort: 'since', label: 'Customer since' }] }}
      getKey={({ _id }) => _id}
      label="Customers"
      minWidth={820}
      columns={columns}
      card={(customer) => <CustomerCard customer={customer} />}
      onOpen={({ _id }) => navigate(`/customers/${_id}`)}
    />
  )
}

const columns: readonly DataColumn<CustomerView, CustomerSort>[] = [
  { id: 'name', label: 'Name', sort: 'name', cell: (customer) => <Name customer={customer} /> },
  {
    id: 'email',
    label: 'Email',
    sort: 'email',
    shrinks: ({ customer_email }) => customer_email,
    cell: ({ customer_email }) => customer_email ?? BLANK,
  },
  { id: 'phone', label: 'Phone', sort: 'phone', cell: ({ phone }) => phone ?? BLANK },
  { id: 'company', label: 'Company', sort: 'company', cell: ({ company }) => company ?? BLANK },
  {
    id: 'registered',
    label: 'Registered',
    sort: 'registered',
    cell: ({ is_registered }) => (is_registered ? 'Yes' : 'No'),
  },
  {
    id: 'last_login',
    label: 'Last Login',
    sort: 'last_login',
    cell: ({ last_login }) => (last_login ? <TimeAgo at={last_login} /> : BLANK),
  },
]

/** The row's link for keyboard and screen readers; without a name it uses the contact. */
function Name({ customer }: { customer: CustomerView }) {
  const name = formatName(customer)
  return (
    <Link
      className="plain-button"
      to={`/customers/${customer._id}`}
      {...(name === BLANK && { 'aria-label': formatTitle(customer) })}
    >
      {name}
    </Link>
  )
}

/** Card layout for screens too narrow for a table. */
function CustomerCard({ customer }: { customer: CustomerView }) {
  const { customer_email, phone, company, is_registered, last_login } = customer
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
        <Name customer={customer} />
        <Text fz="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          Registered: {is_registered ? 'Yes' : 'No'}
        </Text>
      </Group>
      <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {customer_email ?? BLANK}
      </Text>
      <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        Phone: {phone ?? BLANK} · Company: {company ?? BLANK}
      </Text>
      <Text fz="sm" c="dimmed">
        Last Login: {last_login ? <TimeAgo at={last_login} /> : BLANK}
      </Text>
    </>
  )
}
