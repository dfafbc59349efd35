import { Anchor, Skeleton, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import { type AnalyticsDetails, type AnalyticsRange, rangeDays } from '../../shared/analytics.ts'
import {
  channelNames,
  countryName,
  definitions,
  hourLabel,
  shopperName,
  sourceNames,
} from '../../shared/analytics-definitions.ts'
import { reasonLabels, writeReachFilter } from '../../shared/reach.ts'
import { useScope } from '../access/scope.ts'
import { useReach } from '../carts/send-queries.ts'
import { counted, formatCount, formatMoney } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Bar, Block, Term } from './parts.tsx'
import type { useDetails } from './queries.ts'
import { percent } from './rules.ts'

/** What Recoup adds to the blocks of every such screen: how revenue is known, and where it comes from (decision 99). */
export function Details({ details, range }: { details: ReturnType<typeof useDetails>; range: AnalyticsRange }) {
  const { isAll } = useScope()
  return (
    <Loaded
      query={details}
      loading={<Skeleton h={260} role="status" aria-label="Loading" />}
      failed="These figures could not be loaded"
    >
      {(known) => (
        <>
          <Sources details={known} />
          {isAll ? (
            <Hours details={known} />
          ) : (
            <div className="analytics-pair">
              <Hours details={known} />
              <Coverage range={range} />
            </div>
          )}
          <div className="analytics-pair">
            <Shares
              title="By country"
              name="Country"
              rows={known.countries.map((row) => ({ ...row, name: countryName(row.key) }))}
              currency={known.currency}
            />
            <Shares
              title="New and returning shoppers"
              name="Shopper"
              rows={known.shoppers.map((row) => ({ ...row, name: shopperName(row.key) }))}
              currency={known.currency}
            />
          </div>
          <Origins details={known} />
        </>
      )}
    </Loaded>
  )
}

function Sources({ details: { sources, currency } }: { details: AnalyticsDetails }) {
  const total = sources.reduce((sum, { netRevenue }) => sum + netRevenue, 0)
  return (
    <Block title="Revenue, by how it is known">
      <dl className="sources">
        {sources.map(({ source, orders, netRevenue }) => (
          <div key={source}>
            <dt>
              <Term label={sourceNames[source]} definition={definitions[source]} />
            </dt>
            <dd>
              <strong>{formatMoney(netRevenue, currency)}</strong>
              <span className="fact-note">
                {counted(orders, 'order')} · {percent(total > 0 ? netRevenue / total : null)} of the store’s revenue
              </span>
              <Bar width={total > 0 ? (netRevenue / total) * 100 : 0} />
            </dd>
          </div>
        ))}
      </dl>
      <Text fz="xs" c="dimmed" mt="sm">
        Net of refunds. Each order is in one of the three, and together they are the revenue of the store in these days.
      </Text>
    </Block>
  )
}

function Hours({ details: { hours, currency } }: { details: AnalyticsDetails }) {
  const shown = hours.filter(({ accepted }) => accepted > 0)
  return (
    <Block title="What a reminder earned, by time after leaving">
      {shown.length === 0 ? (
        <Text c="dimmed">No messages in this period.</Text>
      ) : (
        <Rows
          head={['Time after leaving', 'Messages', 'Conversion rate', 'Revenue per message']}
          rows={shown.map((hour) => [
            hourLabel(hour.fromHour),
            formatCount(hour.accepted),
            percent(hour.conversionRate),
            hour.revenuePerMessage === null ? '–' : formatMoney(hour.revenuePerMessage, currency),
          ])}
        />
      )}
    </Block>
  )
}

interface RowsProps {
  head: readonly string[]
  /** The first cell names the row. */
  rows: readonly (readonly string[])[]
}

function Rows({ head, rows }: RowsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="product-table" tabIndex={0} aria-label={head[0]!}>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {head.map((label, place) => (
              <Table.Th key={label} scope="col" {...(place > 0 && { className: 'number' })}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name, ...cells]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={500}>
                {name}
              </Table.Th>
              {cells.map((cell, place) => (
                <Table.Td key={head[place + 1]!} className="number">
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

type ShareRow = AnalyticsDetails['countries'][number] & { name: string }

const SHOWN = 8

function Shares({
  title,
  name,
  rows,
  currency,
}: {
  title: string
  name: string
  rows: readonly ShareRow[]
  currency: string
}) {
  return (
    <Block title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed">No abandoned carts in this period.</Text>
      ) : (
        <Rows
          head={[name, 'Abandoned', 'Recovery rate', 'Revenue opportunity']}
          rows={rows
            .slice(0, SHOWN)
            .map((row) => [
              row.name,
              formatCount(row.abandoned),
              percent(row.recoveryRate),
              formatMoney(row.revenueOpportunity, currency),
            ])}
        />
      )}
    </Block>
  )
}

/** Which abandoned carts may not be written to, and why: each reason leads to its carts. */
function Coverage({ range }: { range: AnalyticsRange }) {
  const days = rangeDays[range]
  const reach = useReach({ days })
  return (
    <Block title="Carts that can be reached">
      <Loaded
        query={reach}
        loading={<Skeleton h={160} role="status" aria-label="Loading" />}
        failed="The reasons could not be loaded"
      >
        {({ reachable, reasons, lookedThrough }) => {
          const total = reachable + reasons.reduce((sum, { count }) => sum + count, 0)
          if (total === 0) return <Text c="dimmed">No abandoned carts in this period.</Text>
          return (
            <>
              <Text fz="sm">
                {percent(1 - reachable / total)} of your abandoned carts
                {lookedThrough ? ` (the newest ${formatCount(lookedThrough)})` : ''} may not be written to by email now.
              </Text>
              <ul className="coverage">
                <li>
                  <Anchor component={Link} to={`/carts?reach=reachable&days=${days}`}>
                    Can be reached
                  </Anchor>
                  <span className="number">{formatCount(reachable)}</span>
                  <Bar width={(reachable / total) * 100} />
                </li>
                {reasons.slice(0, SHOWN).map(({ reason, country, count }) => (
                  <li key={`${reason} ${country}`}>
                    <Anchor component={Link} to={`/carts?reach=${writeReachFilter({ reason, country })}&days=${days}`}>
                      {reasonLabels[reason]}
                      {country && ` (${country})`}
                    </Anchor>
                    <span className="number">{formatCount(count)}</span>
                    <Bar width={(count / total) * 100} />
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
    </Block>
  )
}

function Origins({ details: { origins, currency } }: { details: AnalyticsDetails }) {
  return (
    <Block title="Flows, campaigns and messages by hand">
      {origins.length === 0 ? (
        <Text c="dimmed">No messages in this period.</Text>
      ) : (
        <Rows
          head={['Sent by', 'Accepted', 'Open rate', 'Click rate', 'Conversion rate', 'Unsubscribed', 'Revenue']}
          rows={origins.map((origin) => [
            `${origin.name} (${channelNames[origin.channel]})`,
            formatCount(origin.accepted),
            origin.channel === 'email' ? percent(origin.openRate) : '–',
            percent(origin.clickRate),
            percent(origin.conversionRate),
            formatCount(origin.unsubscribed),
            formatMoney(origin.attributedRevenue, currency),
          ])}
        />
      )}
    </Block>
  )
}
