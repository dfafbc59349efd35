import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  type ChartConfiguration,
  Chart as ChartJs,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PieController,
  PointElement,
  type Scale,
  Tooltip,
} from 'chart.js'
import type { RefObject } from 'react'
import { Chart } from 'react-chartjs-2'
import { type ChartColors, useChartColors } from '../../core/theme/chart.ts'
import type { Subject } from './chart-subject.ts'
import { type ChartData, sumDataset } from './datasets.ts'
import { keepLastLabel, splitLabel, spreadLabels } from './running.ts'

ChartJs.register(
  ...[ArcElement, BarController, BarElement, CategoryScale, Legend, LinearScale],
  ...[LineController, LineElement, PieController, PointElement, Tooltip],
)

export type ChartType = 'bar' | 'line' | 'pie'

interface Props {
  canvas: RefObject<HTMLCanvasElement | null>
  /** The last label is marked as the running period. */
  data: ChartData
  type: ChartType
  /** Totals of the period. */
  name: string
  subject: Subject
  /** Where screen readers find each number. */
  numbersAt?: string
}

const IN_TABLE = 'The button “Show as table” shows each number.'

export function RecoveryChart({ canvas, data, type, name, subject, numbersAt = IN_TABLE }: Props) {
  const colors = useChartColors()
  const totals = data.datasets
    .map(
      (set) =>
        `${set.label}: ${subject.measure === 'rate' ? subject.format(set.data.at(-1) ?? null) : subject.formatTotal(sumDataset(set))}`,
    )
    .join(', ')
  return (
    <Chart
      // Chart.js cannot exchange a chart's type or plugins.
      key={`${type} ${subject.axis} ${colors.surface}`}
      ref={(chart) => {
        canvas.current = chart?.canvas ?? null
      }}
      type={type}
      data={
        type === 'pie' ? buildPie(data, colors) : buildSeries(data, { type, styles: createStyles(subject) }, colors)
      }
      options={buildOptions(type, subject, colors)}
      plugins={[ground(colors, type), ...(type === 'line' ? [endLabels(colors.surface)] : [])]}
      role="img"
      aria-label={`${subject.name}, ${name}. ${totals}. ${numbersAt}`}
      data-type={type}
    />
  )
}

/** Abandoned is muted, recovered has the theme's first color. Dashes distinguish them without color. */
const styles = [
  { color: 5, dash: [6, 4] },
  { color: 0, dash: [] },
] as const
type SeriesStyle = (typeof styles)[number]

/** Recovered is second beside abandoned, and first beside lost. */
const createStyles = ({ measure }: Subject): readonly SeriesStyle[] =>
  measure === 'carts' ? styles : styles.toReversed()

const chooseColor = (index: number, { series }: ChartColors) => series[styles[index]!.color]!

interface Drawing {
  type: 'bar' | 'line'
  styles: readonly SeriesStyle[]
}

function buildSeries({ labels, datasets }: ChartData, { type, styles }: Drawing, colors: ChartColors) {
  const isLine = type === 'line'
  const last = labels.length - 1
  const sets = datasets.map((set, index) => {
    const { dash, color: place } = styles[index]!
    const color = colors.series[place]!
    const line = {
      borderWidth: 2,
      borderDash: [...dash],
      pointStyle: 'line' as const,
      // A value between two gaps has no line.
      pointRadius: set.data.map((value, at) =>
        value !== null && (set.data[at - 1] ?? null) === null && (set.data[at + 1] ?? null) === null ? 3 : 0,
      ),
      pointHoverRadius: 4,
      backgroundColor: color,
    }
    const bar = {
      borderRadius: 3,
      borderSkipped: 'bottom' as const,
      maxBarThickness: 26,
      pointStyle: 'rectRounded' as const,
      // The running period is paler.
      backgroundColor: labels.map((_, at) => (at === last ? `${color}73` : color)),
    }
    return { label: set.label, data: set.data, borderColor: color, ...(isLine ? line : bar) }
  })
  return { labels: labels.map(splitLabel), datasets: sets }
}

/** Totals of the period. */
function buildPie({ datasets }: ChartData, colors: ChartColors) {
  return {
    labels: datasets.map(({ label }) => label),
    datasets: [
      {
        data: datasets.map(sumDataset),
        backgroundColor: datasets.map((_, index) => chooseColor(index, colors)),
        borderColor: colors.surface,
        // A full pie has no edge to draw.
        borderWidth: datasets.every((set) => sumDataset(set) > 0) ? 2 : 0,
      },
    ],
  }
}

const FONT = "'Inter Variable', system-ui, sans-serif"

