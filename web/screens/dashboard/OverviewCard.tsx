import { Button, Card, NativeSelect, SegmentedControl, Skeleton, Text, Title, Tooltip } from '@mantine/core'
import { type Icon, IconChartBar, IconChartLine, IconChartPie, IconDownload, IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { ChartMeasure, ChartPeriod } from '../../../shared/insights/dashboard.ts'
import { ToolButton } from '../../core/ui/ChartTools.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { savePicture } from '../../core/ui/savePicture.ts'
import { ChartTable } from '../../kits/charts/ChartTable.tsx'
import { findSubject, type Subject } from '../../kits/charts/chart-subject.ts'
import { type ChartData, pickDatasets, sumDataset } from '../../kits/charts/datasets.ts'
import type { ChartType } from '../../kits/charts/RecoveryChart.tsx'
import { markRunning } from '../../kits/charts/running.ts'
import type { useChart } from './queries.ts'
import { findFailure } from './rules.ts'

// The chart library loads after the page.
const RecoveryChart = lazy(async () => ({
  default: (await import('../../kits/charts/RecoveryChart.tsx')).RecoveryChart,
}))

const periods: { value: ChartPeriod; label: string }[] = [
  { value: 'day', label: 'Last 24 Hours' },
  { value: 'week', label: 'Last 7 Days' },
  { value: 'month', label: 'Last 30 Days' },
]

const measures: { value: ChartMeasure; label: string }[] = [
  { value: 'carts', label: 'Carts' },
  { value: 'revenue', label: 'Revenue' },
]

const types: { type: ChartType; label: string; icon: Icon }[] = [
  { type: 'bar', label: 'Bar chart', icon: IconChartBar },
  { type: 'line', label: 'Line chart', icon: IconChartLine },
  { type: 'pie', label: 'Pie chart', icon: IconChartPie },
]

const FILE_NAME = 'cart-recovery-chart.png'

interface Props {
  chart: ReturnType<typeof useChart>
  period: ChartPeriod
  onPeriod: (period: ChartPeriod) => void
  measure: ChartMeasure
  onMeasure: (measure: ChartMeasure) => void
}

export function OverviewCard({ chart, period, onPeriod, measure, onMeasure }: Props) {
  const [chosen, setType] = useState<ChartType>('bar')
  // A pie compares two sums; revenue is a single one.
  const type = measure === 'revenue' && chosen === 'pie' ? 'bar' : chosen
  const [isTable, setTable] = useState(false)
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const data = toChartData(chart.data)
  useEffect(() => {
    if (chart.data && !data) console.error('The chart data is not valid', chart.data)
  }, [chart.data, data])
  const subject = findSubject(measure, chart.data)
  // While the next period loads, the previous numbers keep their period's label.
  const chartPeriod = chart.data?.period ?? period
  const name = periods.find(({ value }) => value === chartPeriod)!.label
  return (
    <Card className="overview">
      <div className="overview-head">
        <Title order={2}>Cart Recovery Overview</Title>
        <div className="overview-tools">
          <SegmentedControl
            size="xs"
            aria-label="What the chart shows"
            data={measures}
            value={measure}
            onChange={(value) => onMeasure(value as ChartMeasure)}
          />
          <NativeSelect
            size="xs"
            aria-label="Period"
            data={periods}
            value={period}
            onChange={(event) => onPeriod(event.currentTarget.value as ChartPeriod)}
          />
          <TypeButtons type={type} onType={setType} hasPie={measure === 'carts'} />
          <ToolButton label="Show as table" icon={IconTable} isOn={isTable} onClick={() => setTable(!isTable)} />
          <Tooltip label="Save as PNG">
            <Button
              size="xs"
              variant="default"
              px={8}
              aria-label="Export chart as PNG"
              disabled={!data}
              onClick={() => canvas.current && savePicture(canvas.current, FILE_NAME)}
            >
              <IconDownload size={16} aria-hidden />
            </Button>
          </Tooltip>
        </div>
      </div>
      <ChartPlace chart={chart} data={data} nothing={subject.nothing}>
        {data && <RecoveryChart canvas={canvas} data={data} type={type} name={name} subject={subject} />}
      </ChartPlace>
      <Text fz="xs" c="dimmed" mt="xs">
        {subject.definition}
      </Text>
      {data && isTable && (
        <ChartTable data={data} name={name} subject={subject} column={chartPeriod === 'day' ? 'Hour' : 'Date'} />
      )}
    </Card>
  )
}

function toChartData(answer: ReturnType<typeof useChart>['data']): ChartData | null {
  const data = pickDatasets(answer)
  return data && markRunning(data)
}

interface PlaceProps {
  chart: ReturnType<typeof useChart>
  data: ChartData | null
  nothing: Subject['nothing']
  children: React.ReactNode
}

/** The same height with and without a chart, so nothing shifts. */
function ChartPlace({ chart, data, nothing, children }: PlaceProps) {
  const waiting = <Skeleton className="overview-plot" role="status" aria-label="Loading" />
  if (chart.isPending) return waiting
  if (chart.error && !chart.data) {
    const text = findFailure(chart.error)!.text
    return (
      <div className="overview-plot">
        <Failed title="The chart could not be loaded" error={new Error(text)} onRetry={chart.refetch} />
      </div>
    )
  }
  const isBare = data?.datasets.every((set) => sumDataset(set) === 0)
  return (
    <div className="overview-plot" aria-busy={chart.isPlaceholderData}>
      <Suspense fallback={waiting}>{children}</Suspense>
      {isBare && <p className="overview-bare">{nothing}</p>}
    </div>
  )
}

interface TypeProps {
  type: ChartType
  onType: (type: ChartType) => void
  hasPie: boolean
}

function TypeButtons({ type, onType, hasPie }: TypeProps) {
  const available = types.filter((each) => hasPie || each.type !== 'pie')
  return (
    <Button.Group aria-label="Chart type">
      {available.map((each) => (
        <ToolButton
          key={each.type}
          label={each.label}
          icon={each.icon}
          isOn={each.type === type}
          onClick={() => onType(each.type)}
        />
      ))}
    </Button.Group>
  )
}
