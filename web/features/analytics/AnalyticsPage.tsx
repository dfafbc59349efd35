import './analytics.css'
import { Anchor, Button, SegmentedControl, Skeleton, Text, Tooltip } from '@mantine/core'
import { IconChartBar, IconLock } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useDeferredValue, useRef } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { featurePlans, type PlanKey } from '../../../shared/billing/billing.ts'
import { type CartReach, reasonLabels, writeReachFilter } from '../../../shared/carts/reach.ts'
import { formatPercent } from '../../../shared/core/percent.ts'
import type { Roi } from '../../../shared/insights/analytics.ts'
import {
  type AnalyticsDetails,
  type AnalyticsRange,
  type AnalyticsReply,
  analyticsRanges,
  analyticsTexts,
  rangeDays,
} from '../../../shared/insights/analytics.ts'
import {
  channelNames,
  definitions,
  getChannelLabel,
  getCountryName,
  getDeviceName,
  getHourLabel,
  getShopperName,
  hasDevices,
  sourceNames,
} from '../../../shared/insights/analytics-definitions.ts'
import { computeReturn } from '../../../shared/insights/roi.ts'
import { platformNames } from '../../../shared/platforms/platforms.ts'
import { useHasFeature, useHasPermission, useStore, useSubscription } from '../../core/access/queries.ts'
import { useScope } from '../../core/access/scope.ts'
import { getErrorText } from '../../core/api/api.ts'
import { DownloadButton } from '../../core/ui/Download.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted, formatMoney, formatPrice, formatRound } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { DateTime, TimeAgo } from '../../core/ui/Time.tsx'
import type { Subject } from '../../kits/charts/chart-subject.ts'
import { markRunning } from '../../kits/charts/running.ts'
import { useReach } from '../../kits/manual-sends/send-queries.ts'
import { LinkedStore } from '../../kits/page/LinkedStore.tsx'
import { NoCaptureYet } from '../../kits/page/NoCaptureYet.tsx'
import { LiftResultCard } from '../lift/LiftCard.tsx'
import { AllStoresBar, AllStoresLocked } from './AllStoresBar.tsx'
import { FunnelBlock } from './FunnelBlock.tsx'
import { KpiCards } from './KpiCards.tsx'
import { OrdersMissing } from './OrdersMissing.tsx'
import { PictureButton } from './PictureButton.tsx'
import { Bar, Block, type Fact, FactList, Term } from './parts.tsx'
import { useAnalytics, useDetails, useExportAnalytics, useRoi } from './queries.ts'
import type { Sheet } from './Rows.tsx'
import { MAX_ORIGINS, Rows, RowsBlock, SaveCsv, useFirstRows } from './Rows.tsx'
import { BEING_COUNTED, formatDays, formatMonth, parseRange, rangeLabels } from './rules.ts'
import { Section } from './Section.tsx'
import { TopProducts } from './TopProducts.tsx'
import { TrendPanel } from './TrendPanel.tsx'
import { count, rateCell, toMoneyCell, toTextCell } from './table.ts'

/** B 2: Advanced Analytics. The weekly report links here with its store. */
export const AnalyticsPage = () => (
  <LinkedStore
    currentId={useStore()?.id}
    what="This report"
    instead="Show the analytics of this store"
    belongs={['platform']}
  >
    <Page />
  </LinkedStore>
)

