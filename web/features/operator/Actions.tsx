import { Card, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { OperatorAction } from '../../../shared/workspace/operator.ts'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { createListAddress } from '../../core/ui/listQuery.ts'
import { Pager } from '../../core/ui/Pager.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { useListQuery } from '../../core/ui/useListQuery.ts'
import { useOperatorActions } from './queries.ts'
import { describeAction, getNote } from './rules.ts'

const address = createListAddress<object, 'newest'>({
  filters: [],
  readFilter: () => ({}),
  sorts: ['newest'],
  largestFirst: ['newest'],
  limit: 50,
})

/** Audit log of operators' actions, newest first; append-only. */
export function Actions() {
  const { query, change } = useListQuery(address)
  const actions = useOperatorActions(query)
  return (
    <Card padding={0}>
      <Loaded query={actions} loading={<LoadingRows />} failed="The actions could not be loaded" className="padded">
        {({ actions: rows, pagination }) => (
          <div aria-busy={actions.isPlaceholderData}>
            {rows.length === 0 ? (
              <Empty icon={IconHistory} text="No operator actions yet." />
            ) : (
              <ActionList rows={rows} withAccount />
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

export const ActionList = ({ rows, withAccount = false }: { rows: OperatorAction[]; withAccount?: boolean }) => (
  <DataList
    rows={rows}
    getKey={({ id }) => id}
    label="Operator actions"
    minWidth={640}
    columns={withAccount ? [...when, account, ...what] : [...when, ...what]}
  />
)

const when: readonly DataColumn<OperatorAction>[] = [
  { id: 'at', label: 'When', sort: null, cell: ({ at }) => <DateTime at={at} /> },
]
const account: DataColumn<OperatorAction> = {
  id: 'account',
  label: 'Account',
  sort: null,
  cell: ({ accountId, accountName }) => (accountId ? <Link to={`/operator/${accountId}`}>{accountName}</Link> : '-'),
}
const what: readonly DataColumn<OperatorAction>[] = [
  { id: 'what', label: 'What', sort: null, cell: (action) => <What action={action} /> },
  { id: 'who', label: 'By', sort: null, cell: ({ operatorEmail }) => operatorEmail },
]

function What({ action }: { action: OperatorAction }) {
  const note = getNote(action)
  return (
    <>
      {describeAction(action)}
      {note && (
        <Text fz="sm" c="dimmed" className="operator-note">
          {note}
        </Text>
      )}
    </>
  )
}