function buildOptions(
  type: ChartType,
  subject: Subject,
  { text, grid }: ChartColors,
): NonNullable<ChartConfiguration['options']> {
  const font = { family: FONT, size: 12 }
  const axis = (title: string) => ({
    title: { display: true, text: title, color: text, font },
    ticks: { color: text, font, precision: 0, maxRotation: 0, autoSkipPadding: 12 },
    border: { color: grid },
  })
  const isCount = subject.measure === 'carts'
  const y = axis(subject.axis)
  return {
    responsive: true,
    maintainAspectRatio: false,
    // Refetches every half minute without animation, so a downloaded picture is always complete.
    animation: false,
    // Rendered at a high resolution, sharp on every screen.
    devicePixelRatio: Math.max(2, window.devicePixelRatio),
    interaction: { mode: 'index', intersect: type === 'pie' },
    plugins: {
      // Lines have their names at their ends.
      legend: {
        display: type !== 'line',
        align: 'end',
        labels: { color: text, font, usePointStyle: true, boxHeight: 8, padding: 14 },
      },
      tooltip: {
        titleFont: font,
        bodyFont: font,
        usePointStyle: true,
        padding: 10,
        callbacks: {
          ...(type !== 'pie' && { title: ([item]) => (item ? formatBucket(item) : '') }),
          ...(!isCount && {
            label: ({ raw, dataset }) => `${dataset.label}: ${subject.format(raw === null ? null : Number(raw))}`,
          }),
        },
      },
    },
    ...(type === 'line' && { layout: { padding: { top: 16 } } }),
    ...(type !== 'pie' && {
      scales: {
        x: { ...axis('Date'), grid: { display: false }, beforeFit: keepRunning },
        y: {
          ...y,
          ...(!isCount && { ticks: { color: text, font, callback: (value) => subject.formatMark(Number(value)) } }),
          beginAtZero: true,
          suggestedMax: subject.measure === 'rate' ? 0.1 : 4,
          grid: { color: grid },
        },
      },
    }),
  }
}

const formatBucket = ({ chart, dataIndex }: { chart: ChartJs; dataIndex: number }) =>
  [chart.data.labels?.[dataIndex]].flat().join(' ')

function keepRunning(axis: Scale): void {
  const { chart, ctx } = axis
  ctx.save()
  ctx.font = `12px ${FONT}`
  axis.ticks = keepLastLabel({
    ticks: axis.ticks,
    width: axis.width,
    labels: (chart.data.labels ?? []) as (string | string[])[],
    widthOf: (line) => ctx.measureText(line).width,
  }) as typeof axis.ticks
  ctx.restore()
}

/** The card's background, also in a downloaded picture, and a band behind the running period. */
const ground = ({ surface, grid }: ChartColors, type: ChartType) => ({
  id: 'ground',
  beforeDraw: ({ ctx, width, height, chartArea, scales: { x }, data }: ChartJs) => {
    ctx.save()
    ctx.fillStyle = surface
    ctx.fillRect(0, 0, width, height)
    const last = (data.labels?.length ?? 0) - 1
    if (x && last > 0) {
      // Bars stand in the middle of a bucket, lines go from one to the next.
      const left = type === 'line' ? x.getPixelForValue(last - 1) : x.getPixelForValue(last) - x.width / (last + 1) / 2
      ctx.fillStyle = `${grid}99`
      ctx.fillRect(left, chartArea.top, chartArea.right - left, chartArea.bottom - chartArea.top)
    }
    ctx.restore()
  },
})

const LABEL_PX = 14

/** Writes each line's name at its end, in its color. */
const endLabels = (surface: string) => ({
  id: 'endLabels',
  afterDatasetsDraw: (chart: ChartJs) => {
    const { ctx, chartArea } = chart
    const ends = chart.data.datasets.flatMap((set, index) => {
      const at = set.data.findLastIndex((value) => typeof value === 'number')
      const point = chart.getDatasetMeta(index).data[at]
      return point ? [{ text: set.label ?? '', y: point.y - 6, color: String(set.borderColor) }] : []
    })
    ctx.save()
    ctx.font = `600 12px ${FONT}`
    ctx.textAlign = 'right'
    // A halo keeps the name readable where a line crosses it.
    ctx.strokeStyle = surface
    ctx.lineWidth = 4
    for (const { text, y, color } of spreadLabels(ends, LABEL_PX)) {
      const place = [chartArea.right - 4, Math.min(Math.max(y, chartArea.top - 4), chartArea.bottom - 4)] as const
      ctx.strokeText(text, ...place)
      ctx.fillStyle = color
      ctx.fillText(text, ...place)
    }
    ctx.restore()
  },
})