/** The range is part of the address. */
function Page() {
  const [search] = useSearchParams()
  const { hash } = useLocation()
  const navigate = useNavigate()
  const { isAll, key } = useScope()
  const hasAll = useHasFeature('multi_store_dashboard')
  const plan = useSubscription()?.planInForce ?? null
  const isWhole = plan !== null && featurePlans.advanced_analytics.includes(plan)
  const requestedRange = parseRange(search.get('range'))
  const range = !isWhole && plan !== null && rangeDays[requestedRange] > 30 ? '30d' : requestedRange
  return (
    <>
      <PageTitle title="Advanced Analytics" text="What your abandoned carts are worth, and what was recovered.">
        <SegmentedControl
          aria-label="Period"
          value={range}
          onChange={(value) => {
            const next = new URLSearchParams(search)
            next.set('range', value)
            // `setSearchParams` would drop the open sections.
            navigate({ search: `?${next}`, hash })
          }}
          data={analyticsRanges.map((value) => ({
            value,
            label: value,
            disabled: !isWhole && rangeDays[value] > 30,
          }))}
        />
        <ExportButton range={range} plan={plan} />
      </PageTitle>
      {isAll && hasAll === false ? <AllStoresLocked /> : <Screen key={key} range={range} isWhole={isWhole} />}
    </>
  )
}

function Screen({ range, isWhole }: { range: AnalyticsRange; isWhole: boolean }) {
  const { isAll } = useScope()
  const figures = useAnalytics(range)
  if (figures.error && !figures.data) {
    return <Failed title={analyticsTexts.failed} error={figures.error} onRetry={figures.refetch} />
  }
  const overview = figures.data
  return (
    <div className="analytics" aria-busy={figures.isPlaceholderData}>
      {isAll && <AllStoresBar />}
      <KpiCards figures={overview} range={range} />
      {overview ? <FiguresNote figures={overview} isAll={isAll} /> : null}
      {!isAll && <OrdersMissing />}
      {overview?.isBeingCounted && <CountingNotice isAll={isAll} />}
      {overview && isEmptyReply(overview) && !overview.isBeingCounted && (
        <Empty
          icon={IconChartBar}
          title={analyticsTexts.noData}
          text={`${analyticsTexts.tryAnother}. Figures appear here with the first carts of the ${rangeLabels[range].toLowerCase()}.`}
        >
          <NoCaptureYet />
        </Empty>
      )}
      {overview ? (
        <div className="analytics-pair">
          <FunnelBlock figures={overview} range={range} />
          {overview.email && <EmailBlock figures={overview} />}
        </div>
      ) : (
        <Skeleton h={280} role="status" aria-label="Loading" />
      )}
      {overview && (
        <Deferred>
          {isWhole && (
            <>
              <div className="analytics-pair">
                <CustomerBlock figures={overview} />
                <PlatformBlock figures={overview} />
              </div>
              <div className="analytics-pair">
                <TrendPanel name="rate" range={range} />
                <TrendPanel name="revenue" range={range} />
              </div>
              {overview.topProducts && (
                <TopProducts
                  products={overview.topProducts}
                  currency={overview.currency}
                  range={range}
                  days={overview}
                  isBeingCounted={overview.isBeingCounted}
                />
              )}
              <Details range={range} />
            </>
          )}
          <Section id="roi" title="Costs and return" text="ROI Tracking by month, channel, flow and campaign">
            <RoiBlock range={range} />
          </Section>
          {!isWhole && <LockedAnalytics />}
        </Deferred>
      )}
    </div>
  )
}

/** Content below the fold, rendered after the first view. */
const Deferred = ({ children }: { children: ReactNode }) => (useDeferredValue(true, false) ? children : null)

const isEmptyReply = ({ counts }: AnalyticsReply) => Object.values(counts).every((count) => count === 0)

/** Marked so that it is not mistaken for the figures of the range (decision 91). */
const CountingNotice = ({ isAll }: { isAll: boolean }) => (
  <Notice tone="warn" title={BEING_COUNTED} isLive>
    They are incomplete until {isAll ? 'all stores are' : 'everything is'} counted. This page updates itself.
  </Notice>
)

