import { Card, Skeleton } from '@mantine/core'
import {
  type Icon,
  IconArrowDownRight,
  IconArrowUpRight,
  IconCashBanknote,
  IconCircleCheck,
  IconMinus,
  IconShoppingCartOff,
  IconUsers,
} from '@tabler/icons-react'
import type { DashboardStats } from '../../shared/dashboard.ts'
import { formatCount, formatMoney } from '../ui/format.ts'
import { formatRate, type Trend, trendOf } from './rules.ts'

interface Figure {
  title: string
  icon: Icon
  value: string
  change: number | null
  /** What the figure is of. */
  note: string
  /** Fewer is better. */
  isLoss?: boolean
}

function figuresOf(stats: DashboardStats): Figure[] {
  const { trends, currency } = stats
  const others = stats.otherCurrencies.map((each) => formatMoney(each.totalRevenue, each.currency))
  const month = `${formatMoney(stats.monthlyRevenue, currency)} in 30 days`
  return [
    {
      ...{ title: 'Abandoned Carts', icon: IconShoppingCartOff, isLoss: true },
      ...{ value: formatCount(stats.abandonedCarts), change: trends.abandonedCarts, note: 'In the last 30 days' },
    },
    {
      ...{ title: 'Recovered Carts', icon: IconCircleCheck },
      ...{ value: formatCount(stats.recoveredCarts), change: trends.recoveredCarts },
      note: `${formatRate(stats.recoveryRate)} of abandoned carts`,
    },
    {
      ...{ title: 'Recovered Revenue', icon: IconCashBanknote },
      ...{ value: formatMoney(stats.totalRevenue, currency), change: trends.revenue },
      note: others.length > 0 ? `${month}, and ${others.join(', ')}` : month,
    },
    {
      ...{ title: 'Active Customers', icon: IconUsers },
      ...{ value: formatCount(stats.activeCustomers), change: trends.activeCustomers, note: 'In the last 30 days' },
    },
  ]
}

const titles = ['Abandoned Carts', 'Recovered Carts', 'Recovered Revenue', 'Active Customers']

interface Props {
  stats: DashboardStats | undefined
  isPending: boolean
}

/** Without figures, because they could not be had: the banner above says so, and no zero pretends to be one. */
export function StatCards({ stats, isPending }: Props) {
  if (isPending) return <WaitingCards />
  return (
    <section className="stats" aria-label="Figures of the last 30 days">
      {stats
        ? figuresOf(stats).map((figure) => <StatCard key={figure.title} {...figure} />)
        : titles.map((title) => (
            <Card key={title} padding="md">
              <h2 className="stat-title">{title}</h2>
              <p className="stat-value">–</p>
            </Card>
          ))}
    </section>
  )
}

function StatCard({ title, icon: Sign, value, change, note, isLoss = false }: Figure) {
  return (
    <Card padding="md">
      <h2 className="stat-title">
        <Sign size={17} stroke={1.8} aria-hidden />
        {title}
      </h2>
      <p className="stat-value">{value}</p>
      <p className="stat-foot">
        <span className="stat-change">
          <TrendMark trend={trendOf(change)} isLoss={isLoss} />
          <span className="stat-note" aria-hidden>
            vs. 30 days before
          </span>
        </span>
        <span className="stat-note">{note}</span>
      </p>
    </Card>
  )
}

const arrows = { up: IconArrowUpRight, down: IconArrowDownRight, level: IconMinus, unknown: null }

/** Arrow, sign and words say what happened; the tone only whether it is welcome. */
function TrendMark({ trend, isLoss }: { trend: Trend; isLoss: boolean }) {
  const Arrow = arrows[trend.direction]
  const isWelcome = trend.direction === (isLoss ? 'down' : 'up')
  const isMove = trend.direction === 'up' || trend.direction === 'down'
  return (
    <span className="stat-trend" data-tone={isMove ? (isWelcome ? 'good' : 'bad') : 'quiet'} title={trend.words}>
      {Arrow && <Arrow size={15} stroke={2.2} aria-hidden />}
      <span aria-hidden>{trend.text}</span>
      <span className="only-read">{trend.words}.</span>
    </span>
  )
}

function WaitingCards() {
  return (
    <div className="stats" role="status" aria-label="Loading">
      {titles.map((title) => (
        <Card key={title} padding="md">
          <Skeleton h={12} w="60%" mt={4} mb={18} />
          <Skeleton h={24} w="45%" mb={16} />
          <Skeleton h={11} w="80%" mb={3} />
        </Card>
      ))}
    </div>
  )
}
