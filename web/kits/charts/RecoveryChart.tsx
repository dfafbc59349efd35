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
import { keepLastLabel, splitLabel } from './running.ts'

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
      plugins={[ground(colors.surface)]}
      role="img"
      aria-label={`${subject.name}, ${name}. ${totals}. ${numbersAt}`}
      data-type={type}
    />
  )
}

/** Abandoned is muted, recovered has the theme's first color. Line and point styles distinguish them without color. */
const styles = [
  { color: 5, dash: [6, 4], point: 'rectRot' },
  { color: 0, dash: [], point: 'circle' },
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
  // The running period is hollow.
  const filled = (color: string) => labels.map((_, place) => (place === last ? colors.surface : color))
  const sets = datasets.map((set, index) => {
    const { dash, point, color: place } = styles[index]!
    const color = colors.series[place]!
    const line = {
      borderWidth: 2,
      borderDash: [...dash],
      cubicInterpolationMode: 'monotone' as const,
      pointStyle: point,
      pointRadius: 3,
      pointHoverRadius: 5,
      backgroundColor: color,
      pointBackgroundColor: filled(color),
    }
    const bar = {
      borderRadius: 3,
      borderSkipped: 'bottom' as const,
      maxBarThickness: 26,
      pointStyle: 'rectRounded',
      backgroundColor: filled(color),
      borderWidth: labels.map((_, place) => (place === last ? 2 : 0)),
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
      legend: { align: 'end', labels: { color: text, font, usePointStyle: true, boxHeight: 8, padding: 14 } },
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

/** A downloaded picture gets the card's background instead of a transparent one. */
const ground = (color: string) => ({
  id: 'ground',
  beforeDraw: ({ ctx, width, height }: ChartJs) => {
    ctx.save()
    ctx.fillStyle = color
    ctx.fillRect(0, 0, width, height)
    ctx.restore()
  },
})
