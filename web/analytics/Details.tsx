import { Anchor, Skeleton, Text } from '@mantine/core'
import { Link } from 'react-router'
import { type AnalyticsDetails, type AnalyticsRange, rangeDays } from '../../shared/analytics.ts'
import {
  channelLabel,
  channelNames,
  countryName,
  definitions,
  deviceName,
  hasDevices,
  hourLabel,
  shopperName,
  sourceNames,
} from '../../shared/analytics-definitions.ts'
import { type CartReach, reasonLabels, writeReachFilter } from '../../shared/reach.ts'
import { useScope } from '../access/scope.ts'
import { useReach } from '../carts/send-queries.ts'
import { LiftFound } from '../lift/LiftCard.tsx'
import { formatCount, formatCounted, formatMoney } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Bar, Block, Term } from './parts.tsx'
import type { useDetails } from './queries.ts'
import { MAX_ORIGINS, RowsBlock, useFirstRows } from './Rows.tsx'
import { formatPercent } from './rules.ts'
import { count, moneyCell, rateCell, textCell } from './table.ts'

/** Blocks on how revenue is attributed and where it comes from (decision 99). */
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
          {!isAll && <LiftFound />}
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
              definition={definitions.country}
              rows={known.countries.map((row) => ({ ...row, name: countryName(row.key) }))}
              details={known}
              {...(!isAll && { linkOf: (country) => `/carts?country=${country || 'none'}&days=${rangeDays[range]}` })}
            />
            <Shares
              title="New and returning shoppers"
              name="Shopper"
              definition={definitions.shopper}
              rows={known.shoppers.map((row) => ({ ...row, name: shopperName(row.key) }))}
              details={known}
            />
            {hasDevices(known) && (
              <Shares
                title="By device"
                name="Device"
                definition={definitions.device}
                rows={known.devices.map((row) => ({ ...row, name: deviceName(row.key) }))}
                details={known}
              />
            )}
          </div>
          <Channels details={known} />
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
                {formatCounted(orders, 'order')}
                {total > 0 && ` · ${formatPercent(netRevenue / total)} of the store’s revenue`}
              </span>
              <Bar width={total > 0 ? (netRevenue / total) * 100 : 0} />
            </dd>
          </div>
        ))}
      </dl>
      <Text fz="xs" c="dimmed" mt="sm">
        Net of refunds. Each order is in one of the three, and together they are the revenue of the store in these days.
        Orders of 0, and orders refunded or cancelled in full, do not count.
      </Text>
    </Block>
  )
}

function Hours({ details }: { details: AnalyticsDetails }) {
  const shown = details.hours.filter(({ accepted }) => accepted > 0)
  return (
    <RowsBlock
      title="What a reminder earned, by time after leaving"
      days={details}
      head={[
        ['Time after leaving', definitions.byHour],
        ['Messages', definitions.accepted],
        ['Conversion rate', definitions.messageConversionRate],
        ['Revenue per message', definitions.revenuePerMessage],
      ]}
      rows={shown.map((hour) => [
        ...[textCell(hourLabel(hour.fromHour)), count(hour.accepted), rateCell(hour.conversionRate)],
        moneyCell(hour.revenuePerMessage, details.currency),
      ])}
      nothing="No messages in this period."
    />
  )
}

type ShareRow = AnalyticsDetails['countries'][number] & { name: string }

const SHOWN = 8

interface SharesProps {
  title: string
  name: string
  /** The dimension of the rows. */
  definition: string
  rows: readonly ShareRow[]
  details: AnalyticsDetails
  /** Link to the carts of one row. */
  linkOf?: (key: string) => string
}

const Shares = ({ title, name, definition, rows, details, linkOf }: SharesProps) => (
  <RowsBlock
    title={title}
    days={details}
    head={[
      [name, definition],
      ['Abandoned', definitions.cartsAbandoned],
      ['Recovery rate', definitions.recoveryRate],
      ['Revenue opportunity', definitions.revenueOpportunity],
    ]}
    most={SHOWN}
    rows={rows.map((row) => [
      ...[textCell(row.name), count(row.abandoned), rateCell(row.recoveryRate)],
      moneyCell(row.revenueOpportunity, details.currency),
    ])}
    {...(linkOf && { links: rows.map(({ key }) => linkOf(key)) })}
    nothing="No abandoned carts in this period."
  />
)

/** Abandoned carts that cannot be contacted, by reason; each reason links to its carts. */
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
                {formatPercent(1 - reachable / total)} of your abandoned carts
                {lookedThrough ? ` (the newest ${formatCount(lookedThrough)})` : ''} may not be written to by email now.
              </Text>
              <Text fz="xs" c="dimmed">
                {definitions.reached} Each cart counts once.
              </Text>
              <Reasons {...{ reachable, reasons, total, days }} />
            </>
          )
        }}
      </Loaded>
    </Block>
  )
}

/** Shown if there is a channel besides email, which has its own block (decision 94). */
function Channels({ details }: { details: AnalyticsDetails }) {
  if (details.channels.every(({ channel }) => channel === 'email')) return null
  return (
    <RowsBlock
      title="By channel"
      days={details}
      head={[
        ['Channel'],
        ['Accepted', definitions.accepted],
        ['Click rate', definitions.messageClickRate],
        ['Conversion rate', definitions.messageConversionRate],
        ['Revenue per message', definitions.revenuePerMessage],
        ['Unsubscribed', definitions.unsubscribed],
        ['Revenue', definitions.attributedRevenue],
      ]}
      rows={details.channels.map((each) => [
        ...[
          textCell(channelLabel(each.channel)),
          count(each.accepted),
          rateCell(each.clickRate),
          rateCell(each.conversionRate),
        ],
        ...[moneyCell(each.revenuePerEmail, details.currency), count(each.unsubscribed)],
        moneyCell(each.attributedRevenue, details.currency),
      ])}
      nothing="No messages in this period."
    />
  )
}

interface ReasonsProps extends Pick<CartReach, 'reachable' | 'reasons'> {
  total: number
  days: number
}

function Reasons({ reachable, reasons, total, days }: ReasonsProps) {
  const { shown, button } = useFirstRows(reasons, SHOWN)
  return (
    <>
      <ul className="coverage">
        <li>
          <Anchor component={Link} to={`/carts?reach=reachable&days=${days}`}>
            Can be reached
          </Anchor>
          <span className="number">{formatCount(reachable)}</span>
          <Bar width={(reachable / total) * 100} />
        </li>
        {shown.map(({ reason, country, count }) => (
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
      {button}
    </>
  )
}

const Origins = ({ details }: { details: AnalyticsDetails }) => (
  <RowsBlock
    title="Flows, campaigns and messages by hand"
    days={details}
    most={MAX_ORIGINS}
    head={[
      ['Sent by', definitions.sentBy],
      ['Accepted', definitions.accepted],
      ['Open rate', definitions.openRate],
      ['Click rate', definitions.messageClickRate],
      ['Conversion rate', definitions.messageConversionRate],
      ['Unsubscribed', definitions.unsubscribed],
      ['Revenue', definitions.attributedRevenue],
    ]}
    rows={details.origins.map((origin) => [
      ...[textCell(`${origin.name} (${channelNames[origin.channel]})`), count(origin.accepted)],
      ...[rateCell(origin.channel === 'email' ? origin.openRate : null), rateCell(origin.clickRate)],
      ...[
        rateCell(origin.conversionRate),
        count(origin.unsubscribed),
        moneyCell(origin.attributedRevenue, details.currency),
      ],
    ])}
    nothing="No messages in this period."
  />
)
