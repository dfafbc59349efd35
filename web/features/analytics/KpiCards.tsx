import { Anchor, Card, Skeleton } from '@mantine/core'
import type { CSSProperties } from 'react'
import { Link } from 'react-router'
import { formatChange, formatPercent } from '../../../shared/core/percent.ts'
import { type AnalyticsRange, type AnalyticsReply, rangeDays } from '../../../shared/insights/analytics.ts'
import { definitions } from '../../../shared/insights/analytics-definitions.ts'
import { useScope } from '../../core/access/scope.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { Term } from './parts.tsx'
import { chooseTone } from './rules.ts'

interface Kpi {
  title: string
  definition: string
  /** Whether lower is better. */
  isLoss?: boolean
  value: (figures: AnalyticsReply) => string
  change: (figures: AnalyticsReply) => number | null
  /** Label of the change. */
  against: 'days' | 'beginning'
  hasCarts?: boolean
}

const money = (amount: number | null, currency: string) => (amount === null ? '–' : formatMoney(amount, currency))

const kpis: Kpi[] = [
  {
    title: 'Revenue opportunity',
    definition: definitions.revenueOpportunity,
    isLoss: true,
    value: ({ revenueOpportunity, currency }) => money(revenueOpportunity, currency),
    change: ({ revenueOpportunityChange }) => revenueOpportunityChange,
    against: 'days',
    hasCarts: true,
  },
  {
    title: 'Average cart value',
    definition: definitions.averageCartValue,
    value: ({ averageCartValue, currency }) => money(averageCartValue, currency),
    change: ({ averageCartValueChange }) => averageCartValueChange,
    against: 'days',
    hasCarts: true,
  },
  {
    title: 'Abandonment rate',
    definition: definitions.abandonmentRate,
    isLoss: true,
    value: ({ abandonmentRate }) => formatPercent(abandonmentRate),
    change: ({ abandonmentRateChange }) => abandonmentRateChange,
    against: 'days',
    hasCarts: true,
  },
  {
    title: 'Customer lifetime value',
    definition: definitions.customerLifetimeValue,
    value: ({ customerLifetimeValue, currency }) => money(customerLifetimeValue, currency),
    change: ({ customerLifetimeValueChange }) => customerLifetimeValueChange,
    against: 'beginning',
  },
]

interface Props {
  figures: AnalyticsReply | undefined
  range: AnalyticsRange
}

export function KpiCards({ figures, range }: Props) {
  const days = rangeDays[range]
  return (
    <section className="kpis" aria-label="Figures">
      {kpis.map((kpi) => (
        <Card key={kpi.title} padding="md" className="kpi">
          <h2 className="kpi-title">
            <Term label={kpi.title} definition={kpi.definition} />
          </h2>
          {figures ? <Figure kpi={kpi} figures={figures} days={days} /> : <LoadingSkeleton />}
        </Card>
      ))}
    </section>
  )
}

function Figure({ kpi, figures, days }: { kpi: Kpi; figures: AnalyticsReply; days: number }) {
  const change = kpi.change(figures)
  const { isAll } = useScope()
  const value = kpi.value(figures)
  return (
    <>
      <p className="kpi-value" style={{ '--letters': value.length } as CSSProperties}>
        {value}
      </p>
      <p className="kpi-foot">
        <span className="kpi-change" data-tone={chooseTone(change, kpi.isLoss === true)}>
          {formatChange(change)}
        </span>{' '}
        {kpi.against === 'days' ? `vs. previous ${days} days` : `vs. ${days} days ago`}
        {kpi.hasCarts && !isAll && (
          <>
            {'\u00a0· '}
            <Anchor component={Link} to={`/carts?days=${days}`} inherit underline="always">
              Carts
            </Anchor>
          </>
        )}
      </p>
    </>
  )
}

const LoadingSkeleton = () => (
  <div role="status" aria-label="Loading">
    <Skeleton h={26} w="50%" mt={12} mb={12} />
    <Skeleton h={12} w="80%" mb={10} />
  </div>
)
