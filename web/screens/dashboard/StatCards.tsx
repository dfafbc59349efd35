import { Anchor, Card, Skeleton } from '@mantine/core'
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
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type CartReach, REACHABLE } from '../../../shared/carts/reach.ts'
import type { DashboardStats } from '../../../shared/insights/dashboard.ts'
import { formatCount, formatMoney } from '../../core/ui/format.ts'
import { describeTrend } from './rules.ts'

interface Kind {
  title: string
  icon: Icon
  /** Whether lower is better. */
  isLoss?: boolean
}

const kinds: Kind[] = [
  { title: 'Abandoned Carts', icon: IconShoppingCartOff, isLoss: true },
  { title: 'Recovered Carts', icon: IconCircleCheck },
  { title: 'Recovered Revenue', icon: IconCashBanknote },
  { title: 'Active Customers', icon: IconUsers },
]

interface Figure {
  value: string
  change: number | null
  note?: ReactNode
}

/** One for each of `kinds`. */
function listFigures(stats: DashboardStats, reach: CartReach | undefined): Figure[] {
  const { trends, currency } = stats
  const allTime = [{ currency, totalRevenue: stats.totalRevenue }, ...stats.otherCurrencies]
  return [
    {
      value: formatCount(stats.abandonedCarts),
      change: trends.abandonedCarts,
      note: reach && <Reachable reach={reach} />,
    },
    { value: formatCount(stats.recoveredCarts), change: trends.recoveredCarts },
    {
      value: formatMoney(stats.monthlyRevenue, currency),
      change: trends.revenue,
      note: `${allTime.map((each) => formatMoney(each.totalRevenue, each.currency)).join(', ')} all time`,
    },
    { value: formatCount(stats.activeCustomers), change: trends.activeCustomers },
  ]
}

interface Props {
  stats: DashboardStats | undefined
  isPending: boolean
  /** Share of the abandoned carts of the same days. */
  reach: CartReach | undefined
}

/** Cards without figures because they failed to load. The banner explains why; never show a zero instead. */
export function StatCards({ stats, isPending, reach }: Props) {
  const figures = stats && listFigures(stats, reach)
  return (
    <section className="stats" aria-label="Figures of the last 30 days">
      <p className="stats-period">Last 30 days, vs. previous 30 days</p>
      {kinds.map(({ title, icon: Sign, isLoss }, place) => (
        <Card key={title} padding="md">
          <h2 className="stat-title">
            <Sign size={17} stroke={1.8} aria-hidden />
            {title}
          </h2>
          {isPending ? <WaitingFigure /> : <FigureText figure={figures?.[place]} isLoss={isLoss === true} />}
        </Card>
      ))}
    </section>
  )
}

/** How many can be emailed now. */
function Reachable({ reach }: { reach: CartReach }) {
  const of = reach.lookedThrough ? ` of the newest ${formatCount(reach.lookedThrough)}` : ''
  return (
    <Anchor component={Link} to={`/carts?reach=${REACHABLE}&days=30`} inherit underline="always">
      {formatCount(reach.reachable)}
      {of} can be reached
    </Anchor>
  )
}

function FigureText({ figure, isLoss }: { figure: Figure | undefined; isLoss: boolean }) {
  return (
    <>
      <p className="stat-value">{figure?.value ?? '–'}</p>
      <p className="stat-foot">
        {figure && (
          <>
            <TrendMark change={figure.change} isLoss={isLoss} />
            {figure.note && <span className="stat-note">{figure.note}</span>}
          </>
        )}
      </p>
    </>
  )
}

/** Reserves the height of a figure. */
const WaitingFigure = () => (
  <div role="status" aria-label="Loading">
    <div className="stat-value stat-waiting">
      <Skeleton h={24} w="45%" />
    </div>
    <div className="stat-foot">
      <Skeleton h={11} w="60%" mt={3} />
    </div>
  </div>
)

const arrows = { up: IconArrowUpRight, down: IconArrowDownRight, level: IconMinus, unknown: null }

interface TrendProps {
  change: number | null
  /** Whether lower is better. */
  isLoss?: boolean
}

/** Arrow, sign and text show the direction; the color only whether it is good. */
export function TrendMark({ change, isLoss = false }: TrendProps) {
  const trend = describeTrend(change)
  const Arrow = arrows[trend.direction]
  const isWelcome = trend.direction === (isLoss ? 'down' : 'up')
  const isMove = trend.direction === 'up' || trend.direction === 'down'
  return (
    <span className="stat-trend" data-tone={isMove ? (isWelcome ? 'good' : 'bad') : 'quiet'} title={trend.description}>
      {Arrow && <Arrow size={15} stroke={2.2} aria-hidden />}
      <span aria-hidden>{trend.text}</span>
      <span className="visually-hidden">{trend.description}.</span>
    </span>
  )
}
