import { useState } from 'react'
import type { ChartMeasure, ChartPeriod } from '../../shared/dashboard.ts'
import { AllStoresBar } from '../analytics/AllStoresBar.tsx'
import { Notice } from '../ui/Notice.tsx'
import { DashboardWarning, StoreFailed } from './failures.tsx'
import { OverviewCard } from './OverviewCard.tsx'
import { useChart, useStats } from './queries.ts'
import { RecoveredRevenue } from './RecoveredRevenue.tsx'
import { findFailure } from './rules.ts'
import { StatCards } from './StatCards.tsx'

/**
 * Dashboard over all stores of one currency, with the figures that can be added (decision 154). Carts and campaigns
 * stay per store.
 */
export function AllStores() {
  const stats = useStats()
  const [period, setPeriod] = useState<ChartPeriod>('week')
  const [measure, setMeasure] = useState<ChartMeasure>('carts')
  const chart = useChart(period, measure)
  const failure = findFailure([stats.error, chart.error])
  if (failure?.look === 'page') return <StoreFailed text={failure.text} />
  const failing = (stats.data?.stores ?? []).flatMap(({ name, isFailing }) => (isFailing ? [name] : []))
  return (
    <div className="dashboard">
      {failure && (
        <DashboardWarning text={failure.text} onRetry={() => Promise.all([stats.refetch(), chart.refetch()])} />
      )}
      <AllStoresBar />
      {failing.length > 0 && (
        <Notice tone="warn" isLive>
          Could not be read lately, so the figures may be old: {failing.join(', ')}.
        </Notice>
      )}
      <RecoveredRevenue stats={stats.data} isPending={stats.isPending} />
      <StatCards stats={stats.data} isPending={stats.isPending} reach={undefined} />
      <OverviewCard chart={chart} period={period} onPeriod={setPeriod} measure={measure} onMeasure={setMeasure} />
    </div>
  )
}
