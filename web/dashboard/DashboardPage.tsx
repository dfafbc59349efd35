import './dashboard.css'
import { Button } from '@mantine/core'
import { IconCreditCard } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { ChartPeriod } from '../../shared/dashboard.ts'
import { useSubscription } from '../access/queries.ts'
import { storedUser } from '../access/session.ts'
import { UntilDemoPast } from '../shell/DemoPast.tsx'
import { Empty } from '../ui/Empty.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { DashboardWarning, StoreFailed } from './failures.tsx'
import { OverviewCard } from './OverviewCard.tsx'
import { useChart, useRecentCarts, useStats } from './queries.ts'
import { RecentCarts } from './RecentCarts.tsx'
import { failureOf, isBeginning } from './rules.ts'
import { StatCards } from './StatCards.tsx'

/** A 4.1: the dashboard itself asks for a subscription that is active or trialing (the free plan's is active). */
export function DashboardPage() {
  const subscription = useSubscription()
  // What has been answered counts, an end of the plan too; what is remembered only until then.
  const status = subscription ? subscription.status : storedUser()?.subscriptionStatus
  return (
    <>
      <PageTitle title="Dashboard" />
      {status === 'active' || status === 'trialing' ? <Dashboard /> : <SubscriptionRequired />}
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

function Dashboard() {
  const stats = useStats()
  const recent = useRecentCarts()
  const [period, setPeriod] = useState<ChartPeriod>('week')
  const chart = useChart(period)
  const failure = failureOf([stats.error, chart.error, recent.error])
  if (failure?.look === 'page') return <StoreFailed text={failure.text} />
  const retry = () => Promise.all([stats, chart, recent].map((query) => query.refetch()))
  const isEmpty = stats.data && recent.data && isBeginning(stats.data, recent.data.pagination.total)
  return (
    <div className="dashboard">
      {failure && <DashboardWarning text={failure.text} onRetry={retry} />}
      {isEmpty ? (
        <UntilDemoPast>
          <FirstSteps />
        </UntilDemoPast>
      ) : (
        <>
          <StatCards stats={stats.data} isPending={stats.isPending} />
          <div className="dashboard-parts">
            <OverviewCard chart={chart} period={period} onPeriod={setPeriod} />
            <RecentCarts carts={recent.data?.carts} isPending={recent.isPending} onRetry={recent.refetch} />
          </div>
        </>
      )}
    </div>
  )
}
