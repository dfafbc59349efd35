import { Grid, Stack } from '@mantine/core'
import { IconUser, IconUserCheck } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import type { CustomerPage as Customer } from '../../shared/customers.ts'
import { useHasPermission } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { DataSubjectFound } from '../consent/DataSubjectFound.tsx'
import { useDataSubject } from '../consent/privacy-queries.ts'
import { SendDiscountButton } from '../discount-mail/SendDiscountButton.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards, LoadingTitle } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { ConsentCard, ContactCard, SuppressionCard } from './CustomerFacts.tsx'
import { CartsCard, MessagesCard, OrdersCard, ValueCard } from './CustomerHistory.tsx'
import { useCustomer } from './queries.ts'
import { formatTitle } from './rules.ts'

/** One customer: data, consents, orders and messages (decision 40). */
export function CustomerPage() {
  const { customerId = '' } = useParams()
  const customer = useCustomer(customerId)
  if (customer.data) return <Content key={customerId} customer={customer.data} />
  if (customer.isPending) return <Waiting />
  const isMissing = customer.error instanceof ApiError && customer.error.status === 404
  return (
    <>
      <PageTitle title="Customer" />
      <Failed
        title={isMissing ? 'Customer not found' : 'The customer could not be loaded'}
        error={
          isMissing
            ? new Error('They may have been erased, or found to be the same person as another customer.')
            : customer.error
        }
        {...(!isMissing && { onRetry: () => customer.refetch() })}
      />
    </>
  )
}

const Waiting = () => (
  <>
    <LoadingTitle />
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        <LoadingCards count={3} rows={4} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <LoadingCards count={2} rows={4} />
      </Grid.Col>
    </Grid>
  </>
)

function Content({ customer }: { customer: Customer }) {
  const mark = customer.is_registered ? (
    <StatusBadge tone="info" icon={IconUserCheck} label="Registered" />
  ) : (
    <StatusBadge tone="quiet" icon={IconUser} label="Guest" />
  )
  return (
    <>
      <PageTitle title={formatTitle(customer)} mark={mark}>
        <SendDiscountButton
          place={`customer:${customer._id}`}
          label="Send discount"
          person={{ id: customer._id, name: formatTitle(customer) }}
        />
      </PageTitle>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
          <Stack gap="md">
            <ValueCard value={customer.value} life={customer.life_in_store} />
            <CartsCard carts={customer.carts} />
            <OrdersCard orders={customer.orders} />
            <MessagesCard messages={customer.messages} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
          <Stack gap="md">
            <ContactCard customer={customer} />
            <ConsentCard entries={customer.consents} />
            <SuppressionCard suppressed={customer.suppressed} />
            <DataRequests customer={customer} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

/** The same section as in Settings: data in all stores, export, erasure (C8). */
function DataRequests({ customer }: { customer: Customer }) {
  const mayLook = useHasPermission('privacy:write')
  const address = customer.emails[0] ?? customer.phones[0] ?? ''
  const person = useDataSubject(mayLook ? address : '')
  const navigate = useNavigate()
  if (!mayLook || !address) return null
  if (person.isPending) return <LoadingCards count={1} rows={4} />
  if (person.error && person.data === undefined) {
    return <Failed title="The data kept could not be loaded" error={person.error} onRetry={() => person.refetch()} />
  }
  if (!person.data) return null
  return (
    <DataSubjectFound
      title="Data requests"
      person={person.data}
      onRefresh={() => person.refetch()}
      onDone={() => navigate('/customers')}
      doneLabel="To all customers"
    />
  )
}