/** Days, data freshness, and amounts in other currencies. */
function FiguresNote({ figures, isAll }: { figures: AnalyticsReply; isAll: boolean }) {
  const others = figures.otherCurrencies.map(describeOtherCurrency)
  return (
    <Text fz="xs" c="dimmed">
      {formatDays(figures)} (today so far), {isAll ? 'each store’s own days' : figures.timeZone}.
      {figures.countedUntil && (
        <>
          {' '}
          Counted up to <DateTime at={figures.countedUntil} />.
        </>
      )}
      {others.length > 0 && ` In other currencies: ${others.join('; ')}.`}
    </Text>
  )
}

/** Amounts in other currencies. */
function describeOtherCurrency({
  currency,
  netRevenue,
  revenueOpportunity,
}: AnalyticsReply['otherCurrencies'][number]): string {
  const orders = netRevenue !== 0 && `${formatMoney(netRevenue, currency)} of orders`
  const carts = revenueOpportunity !== 0 && `${formatMoney(revenueOpportunity, currency)} in unbought carts`
  return [orders, carts].filter(Boolean).join(' and ')
}

function EmailBlock({ figures: { email, currency } }: { figures: AnalyticsReply }) {
  if (!email) return null
  const facts: Fact[] = [
    { label: 'Open rate', definition: definitions.openRate, value: formatPercent(email.openRate), note: 'reported' },
    { label: 'Click rate', definition: definitions.clickRate, value: formatPercent(email.clickRate) },
    { label: 'Conversion rate', definition: definitions.conversionRate, value: formatPercent(email.conversionRate) },
    {
      label: 'Revenue per email',
      definition: definitions.revenuePerEmail,
      value: email.revenuePerEmail === null ? '–' : formatPrice(email.revenuePerEmail, currency),
    },
    { label: 'Sent', definition: definitions.accepted, value: formatCount(email.accepted) },
    {
      label: 'Bounced',
      definition: definitions.bounced,
      value: formatCount(email.bounced + email.refused),
      ...(email.refused > 0 && { note: `${formatCount(email.refused)} refused when sent` }),
    },
    { label: 'Unsubscribed', definition: definitions.unsubscribed, value: formatCount(email.unsubscribed) },
    { label: 'Complaints', definition: definitions.complaints, value: formatCount(email.complaints) },
  ]
  return (
    <Block title="Email Performance">
      <FactList facts={facts} />
    </Block>
  )
}

function CustomerBlock({ figures: { customers } }: { figures: AnalyticsReply }) {
  if (!customers) return null
  const { avgOrdersPerCustomer: orders } = customers
  return (
    <Block title="Customer Insights">
      <FactList
        facts={[
          { label: 'New', definition: definitions.new, value: formatOptionalCount(customers.new) },
          { label: 'Returning', definition: definitions.returning, value: formatOptionalCount(customers.returning) },
          {
            label: 'Repeat purchase rate',
            definition: definitions.repeatPurchaseRate,
            value: formatPercent(customers.repeatPurchaseRate),
          },
          {
            label: 'Average orders per customer',
            definition: definitions.avgOrdersPerCustomer,
            value: orders === null ? '–' : orders.toFixed(2),
          },
        ]}
      />
      <Text fz="xs" c="dimmed" mt="sm">
        {customers.countedAt === null ? (
          'Customers are being counted.'
        ) : (
          <>
            Counted <TimeAgo at={customers.countedAt} />
          </>
        )}
      </Text>
    </Block>
  )
}

const formatOptionalCount = (count: number | null) => (count === null ? '–' : formatCount(count))

/** What a larger plan adds, with an upgrade link (decision 131). */
function LockedAnalytics() {
  return (
    <Block title="More with Advanced Analytics" className="locked">
      <Text>
        <IconLock size={16} aria-hidden /> Trends, email performance, customers, products, revenue by attribution, and
        90 days or a year come with Starter and Growth.
      </Text>
      <Button component={Link} to="/pricing" mt="sm">
        See plans
      </Button>
    </Block>
  )
}

