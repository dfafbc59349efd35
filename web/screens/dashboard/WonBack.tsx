import { Anchor, Card, Skeleton, Text } from '@mantine/core'
import { type PointerEvent, useState } from 'react'
import { Link } from 'react-router'
import type { CartReach } from '../../../shared/carts/reach.ts'
import type { DashboardPath, DashboardStats } from '../../../shared/insights/dashboard.ts'
import { formatCount, formatCounted, formatMoney } from '../../core/ui/format.ts'
import { Thread } from '../../core/ui/Thread.tsx'
import { buildDailyLine } from './daily-line.ts'
import type { useRecoveredByDay } from './queries.ts'
import { buildPathStations, listBlockers, summarizeRecovered } from './rules.ts'
import { TrendMark } from './StatCards.tsx'

interface Props {
  stats: DashboardStats | undefined
  isPending: boolean
  days: ReturnType<typeof useRecoveredByDay>['data']
  /** undefined: of several stores, or not loaded. */
  reach?: CartReach | undefined
  path?: DashboardPath | undefined
}

/** The dashboard's hero: revenue recovered in the last 30 days, what blocks the other carts, and the path of all. */
export function WonBack({ stats, isPending, days, reach, path }: Props) {
  if (!stats && !isPending) return null
  return (
    <Card component="section" className="won" aria-labelledby="won-title">
      <div className="won-parts">
        <div className="won-hero">
          <h2 id="won-title" className="stat-title">
            Won back in the last 30 days
          </h2>
          {stats ? <Figure stats={stats} /> : <WaitingFigure />}
          {days ? <DailyLine days={days} /> : <div className="won-line" />}
        </div>
        {reach && <Blockers reach={reach} />}
      </div>
      {path && <Path path={path} />}
    </Card>
  )
}

function Figure({ stats }: { stats: DashboardStats }) {
  const won = summarizeRecovered(stats)
  if ('nothing' in won) {
    return (
      <>
        <p className="won-value">{formatMoney(0, stats.currency)}</p>
        <p className="won-note">{won.nothing}</p>
      </>
    )
  }
  const others = won.others.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ')
  return (
    <>
      <p className="won-value" data-tone="good">
        {formatMoney(won.money, stats.currency)}
      </p>
      <p className="won-note">
        <TrendMark change={stats.trends.monthlyRevenue} /> <span aria-hidden>vs. previous 30 days</span>
        {others && <> · and {others} in other currencies</>}
      </p>
    </>
  )
}

const WaitingFigure = () => (
  <div role="status" aria-label="Loading">
    <div className="won-value">
      <Skeleton h={40} w="45%" />
    </div>
    <div className="won-note">
      <Skeleton h={12} w="35%" />
    </div>
  </div>
)

const WIDTH = 600
const HEIGHT = 100

/** Revenue by day; the numbers are also in the table of the chart below. */
function DailyLine({ days }: { days: NonNullable<Props['days']> }) {
  const [place, setPlace] = useState<number | null>(null)
  const { labels, amounts, currency } = days
  const line = buildDailyLine(amounts, { width: WIDTH, height: HEIGHT })
  if (!line) return null
  const last = labels.length - 1
  const describe = (at: number) =>
    `${labels[at]}${at === last ? ' (today so far)' : ''}: ${formatMoney(amounts[at]!, currency)}`
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setPlace(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * labels.length))))
  }
  return (
    <div className="won-line">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Revenue recovered by day. Highest: ${describe(line.highest)}. ${describe(last)}.`}
        onPointerMove={follow}
        onPointerLeave={() => setPlace(null)}
      >
        <rect className="won-today" x={line.todayX} y={0} width={WIDTH - line.todayX} height={HEIGHT} />
        <path className="won-area" d={line.area} />
        <path className="won-stroke" d={line.path} vectorEffect="non-scaling-stroke" />
        {place !== null && (
          <line
            className="won-mark"
            x1={line.points[place]!.x}
            x2={line.points[place]!.x}
            y1={0}
            y2={HEIGHT}
            vectorEffect="non-scaling-stroke"
          />
        )}
      </svg>
      <p className="won-days" aria-hidden>
        {place === null ? (
          <>
            <span>{labels[0]}</span>
            <span>Today so far</span>
          </>
        ) : (
          <span className="won-day">{describe(place)}</span>
        )}
      </p>
    </div>
  )
}

/** Carts that no email can reach, by reason; each leads to its carts. */
function Blockers({ reach }: { reach: CartReach }) {
  const { rows, more } = listBlockers(reach)
  return (
    <div className="won-stops">
      <h3 className="stat-title">What stops the rest</h3>
      {rows.length === 0 ? (
        <Text fz="sm" c="dimmed" mt={8}>
          {reach.reachable > 0 ? 'Every open cart can be reached by email.' : 'No open cart.'}
        </Text>
      ) : (
        <ul>
          {rows.map(({ key, text, amounts, to }) => (
            <li key={key}>
              <Anchor component={Link} to={to} inherit>
                {text}
              </Anchor>
              <span className="number tabular">
                {amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(', ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && (
        <Anchor component={Link} to="/analytics#reach" fz="xs">
          {formatCounted(more, 'more reason')}
        </Anchor>
      )}
      {reach.lookedThrough && <p className="stat-note">Of the newest {formatCount(reach.lookedThrough)} carts.</p>}
    </div>
  )
}

function Path({ path }: { path: DashboardPath }) {
  const stations = buildPathStations(path).map(({ key, label, outcome, carts, amounts }) => ({
    key,
    label,
    outcome,
    figure: amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(' + ') || '–',
    detail: formatCounted(carts, 'cart'),
  }))
  return (
    <div className="won-path">
      <h3 className="stat-title won-path-title">What happened in these 30 days</h3>
      <Thread label="Path of the carts of the last 30 days" stations={stations} size="page" />
      {path.lookedThrough && <p className="stat-note">Of the newest {formatCount(path.lookedThrough)} carts.</p>}
    </div>
  )
}
