import './analytics.css'
import { Button, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { IconChartBar, IconLock } from '@tabler/icons-react'
import { type ReactNode, useDeferredValue } from 'react'
import { Link, useSearchParams } from 'react-router'
import {
  type AnalyticsRange,
  type AnalyticsReply,
  analyticsRanges,
  analyticsTexts,
  rangeDays,
} from '../../shared/analytics.ts'
import { definitions } from '../../shared/analytics-definitions.ts'
import { featurePlans } from '../../shared/billing.ts'
import { useHasFeature, useStore, useSubscription } from '../access/queries.ts'
import { useScope } from '../access/scope.ts'
import { LinkedStore } from '../shell/LinkedStore.tsx'
import { NoCaptureYet } from '../shell/NoCaptureYet.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Failed } from '../ui/Failed.tsx'
import { formatCount, formatMoney, formatPrice } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { DateTime, TimeAgo } from '../ui/Time.tsx'
import { AllStoresBar, AllStoresLocked } from './AllStoresBar.tsx'
import { Details } from './Details.tsx'
import { ExportButton } from './ExportButton.tsx'
import { FunnelBlock } from './FunnelBlock.tsx'
import { KpiCards } from './KpiCards.tsx'
import { OrdersMissing } from './OrdersMissing.tsx'
import { PlatformBlock } from './PlatformBlock.tsx'
import { Block, type Fact, FactList } from './parts.tsx'
import { useAnalytics, useDetails } from './queries.ts'
import { RoiBlock } from './Roi.tsx'
import { BEING_COUNTED, formatPercent, parseRange, rangeLabels } from './rules.ts'
import { TopProducts } from './TopProducts.tsx'
import { TrendPanel } from './TrendPanel.tsx'

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
  const [search, setSearch] = useSearchParams()
  const { isAll, key } = useScope()
  const hasAll = useHasFeature('multi_store_dashboard')
  const plan = useSubscription()?.planInForce ?? null
  const isWhole = plan !== null && featurePlans.advanced_analytics.includes(plan)
  const wanted = parseRange(search.get('range'))
  const range = !isWhole && plan !== null && rangeDays[wanted] > 30 ? '30d' : wanted
  return (
    <>
      <PageTitle title="Advanced Analytics" text="What your abandoned carts are worth, what was won back, and how.">
        <SegmentedControl
          aria-label="Period"
          value={range}
          onChange={(value) =>
            setSearch((known) => {
              known.set('range', value)
              return known
            })
          }
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
  const details = useDetails(range, isWhole)
  if (figures.error && !figures.data) {
    return <Failed title={analyticsTexts.failed} error={figures.error} onRetry={figures.refetch} />
  }
  const shown = figures.data
  return (
    <div className="analytics" aria-busy={figures.isPlaceholderData}>
      {isAll && <AllStoresBar />}
      <KpiCards figures={shown} range={range} />
      {shown ? <FiguresNote figures={shown} isAll={isAll} /> : null}
      {!isAll && <OrdersMissing />}
      {shown?.isBeingCounted && <CountingNotice isAll={isAll} />}
      {shown && isEmptyReply(shown) && !shown.isBeingCounted && (
        <Empty
          icon={IconChartBar}
          title={analyticsTexts.noData}
          text={`${analyticsTexts.tryAnother}. Figures appear here with the first carts of the ${rangeLabels[range].toLowerCase()}.`}
        >
          <NoCaptureYet />
        </Empty>
      )}
      {shown ? (
        <div className="analytics-pair">
          <FunnelBlock figures={shown} range={range} />
          {shown.email && <EmailBlock figures={shown} />}
        </div>
      ) : (
        <Skeleton h={280} role="status" aria-label="Loading" />
      )}
      {shown && (
        <Deferred>
          {isWhole && (
            <>
              <div className="analytics-pair">
                <TrendPanel name="rate" range={range} />
                <TrendPanel name="revenue" range={range} />
              </div>
              <div className="analytics-pair">
                <CustomerBlock figures={shown} />
                <PlatformBlock figures={shown} />
              </div>
              <Details details={details} range={range} />
              {shown.topProducts && (
                <TopProducts
                  products={shown.topProducts}
                  currency={shown.currency}
                  range={range}
                  days={shown}
                  isBeingCounted={shown.isBeingCounted}
                />
              )}
            </>
          )}
          <RoiBlock range={range} />
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
    They are incomplete until {isAll ? 'all stores are' : 'everything is'} counted. This page renews itself.
  </Notice>
)

/** Data freshness, currency, and what the figures exclude. */
function FiguresNote({ figures, isAll }: { figures: AnalyticsReply; isAll: boolean }) {
  const others = figures.otherCurrencies.map(describeOtherCurrency)
  return (
    <Text fz="xs" c="dimmed">
      {isAll
        ? `Days of each store’s own calendar (in ${figures.timeZone}: `
        : `Days of your store’s calendar (${figures.timeZone}), `}
      {figures.firstDay} to {figures.lastDay}
      {isAll && ')'}, which is not over.
      {figures.countedUntil && (
        <>
          {' '}
          Counted up to <DateTime at={figures.countedUntil} />.
        </>
      )}
      {others.length > 0 && ` Not added: ${others.join('; ')}.`}
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
  const carts = revenueOpportunity !== 0 && `${formatMoney(revenueOpportunity, currency)} in carts not bought`
  return `${[orders, carts].filter(Boolean).join(' and ')} in ${currency}`
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
    { label: 'Accepted', definition: definitions.accepted, value: formatCount(email.accepted) },
    { label: 'Bounced', definition: definitions.bounced, value: formatCount(email.bounced) },
    { label: 'Refused', definition: definitions.refused, value: formatCount(email.refused) },
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
            Customers are counted every 15 minutes, last <TimeAgo at={customers.countedAt} />.
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
        <IconLock size={16} aria-hidden /> Trends, email performance, customers, products, revenue by how it is known,
        and 90 days or a year at once are part of the Starter and Growth plans.
      </Text>
      <Button component={Link} to="/pricing" mt="sm">
        See plans
      </Button>
    </Block>
  )
}