/** Closed sections on attribution, reach, shoppers and messages (decision 99). Each loads when it is opened. */
function Details({ range }: { range: AnalyticsRange }) {
  const { isAll } = useScope()
  return (
    <>
      <Section id="attribution" title="Attribution" text="How revenue is attributed, and when it comes">
        <WithDetails range={range}>
          {(known) => (
            <>
              <Sources details={known} />
              {!isAll && <LiftResultCard />}
              <Hours details={known} />
            </>
          )}
        </WithDetails>
      </Section>
      {!isAll && (
        <Section id="reach" title="Reach" text="Carts you can email, and what blocks the others">
          <Coverage range={range} />
        </Section>
      )}
      <Section id="shoppers" title="Shoppers" text="By country, new or returning, and device">
        <WithDetails range={range}>{(known) => <ShopperShares details={known} range={range} />}</WithDetails>
      </Section>
      <Section id="messages" title="Messages" text="By channel, flow and campaign">
        <WithDetails range={range}>
          {(known) => (
            <>
              <Channels details={known} />
              <Origins details={known} />
              {known.origins.length === 0 && <Text c="dimmed">No messages in this period.</Text>}
            </>
          )}
        </WithDetails>
      </Section>
    </>
  )
}

function WithDetails({ range, children }: { range: AnalyticsRange; children: (known: AnalyticsDetails) => ReactNode }) {
  return (
    <Loaded
      query={useDetails(range, true)}
      loading={<Skeleton h={260} role="status" aria-label="Loading" />}
      failed="These figures could not be loaded"
    >
      {children}
    </Loaded>
  )
}

function ShopperShares({ details, range }: { details: AnalyticsDetails; range: AnalyticsRange }) {
  const { isAll } = useScope()
  if (details.countries.length === 0) return <Text c="dimmed">No abandoned carts in this period.</Text>
  return (
    <div className="analytics-pair">
      <Shares
        title="By country"
        name="Country"
        definition={definitions.country}
        rows={details.countries.map((row) => ({ ...row, name: getCountryName(row.key) }))}
        details={details}
        {...(!isAll && { linkOf: (country) => `/carts?country=${country || 'none'}&days=${rangeDays[range]}` })}
      />
      <Shares
        title="New and returning shoppers"
        name="Shopper"
        definition={definitions.shopper}
        rows={details.shoppers.map((row) => ({ ...row, name: getShopperName(row.key) }))}
        details={details}
      />
      {hasDevices(details) && (
        <Shares
          title="By device"
          name="Device"
          definition={definitions.device}
          rows={details.devices.map((row) => ({ ...row, name: getDeviceName(row.key) }))}
          details={details}
        />
      )}
    </div>
  )
}

function Sources({ details: { sources, currency } }: { details: AnalyticsDetails }) {
  const total = sources.reduce((sum, { netRevenue }) => sum + netRevenue, 0)
  return (
    <Block title="Revenue by attribution">
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
    </Block>
  )
}

function Hours({ details }: { details: AnalyticsDetails }) {
  const hours = details.hours.filter(({ accepted }) => accepted > 0)
  return (
    <RowsBlock
      title="Revenue by time since abandonment"
      days={details}
      head={[
        ['Time since abandonment', definitions.byHour],
        ['Sent', definitions.accepted],
        ['Conversion rate', definitions.messageConversionRate],
        ['Revenue per message', definitions.revenuePerMessage],
      ]}
      rows={hours.map((hour) => [
        toTextCell(getHourLabel(hour.fromHour)),
        count(hour.accepted),
        rateCell(hour.conversionRate),
        toMoneyCell(hour.revenuePerMessage, details.currency),
      ])}
    />
  )
}

type ShareRow = AnalyticsDetails['countries'][number] & { name: string }

