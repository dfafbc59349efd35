import { Button, NativeSelect, Skeleton } from '@mantine/core'
import { IconChartBar, IconChartLine, IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { formatPercent } from '../../../shared/core/percent.ts'
import { type AnalyticsRange, analyticsRanges, analyticsTexts, type Trend } from '../../../shared/insights/analytics.ts'
import { definitions } from '../../../shared/insights/analytics-definitions.ts'
import { getErrorText } from '../../core/api/api.ts'
import { ToolButton } from '../../core/ui/ChartTools.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatMoney, formatRound } from '../../core/ui/format.ts'
import { ChartTable } from '../../kits/charts/ChartTable.tsx'
import type { Subject } from '../../kits/charts/chart-subject.ts'
import { type ChartData, pickDatasets, sumDataset } from '../../kits/charts/datasets.ts'
import { markRunning } from '../../kits/charts/running.ts'
import { NoCaptureYet } from '../../kits/page/NoCaptureYet.tsx'
import { PictureButton } from './PictureButton.tsx'
import { Block, Term } from './parts.tsx'
import { type TrendName, useTrend } from './queries.ts'
import { SaveCsv, type Sheet } from './Rows.tsx'
import { BEING_COUNTED, rangeLabels } from './rules.ts'
import { rateCell, toMoneyCell, toTextCell } from './table.ts'

// The chart library loads after the page.
const SeriesChart = lazy(async () => ({ default: (await import('../../kits/charts/RecoveryChart.tsx')).RecoveryChart }))

const titles: Record<TrendName, { title: string; file: string; means: readonly [string, string] }> = {
  rate: {
    title: 'Recovery rate',
    file: 'recovery-rate-trend.png',
    means: [definitions.trendRecovery, definitions.trendAbandonment],
  },
  revenue: {
    title: 'Revenue',
    file: 'revenue-trend.png',
    means: [definitions.trendRevenue, definitions.trendOpportunity],
  },
}

interface Props {
  name: TrendName
  /** The page's range; the panel follows it until its own is changed. */
  range: AnalyticsRange
}

export function TrendPanel({ name, range }: Props) {
  const [own, setOwn] = useState<AnalyticsRange | null>(null)
  const period = own ?? range
  const trend = useTrend(name, period)
  const [type, setType] = useState<'line' | 'bar'>('line')
  const [isTable, setTable] = useState(false)
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const { title, file, means } = titles[name]
  const data = pickDatasets(trend.data, { hasGaps: true })
  useEffect(() => {
    if (trend.data && !data) console.error('The chart data is not valid', trend.data)
  }, [trend.data, data])
  const plotted = data && hasData(trend.data) ? markRunning(data) : null
  const subject = buildSubject(title, trend.data)
  return (
    <Block
      title={title}
      tools={
        <div className="block-tools">
          <NativeSelect
            size="xs"
            aria-label={`Period of ${title}`}
            data={analyticsRanges.map((value) => ({ value, label: rangeLabels[value] }))}
            value={period}
            onChange={(event) => setOwn(event.currentTarget.value as AnalyticsRange)}
          />
          <Button.Group aria-label="Chart type">
            <ToolButton
              label="Line chart"
              icon={IconChartLine}
              isOn={type === 'line'}
              onClick={() => setType('line')}
            />
            <ToolButton label="Bar chart" icon={IconChartBar} isOn={type === 'bar'} onClick={() => setType('bar')} />
          </Button.Group>
          <ToolButton label="Show as table" icon={IconTable} isOn={isTable} onClick={() => setTable(!isTable)} />
          {plotted && isTable && trend.data && <SaveCsv {...buildSheet(title, trend.data)} />}
          <PictureButton canvas={canvas} file={file} isDisabled={!plotted} />
        </div>
      }
    >
      {plotted && <Figures data={plotted} subject={subject} means={means} />}
      <div className="trend-plot" aria-busy={trend.isPlaceholderData}>
        <Plot trend={trend} isEmpty={data !== null && !plotted}>
          {plotted && (
            <Suspense fallback={<Skeleton h="100%" />}>
              <SeriesChart
                canvas={canvas}
                type={type}
                subject={subject}
                data={plotted}
                name={rangeLabels[trend.data?.period ?? period]}
              />
            </Suspense>
          )}
        </Plot>
      </div>
      {plotted && isTable && (
        <ChartTable data={plotted} name={rangeLabels[trend.data?.period ?? period]} subject={subject} column="Date" />
      )}
    </Block>
  )
}

interface FiguresProps {
  data: ChartData
  subject: Subject
  means: readonly string[]
}

/** What each line comes to: amounts of all days, or the last complete rate. */
const Figures = ({ data, subject, means }: FiguresProps) => (
  <dl className="trend-figures">
    {data.datasets.map((set, place) => (
      <div key={set.label} data-place={place}>
        <dt>
          <Term label={set.label} definition={means[place]!} />
        </dt>
        <dd>
          {subject.measure === 'rate' ? <LastRate data={data} set={set} subject={subject} /> : null}
          {subject.measure !== 'rate' && subject.formatTotal(sumDataset(set))}
        </dd>
      </div>
    ))}
  </dl>
)

/** Today is left out: its carts are hardly an hour old. */
function LastRate({
  data,
  set,
  subject,
}: Pick<FiguresProps, 'data' | 'subject'> & { set: ChartData['datasets'][number] }) {
  const place = set.data.findLastIndex((value, at) => value !== null && at < set.data.length - 1)
  return (
    <>
      {subject.format(set.data[place] ?? null)}
      {place >= 0 && <span className="fact-note">{data.labels[place]}</span>}
    </>
  )
}

interface PlotProps {
  trend: ReturnType<typeof useTrend>
  /** A chart that fails to draw is not "no data": log the error only (B 8). */
  isEmpty: boolean
  children: React.ReactNode
}

function Plot({ trend, isEmpty, children }: PlotProps) {
  if (trend.isPending) return <Skeleton h="100%" role="status" aria-label="Loading" />
  if (trend.error && !trend.data) {
    const message = getErrorText(trend.error, analyticsTexts.trendFailed)
    return <Failed title={analyticsTexts.chartFailed} error={new Error(message)} onRetry={trend.refetch} />
  }
  if (isEmpty && trend.data?.isBeingCounted) {
    return (
      <div className="trend-bare">
        <strong>{BEING_COUNTED}</strong>
      </div>
    )
  }
  if (isEmpty) {
    return (
      <div className="trend-bare">
        <strong>{analyticsTexts.noData}</strong>
        <span>{analyticsTexts.tryAnother}</span>
        <NoCaptureYet />
      </div>
    )
  }
  return children
}

/** Whether there is data: amounts above zero, or at least one rate. */
const hasData = (trend: Trend | undefined) =>
  trend?.datasets.some(({ data }) =>
    data.some((value) => (trend.unit === 'money' ? Boolean(value) : value !== null)),
  ) === true

/** The data table below the chart, one row per bucket by its first day. */
const buildSheet = (title: string, { starts, datasets, unit, currency, lastDay }: Trend): Sheet => ({
  title,
  days: { firstDay: starts[0] ?? lastDay, lastDay },
  head: [['Date'], ...datasets.map(({ label }) => [label] as const)],
  rows: starts.map((start, place) => [
    toTextCell(start),
    ...datasets.map(({ data }) => {
      const value = data[place] ?? null
      return unit === 'money' ? toMoneyCell(value, currency) : rateCell(value)
    }),
  ]),
})

function buildSubject(name: string, trend: Trend | undefined): Subject {
  const currency = trend?.currency ?? 'USD'
  const isMoney = trend?.unit === 'money'
  const format = (value: number | null) =>
    value === null ? '–' : isMoney ? formatMoney(value, currency) : formatPercent(value)
  return {
    measure: isMoney ? ('money' as const) : ('rate' as const),
    name,
    definition: '',
    nothing: '',
    format,
    axis: isMoney ? `Revenue (${currency})` : 'Rate',
    formatMark: (value) => (isMoney ? formatRound(value, currency) : `${Math.round(value * 100)}%`),
    formatTotal: (value) => format(value),
  }
}
