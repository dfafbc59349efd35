import { Card, Skeleton, Text } from '@mantine/core'
import type { DashboardStats } from '../../shared/dashboard.ts'
import { formatCount, formatMoney } from '../ui/format.ts'
import { formatRate, summarizeRecovered } from './rules.ts'

/** Recovered revenue, the dashboard's first figure. Covers the same 30 days as the cards below. */
export function RecoveredRevenue({ stats, isPending }: { stats: DashboardStats | undefined; isPending: boolean }) {
  if (!stats && !isPending) return null
  return (
    <Card component="section" className="won" aria-labelledby="won-title">
      <h2 id="won-title" className="stat-title">
        Won back in the last 30 days
      </h2>
      {stats ? <Figures stats={stats} /> : <Waiting />}
    </Card>
  )
}

function Figures({ stats }: { stats: DashboardStats }) {
  const won = summarizeRecovered(stats)
  if ('nothing' in won) return <Text mt={8}>{won.nothing}</Text>
  const others = won.others.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ')
  return (
    <dl className="won-figures">
      <div className="won-money">
        <dt>Revenue</dt>
        <dd className="won-value">{formatMoney(won.money, stats.currency)}</dd>
        <dd className="stat-note">
          {others && <>and {others} in other currencies. </>}
          Orders that followed a click in a message, its coupon or a restored cart, net of refunds.
        </dd>
      </div>
      <div>
        <dt>Orders</dt>
        <dd className="won-value">{formatCount(won.orders)}</dd>
        <dd className="stat-note">Each order counts once. Orders refunded in full do not count.</dd>
      </div>
      <div>
        <dt>Share of abandoned carts</dt>
        <dd className="won-value">{formatRate(won.share)}</dd>
        <dd className="stat-note">Of the carts abandoned in these 30 days, recovered by now.</dd>
      </div>
    </dl>
  )
}

/** Reserves the height of the figures. */
const Waiting = () => (
  <div className="won-figures" role="status" aria-label="Loading">
    {[1, 2, 3].map((place) => (
      <div key={place}>
        <Skeleton h={12} w="40%" mt={4} />
        <Skeleton h={26} w="55%" mt={10} mb={8} />
        <Skeleton h={11} w="90%" mb={22} />
      </div>
    ))}
  </div>
)
