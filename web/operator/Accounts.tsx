import { Button, Card, Group, SegmentedControl, Text } from '@mantine/core'
import { IconBan, IconFilterOff, IconUsers } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router'
import type { OperatorAccount } from '../../shared/operator.ts'
import { statusLook } from '../billing/statusLook.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { formatCount } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { Pager } from '../ui/Pager.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { useListQuery } from '../ui/useListQuery.ts'
import { useOperatorAccounts } from './queries.ts'
import { type AccountsQuery, accountsAddress, formatPlan } from './rules.ts'

const shows = [
  { value: '', label: 'All' },
  { value: 'suspended', label: 'Suspended' },
]

/** All accounts, newest first. */
export function Accounts() {
  const { query, change } = useListQuery(accountsAddress)
  const accounts = useOperatorAccounts(query)
  return (
    <Card padding={0} style={{ overflow: 'visible' }}>
      <Group p="md" gap="sm">
        <div style={{ flex: '1 1 240px' }}>
          <SearchBox
            label="Search by account, email address, store or id"
            value={query.search ?? ''}
            isBusy={accounts.isPlaceholderData}
            onSearch={(search) => change({ search })}
          />
        </div>
        <SegmentedControl
          aria-label="Which accounts"
          data={shows}
          value={query.show ?? ''}
          onChange={(show) => change({ show: show as AccountsQuery['show'] & string })}
        />
      </Group>
      <Loaded query={accounts} loading={<LoadingRows />} failed="The accounts could not be loaded" className="padded">
        {({ accounts: rows, pagination }) => (
          <div aria-busy={accounts.isPlaceholderData}>
            {rows.length === 0 ? (
              <Nobody isFirst={pagination.total === 0} onChange={change} />
            ) : (
              <AccountsTable rows={rows} />
            )}
            <Pager
              {...pagination}
              limit={query.limit}
              requestedPage={query.page}
              onPage={(page) => change({ page })}
              onLimit={(limit) => change({ limit })}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Nobody({ isFirst, onChange }: { isFirst: boolean; onChange: (next: Partial<AccountsQuery>) => void }) {
  if (!isFirst) {
    return (
      <Empty icon={IconUsers} text="There are no accounts on this page.">
        <Button variant="default" size="sm" onClick={() => onChange({ page: 1 })}>
          Go to the first page
        </Button>
      </Empty>
    )
  }
  return (
    <Empty icon={IconFilterOff} text="No account matches.">
      <Button variant="default" size="sm" onClick={() => onChange({ search: '', show: '' })}>
        Clear filters
      </Button>
    </Empty>
  )
}

function AccountsTable({ rows }: { rows: OperatorAccount[] }) {
  const navigate = useNavigate()
  return (
    <DataList
      rows={rows}
      keyOf={({ id }) => id}
      label="Accounts"
      minWidth={860}
      columns={columns}
      onOpen={({ id }) => navigate(`/operator/${id}`)}
    />
  )
}

const columns: readonly DataColumn<OperatorAccount>[] = [
  {
    ...{ id: 'name', label: 'Account', sort: null },
    cell: ({ id, name, isDemo }) => (
      <>
        <Link className="plain-button" to={`/operator/${id}`}>
          {name}
        </Link>
        {isDemo && (
          <Text span fz="xs" c="dimmed">
            {' '}
            demo
          </Text>
        )}
      </>
    ),
  },
  {
    ...{ id: 'owner', label: 'Owner', sort: null },
    shrinks: ({ ownerEmail }) => ownerEmail,
    cell: ({ ownerEmail }) => ownerEmail ?? '-',
  },
  { id: 'plan', label: 'Plan', sort: null, cell: formatPlan },
  { id: 'status', label: 'Status', sort: null, cell: (account) => <Standing account={account} /> },
  { id: 'stores', label: 'Stores', sort: null, isNumber: true, cell: ({ stores }) => formatCount(stores) },
  {
    ...{ id: 'messages', label: 'Messages this month', head: 'Messages', sort: null, isNumber: true },
    cell: ({ messages }) => formatCount(messages),
  },
  { id: 'created', label: 'Since', sort: null, cell: ({ createdAt }) => <DateTime at={createdAt} /> },
]

/** "Suspended" takes precedence over the payment status. */
export function Standing({ account }: { account: Pick<OperatorAccount, 'suspendedAt' | 'status'> }) {
  if (account.suspendedAt) return <StatusBadge tone="bad" icon={IconBan} label="Suspended" />
  return account.status ? <StatusBadge {...statusLook(account.status)} /> : '-'
}