const VISIBLE_ROWS = 8

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
    most={VISIBLE_ROWS}
    rows={rows.map((row) => [
      toTextCell(row.name),
      count(row.abandoned),
      rateCell(row.recoveryRate),
      toMoneyCell(row.revenueOpportunity, details.currency),
    ])}
    {...(linkOf && { links: rows.map(({ key }) => linkOf(key)) })}
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
                You can’t email {formatPercent(1 - reachable / total)} of your
                {lookedThrough ? ` newest ${formatCount(lookedThrough)}` : ''} abandoned carts right now.
              </Text>
              <Reasons reachable={reachable} reasons={reasons} total={total} days={days} />
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
        ['Sent', definitions.accepted],
        ['Click rate', definitions.messageClickRate],
        ['Conversion rate', definitions.messageConversionRate],
        ['Revenue per message', definitions.revenuePerMessage],
        ['Unsubscribed', definitions.unsubscribed],
        ['Revenue', definitions.attributedRevenue],
      ]}
      rows={details.channels.map((each) => [
        toTextCell(getChannelLabel(each.channel)),
        count(each.accepted),
        rateCell(each.clickRate),
        rateCell(each.conversionRate),
        toMoneyCell(each.revenuePerEmail, details.currency),
        count(each.unsubscribed),
        toMoneyCell(each.attributedRevenue, details.currency),
      ])}
    />
  )
}

interface ReasonsProps extends Pick<CartReach, 'reachable' | 'reasons'> {
  total: number
  days: number
}

