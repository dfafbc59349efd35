import { Grid, Stack } from '@mantine/core'
import { IconBan, IconCheck, IconClock, IconUser, IconUserCheck } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import type { CustomerPage as Customer } from '../../../shared/marketing/customers.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards, LoadingTitle } from '../../core/ui/Loading.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { ProductPicture } from '../../core/ui/ProductPicture.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DataSubjectFound } from '../consent/DataSubjectFound.tsx'
import { useDataSubject } from '../consent/privacy-queries.ts'
import { SendDiscountButton } from '../discount-mail/SendDiscountButton.tsx'

import { useCustomer } from './queries.ts'
import { formatTitle } from './rules.ts'
import '../consent/ledger.css'
import { Card, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { getSourceText, statusText } from '../../../shared/marketing/ledger.ts'
import { suppressionTexts } from '../../../shared/shoppers/suppressions.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { DateTime, TimeAgo } from '../../core/ui/Time.tsx'
import { LedgerEntries } from '../consent/LedgerEntries.tsx'
import { channelText } from '../consent/ledger-text.ts'
import { BLANK, findCurrentConsents, formatName } from './rules.ts'
import './customers.css'
import { Anchor, Group } from '@mantine/core'
import { Link } from 'react-router'
import { formatCount } from '../../core/ui/format.ts'
import { Money } from '../../core/ui/Money.tsx'
import { CartMarks } from '../../kits/carts/badges.tsx'
import { CartMessage } from '../carts/CartMessage.tsx'

/** One customer: data, consents, orders and messages (decision 40). */
export function CustomerPage() {
  const { customerId = '' } = useParams()
  const customer = useCustomer(customerId)
  if (customer.data) return <Content key={customerId} customer={customer.data} />
  if (customer.isPending) return <LoadingSkeleton />
  const isMissing = customer.error instanceof ApiError && customer.error.status === 404
  return (
    <>
      <PageTitle title="Customer" />
      <Failed
        title={isMissing ? 'Customer not found' : 'The customer could not be loaded'}
        error={isMissing ? new Error('They were erased or merged with another customer.') : customer.error}
        {...(!isMissing && { onRetry: () => customer.refetch() })}
      />
    </>
  )
}

const LoadingSkeleton = () => (
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
            <ConsentCard entries={customer.consents} />
            <ContactCard customer={customer} />
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
  const canRead = useHasPermission('privacy:write')
  const address = customer.emails[0] ?? customer.phones[0] ?? ''
  const person = useDataSubject(canRead ? address : '')
  const navigate = useNavigate()
  if (!canRead || !address) return null
  if (person.isPending) return <LoadingCards count={1} rows={4} />
  if (person.error && person.data === undefined) {
    return <Failed title="The stored data could not be loaded" error={person.error} onRetry={() => person.refetch()} />
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

// The customer's data, consents and reachability.

function ContactCard({ customer }: { customer: Customer }) {
  const { emails, phones, unconfirmed } = customer
  return (
    <Card>
      <Title order={2} mb="md">
        Contact
      </Title>
      <Facts
        entries={[
          ['Name', formatName(customer)],
          ...buildListFact(emails.length > 1 ? 'Emails' : 'Email', emails),
          ...buildListFact(phones.length > 1 ? 'Phones' : 'Phone', phones),
          ...(unconfirmed.length > 0 ? buildListFact('Not confirmed', unconfirmed) : []),
          ['Company', customer.company ?? BLANK],
          ...(customer.country ? [['Country', customer.country] as [string, ReactNode]] : []),
          ['Registered', customer.is_registered ? 'Yes' : 'No'],
          ['Last Login', customer.last_login ? <TimeAgo key="login" at={customer.last_login} /> : BLANK],
          ['Customer since', <DateTime key="since" at={customer.since} />],
        ]}
      />
    </Card>
  )
}

const buildListFact = (label: string, values: readonly string[]): [string, ReactNode][] => [
  [
    label,
    values.length > 1 ? (
      <Stack gap={2} key={label}>
        {values.map((value) => (
          <span key={value}>{value}</span>
        ))}
      </Stack>
    ) : (
      (values[0] ?? BLANK)
    ),
  ],
]

const consentLooks = {
  granted: { tone: 'good', icon: IconCheck },
  withdrawn: { tone: 'quiet', icon: IconBan },
  pending: { tone: 'info', icon: IconClock },
} as const

/** Current consent per channel with its source, then the evidence. */
function ConsentCard({ entries }: { entries: Customer['consents'] }) {
  const current = findCurrentConsents(entries)
  return (
    <Card>
      <Title order={2} mb={entries.length > 0 ? 'md' : 4}>
        Consent
      </Title>
      {entries.length === 0 ? (
        <Text fz="sm" c="dimmed">
          No opt-in or opt-out recorded.
        </Text>
      ) : (
        <>
          <ul className="standing">
            {current.map(({ id, channel, status, source, at }) => (
              <li key={id}>
                <strong>{channelText[channel]}</strong>
                <StatusBadge {...consentLooks[status]} label={statusText[status]} />
                <Text span inherit c="dimmed">
                  {getSourceText(source)} · <DateTime at={at} />
                </Text>
              </li>
            ))}
          </ul>
          <Title order={3} fz="sm" mt="md" mb="xs">
            Evidence
          </Title>
          <LedgerEntries entries={entries} isStale={false} />
        </>
      )}
    </Card>
  )
}

function SuppressionCard({ suppressed }: { suppressed: Customer['suppressed'] }) {
  return (
    <Card>
      <Title order={2} mb={4}>
        Suppression list
      </Title>
      {suppressed.length === 0 ? (
        <Text fz="sm" c="dimmed">
          Not on it.
        </Text>
      ) : (
        <ul className="standing">
          {suppressed.map(({ address, channel, reason, since }) => (
            <li key={`${address}:${channel}:${reason}`}>
              <strong>{suppressionTexts.channels[channel]}</strong>: {suppressionTexts.reasons[reason]}
              <Text span inherit c="dimmed">
                {address && ` · ${address}`} · <DateTime at={since} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

// The customer's orders, carts and messages, newest first.

const Figure = ({ name, value, isWon }: { name: string; value: ReactNode; isWon?: boolean }) => (
  <div data-won={isWon || undefined}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** Totals by currency, then the store's own lifetime figures. */
function ValueCard({ value, life }: { value: Customer['value']; life: Customer['life_in_store'] }) {
  return (
    <Card>
      <Title order={2} mb={value.length > 0 ? 'md' : 4}>
        Value
      </Title>
      {value.length === 0 && (
        <Text fz="sm" c="dimmed">
          No orders yet.
        </Text>
      )}
      {value.map(({ currency, orders, net, average, recovered }) => (
        <dl key={currency} className="customer-values">
          <Figure name={value.length > 1 ? `Orders in ${currency}` : 'Orders'} value={formatCount(orders)} />
          <Figure name="Spent" value={<Money amount={net} currency={currency} />} />
          <Figure name="Average order" value={<Money amount={average} currency={currency} />} />
          <Figure name="Recovered" value={<Money amount={recovered} currency={currency} />} isWon={recovered > 0} />
        </dl>
      ))}
      {life && (
        <>
          <Title order={3} fz="md" mt="md" mb="xs">
            Your store’s figures
          </Title>
          <Facts
            entries={[
              ['Orders', formatCount(life.orders)],
              ['Spent', <Money key="spent" amount={life.spent} currency={life.currency} />],
            ]}
          />
          <Text fz="xs" c="dimmed" mt="xs">
            Includes orders before Recoup was connected.
          </Text>
        </>
      )}
    </Card>
  )
}

interface PartProps {
  title: string
  /** Total, of which the newest are shown. */
  part: { rows: readonly unknown[]; total: number }
  none: string
  children: ReactNode
}

function Part({ title, part, none, children }: PartProps) {
  const { rows, total } = part
  return (
    <Card>
      <Title order={2} mb={total > 0 ? 'md' : 4}>
        {title}
      </Title>
      {total === 0 ? (
        <Text fz="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        children
      )}
      {total > rows.length && (
        <Text fz="sm" c="dimmed" mt="sm">
          The newest {formatCount(rows.length)} of {formatCount(total)}.
        </Text>
      )}
    </Card>
  )
}

function CartsCard({ carts }: { carts: Customer['carts'] }) {
  return (
    <Part title="Carts" part={carts} none="No carts.">
      <ul className="customer-rows">
        {carts.rows.map((cart) => (
          <li key={cart.id}>
            <Group gap="sm" wrap="nowrap">
              <ProductPicture url={cart.image_url} size={40} />
              <div>
                <Anchor component={Link} to={`/carts/${cart.id}`} fz="sm">
                  {cart.product ?? 'Cart'}
                  {cart.items > 1 && ` + ${formatCount(cart.items - 1)}`}
                </Anchor>
                <Text fz="sm" c="dimmed">
                  <Money amount={cart.total} currency={cart.currency} /> · <TimeAgo at={cart.last_activity} />
                </Text>
              </div>
            </Group>
            <CartMarks status={cart.status} state={cart.state} isInMailbox={cart.is_in_mailbox} />
          </li>
        ))}
      </ul>
    </Part>
  )
}

function OrdersCard({ orders }: { orders: Customer['orders'] }) {
  return (
    <Part title="Orders" part={orders} none="No orders.">
      <ul className="customer-rows">
        {orders.rows.map((order) => (
          <li key={order.id}>
            <div>
              <Text fz="sm">
                {order.cart_id ? (
                  <Anchor component={Link} to={`/carts/${order.cart_id}`} inherit>
                    Order #{order.id}
                  </Anchor>
                ) : (
                  `Order #${order.id}`
                )}
              </Text>
              <Text fz="sm" c="dimmed">
                <DateTime at={order.at} /> · {order.status}
              </Text>
            </div>
            <Group gap="xs" fz="sm">
              <Money amount={order.total} currency={order.currency} />
              {order.is_purchase && order.net !== order.total && (
                <Text span fz="sm" c="dimmed">
                  net <Money amount={order.net} currency={order.currency} />
                </Text>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function MessagesCard({ messages }: { messages: Customer['messages'] }) {
  return (
    <Part title="Messages" part={messages} none="No messages.">
      <Title order={3} fz="sm" mb="sm">
        Newest first
      </Title>
      <div className="customer-messages">
        {messages.rows.map((message) => (
          <CartMessage key={message.id} message={message} />
        ))}
      </div>
    </Part>
  )
}
