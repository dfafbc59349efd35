import './dashboard.css'
import { Button, Card } from '@mantine/core'
import { IconCreditCard } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import type { ChartMeasure, ChartPeriod } from '../../shared/dashboard.ts'
import { useHasFeature, useMe, useStore, useSubscription } from '../access/queries.ts'
import { useScope } from '../access/scope.ts'
import { loadUser } from '../access/session.ts'
import { AllStoresLocked } from '../analytics/AllStoresBar.tsx'
import { useReach } from '../carts/send-queries.ts'
import { DemoHistoryGate } from '../shell/DemoHistory.tsx'
import { Empty } from '../ui/Empty.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { ActiveCampaigns } from './ActiveCampaigns.tsx'
import { AllStores } from './AllStores.tsx'
import { FirstSteps, OpenSetup } from './FirstSteps.tsx'
import { DashboardWarning, StoreFailed } from './failures.tsx'
import { OverviewCard } from './OverviewCard.tsx'
import { useChart, useRecentCarts, useStats } from './queries.ts'
import { RecentCarts } from './RecentCarts.tsx'
import { RecoveredRevenue } from './RecoveredRevenue.tsx'
import { findFailure, isNewStore } from './rules.ts'
import { StatCards } from './StatCards.tsx'

const ActiveNow = lazy(async () => ({ default: (await import('../active/ActiveNow.tsx')).ActiveNow }))
const OrdersMissing = lazy(async () => ({ default: (await import('../analytics/OrdersMissing.tsx')).OrdersMissing }))
const LiftFound = lazy(async () => ({ default: (await import('../lift/LiftCard.tsx')).LiftFound }))
const DemoGuide = lazy(async () => ({ default: (await import('../active/DemoGuide.tsx')).DemoGuide }))

/** A 4.1: the dashboard asks for the subscription itself. */
export function DashboardPage() {
  const subscription = useSubscription()
  // Once the server has answered, its answer wins, even if the plan has ended. A remembered one counts only until then.
  const isSubscribed = (subscription ?? loadUser())?.hasActiveSubscription
  return (
    <>
      <PageTitle title="Dashboard" />
      {isSubscribed ? <Scoped /> : <SubscriptionRequired />}
    </>
  )
}

function SubscriptionRequired() {
  return (
    <Empty
      icon={IconCreditCard}
      title="Subscription Required"
      text="The dashboard is part of every plan, the free one included."
    >
      <Button component={Link} to="/pricing">
        Choose a Plan
      </Button>
    </Empty>
  )
}

function Scoped() {
  const { isAll, key } = useScope()
  const hasAll = useHasFeature('multi_store_dashboard')
  if (!isAll) return <Dashboard />
  // A currency change remounts the screen: figures of the previous currency never appear under the new name.
  return hasAll === false ? <AllStoresLocked /> : <AllStores key={key} />
}

function Dashboard() {
  const isDemo = useMe()?.isDemo
  const isLimited = useStore()?.rights?.hasAllOrders === false
  const stats = useStats()
  const recent = useRecentCarts()
  const [period, setPeriod] = useState<ChartPeriod>('week')
  const reach = useReach({ days: 30 })
  const [measure, setMeasure] = useState<ChartMeasure>('carts')
  const chart = useChart(period, measure)
  const failure = findFailure([stats.error, chart.error, recent.error])
  if (failure?.look === 'page') return <StoreFailed text={failure.text} />
  const retry = () => Promise.all([stats, chart, recent].map((query) => query.refetch()))
  const isEmpty = stats.data && recent.data && isNewStore(stats.data, recent.data.pagination.total)
  // Show "None" only once the figures are loaded too. A new store has its own layout.
  const isWaiting = recent.isPending || (stats.isPending && recent.data?.carts.length === 0)
  return (
    <div className="dashboard">
      <Suspense>{isDemo && <DemoGuide />}</Suspense>
      {failure && <DashboardWarning text={failure.text} onRetry={retry} />}
      {isEmpty ? (
        <>
          <DemoHistoryGate>
            <FirstSteps />
          </DemoHistoryGate>
          <CartsBeingFilled />
        </>
      ) : (
        <>
          {stats.data && recent.data && <OpenSetup />}
          <RecoveredRevenue stats={stats.data} isPending={stats.isPending} />
          <StatCards stats={stats.data} isPending={stats.isPending} reach={reach.data} />
          <CartsBeingFilled />
          <div className="dashboard-parts">
            <OverviewCard chart={chart} period={period} onPeriod={setPeriod} measure={measure} onMeasure={setMeasure} />
            <RecentCarts carts={recent.data?.carts} isPending={isWaiting} onRetry={recent.refetch} />
          </div>
          <Suspense>
            <LiftFound />
          </Suspense>
          <ActiveCampaigns />
          <Suspense>{isLimited && <OrdersMissing />}</Suspense>
        </>
      )}
    </div>
  )
}

/** Reserves the height of the empty state until loaded. */
const CartsBeingFilled = () => (
  <Suspense fallback={<Card className="active-waiting" />}>
    <ActiveNow />
  </Suspense>
)
