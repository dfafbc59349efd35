import { Group, Text } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import type { CustomerSort, CustomerView } from '../../shared/customers.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn, Sorting } from '../ui/DataTable.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { BLANK, formatName, formatTitle } from './rules.ts'

interface Props {
  rows: CustomerView[]
  sorting: Sorting<CustomerSort>
}

export function CustomersTable({ rows, sorting }: Props) {
  const navigate = useNavigate()
  return (
    <DataList
      rows={rows}
      sorting={{ ...sorting, others: [{ sort: 'since', label: 'Customer since' }] }}
      keyOf={({ _id }) => _id}
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
    ...{ id: 'email', label: 'Email', sort: 'email' },
    shrinks: ({ customer_email }) => customer_email,
    cell: ({ customer_email }) => customer_email ?? BLANK,
  },
  { id: 'phone', label: 'Phone', sort: 'phone', cell: ({ phone }) => phone ?? BLANK },
  { id: 'company', label: 'Company', sort: 'company', cell: ({ company }) => company ?? BLANK },
  {
    ...{ id: 'registered', label: 'Registered', sort: 'registered' },
    cell: ({ is_registered }) => (is_registered ? 'Yes' : 'No'),
  },
  {
    ...{ id: 'last_login', label: 'Last Login', sort: 'last_login' },
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