function Reasons({ reachable, reasons, total, days }: ReasonsProps) {
  const { visible, button } = useFirstRows(reasons, VISIBLE_ROWS)
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
        {visible.map(({ reason, country, count }) => (
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
    title="Flows, campaigns and manual messages"
    days={details}
    most={MAX_ORIGINS}
    head={[
      ['Sent by', definitions.sentBy],
      ['Sent', definitions.accepted],
      ['Open rate', definitions.openRate],
      ['Click rate', definitions.messageClickRate],
      ['Conversion rate', definitions.messageConversionRate],
      ['Unsubscribed', definitions.unsubscribed],
      ['Revenue', definitions.attributedRevenue],
    ]}
    rows={details.origins.map((origin) => [
      toTextCell(`${origin.name} (${channelNames[origin.channel]})`),
      count(origin.accepted),
      rateCell(origin.channel === 'email' ? origin.openRate : null),
      rateCell(origin.clickRate),
      rateCell(origin.conversionRate),
      count(origin.unsubscribed),
      toMoneyCell(origin.attributedRevenue, details.currency),
    ])}
  />
)

interface Props {
  range: AnalyticsRange
  /** null while unknown. */
  plan: PlanKey | null
}

/** B 2: exports all figures of the range; other plans see which plan includes it (decision 100). */
function ExportButton({ range, plan }: Props) {
  const mayExport = useHasPermission('account:export')
  if (!mayExport) return null
  return plan !== null && !featurePlans.analytics_export.includes(plan) ? <Locked /> : <Export range={range} />
}

function Export({ range }: Pick<Props, 'range'>) {
  const download = useExportAnalytics()
  return (
    <>
      <DownloadButton label="Export" isBusy={download.isPending} onClick={() => download.mutate(range)} />
      {download.error && (
        <Notice tone="bad" isLive>
          {getErrorText(download.error, analyticsTexts.exportFailed)}
        </Notice>
      )}
    </>
  )
}

const Locked = () => (
  <Tooltip label={analyticsTexts.exportPlan} multiline w={260} events={{ hover: true, focus: true, touch: true }}>
    <Button
      component={Link}
      to="/pricing"
      variant="default"
      leftSection={<IconLock size={16} aria-hidden />}
      aria-label={`Export: ${analyticsTexts.exportPlan}`}
    >
      Export
    </Button>
  </Tooltip>
)

/** Figures of the connected platform only (decision 96). */
function PlatformBlock({ figures }: { figures: AnalyticsReply }) {
  const { currency } = figures
  const money = (amount: number | null) => (amount === null ? '–' : formatMoney(amount, currency))
  const facts = listFacts(figures, money)
  return facts ? (
    <Block title={`${facts.platform} metrics`}>
      <FactList facts={facts.facts} />
    </Block>
  ) : null
}

function listFacts(figures: AnalyticsReply, money: (amount: number | null) => string) {
  const { woocommerce: carts, shopify: checkouts } = figures
  if (checkouts) {
    return {
      platform: platformNames.shopify,
      facts: [
        {
          label: 'Checkout abandonment rate',
          definition: definitions.checkoutAbandonmentRate,
          value: formatPercent(checkouts.checkoutAbandonmentRate),
        },
        {
          label: 'Average order value',
          definition: definitions.averageOrderValue,
          value: money(checkouts.averageOrderValue),
        },
        {
          label: 'Customer lifetime value',
          definition: definitions.customerLifetimeValue,
          value: money(checkouts.customerLifetimeValue),
        },
      ],
    }
  }
  if (!carts) return null
  return {
    platform: platformNames.woocommerce,
    facts: [
      {
        label: 'Cart abandonment rate',
        definition: definitions.cartAbandonmentRate,
        value: formatPercent(carts.cartAbandonmentRate),
      },
      { label: 'Average cart value', definition: definitions.platformCartValue, value: money(carts.averageCartValue) },
      {
        label: 'Conversion rate',
        definition: definitions.cartConversionRate,
        value: formatPercent(carts.conversionRate),
      },
    ],
  }
}

const SeriesChart = lazy(async () => ({ default: (await import('../../kits/charts/RecoveryChart.tsx')).RecoveryChart }))

const channelTitles = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp', push: 'Push' } as const

/** ROI Tracking (A 9, decision 154): cost of messages and plan against the revenue they brought. */
function RoiBlock({ range }: { range: AnalyticsRange }) {
  const hasRoi = useHasFeature('roi_tracking')
  const roi = useRoi(range, hasRoi === true)
  if (hasRoi === null) return null
  if (!hasRoi) {
    return (
      <Block title="ROI Tracking" className="locked">
        <Text>
          <IconLock size={16} aria-hidden /> {analyticsTexts.roiPlan}
        </Text>
        <Button component={Link} to="/pricing" mt="sm">
          See plans
        </Button>
      </Block>
    )
  }
  return (
    <Block title="ROI Tracking">
      <Loaded
        query={roi}
        loading={<Skeleton h={320} role="status" aria-label="Loading" />}
        failed="The costs could not be loaded"
      >
        {(known) =>
          known.months.length === 0 ? <Text c="dimmed">No messages yet.</Text> : <Known roi={known} range={range} />
        }
      </Loaded>
    </Block>
  )
}

function Known({ roi, range }: { roi: Roi; range: AnalyticsRange }) {
  const { currency } = roi
  const amount = (value: number | null) => toMoneyCell(value, currency)
  return (
    <>
      <MonthChart roi={roi} />
      <RoiTable
        title="By month"
        days={{ firstDay: roi.months[0]!.month, lastDay: roi.months.at(-1)!.month }}
        head={[
          ['Month'],
          ['Attributed revenue', definitions.roiRevenue],
          ['Message cost', definitions.messageCost],
          ['Plan', definitions.planPrice],
          ['Net gain', definitions.whatIsLeft],
          ['Return', definitions.roiReturn],
          ['Discounts given', definitions.discountsGiven],
        ]}
        rows={roi.months.toReversed().map((month, place) => {
          const { profit, rate: back } = computeReturn(month)
          const name = place === 0 ? formatRunningMonth(month.month) : formatMonth(month.month)
          return [
            { text: name, value: month.month },
            amount(month.attributedRevenue),
            amount(month.messageCost),
            amount(month.planPrice),
            amount(profit),
            rateCell(back),
            amount(month.discounts),
          ]
        })}
      />
      <Notes
        costs={roi.otherCostsByMonth}
        more={
          roi.months.every(({ planPrice }) => planPrice === null)
            ? `The plan is paid in ${roi.planCurrency} and not included.`
            : ''
        }
      />
      <Parts
        title={`By channel, ${rangeLabels[range].toLowerCase()}`}
        name="Channel"
        rows={roi.channels.map((row) => ({ ...row, name: channelTitles[row.channel] }))}
        roi={roi}
      />
      <Parts
        title={`By flow and campaign, ${rangeLabels[range].toLowerCase()}`}
        name="Sent by"
        rows={roi.origins}
        roi={roi}
      />
      <Notes costs={roi.otherCosts} more="" />
    </>
  )
}

interface PartsProps {
  title: string
  name: string
  rows: readonly { name: string; attributedRevenue: number; messageCost: number; discounts: number }[]
  roi: Roi
}

function Parts({ title, name, rows, roi }: PartsProps) {
  const amount = (value: number) => toMoneyCell(value, roi.currency)
  if (rows.length === 0) return null
  return (
    <RoiTable
      title={title}
      days={roi}
      head={[
        [name],
        ['Attributed revenue', definitions.roiRevenue],
        ['Message cost', definitions.messageCost],
        ['Net gain', definitions.whatIsLeft],
        ['Return', definitions.roiReturn],
        ['Discounts given', definitions.discountsGiven],
      ]}
      rows={rows.map((row) => {
        const { profit, rate: back } = computeReturn(row)
        return [
          toTextCell(row.name),
          amount(row.attributedRevenue),
          amount(row.messageCost),
          amount(profit),
          rateCell(back),
          amount(row.discounts),
        ]
      })}
    />
  )
}

function RoiTable({ title, ...sheet }: Sheet) {
  const { visible, button } = useFirstRows(sheet.rows, MAX_ORIGINS)
  return (
    <>
      <div className="block-sub">
        <h3 className="roi-title">{title}</h3>
        <SaveCsv {...sheet} title={`ROI ${title}`} />
      </div>
      <Rows {...sheet} rows={visible} name={`ROI ${title.split(',')[0]!.toLowerCase()}`} />
      {button}
    </>
  )
}

/** Costs in other currencies; currencies are never added (decision 21). */
function Notes({ costs, more }: { costs: Roi['otherCosts']; more: ReactNode }) {
  const others = costs.map(({ currency, messageCost }) => formatMoney(messageCost, currency)).join(', ')
  if (!others && !more) return null
  return (
    <Text fz="xs" c="dimmed" mt="xs">
      {others && `Message costs in other currencies: ${others}. `}
      {more}
    </Text>
  )
}

/** The period is still running. */
const formatRunningMonth = (month: string) => `${formatMonth(month)} (so far)`

function MonthChart({ roi: { months, currency } }: { roi: Roi }) {
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const data = markRunning({
    labels: months.map(({ month }) => formatMonth(month)),
    datasets: [
      { label: 'Attributed revenue', data: months.map(({ attributedRevenue }) => attributedRevenue) },
      { label: 'Costs', data: months.map((month) => computeReturn(month).costs) },
    ],
  })
  const format = (value: number | null) => formatMoney(value ?? 0, currency)
  const subject: Subject = {
    measure: 'money' as const,
    name: 'Revenue and costs',
    definition: '',
    nothing: '',
    format,
    formatTotal: format,
    axis: `Amount (${currency})`,
    formatMark: (value) => formatRound(value, currency),
  }
  return (
    <>
      <div className="block-sub">
        <h3 className="roi-title">Revenue and costs by month</h3>
        <PictureButton canvas={canvas} file="revenue-and-costs.png" />
      </div>
      <div className="trend-plot">
        <Suspense fallback={<Skeleton h="100%" />}>
          <SeriesChart
            canvas={canvas}
            data={data}
            subject={subject}
            type="bar"
            name="by month"
            numbersAt="The table below shows each number."
          />
        </Suspense>
      </div>
    </>
  )
}
