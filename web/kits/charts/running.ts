import type { ChartData } from './datasets.ts'

// Marks the last bucket of every chart, the hour, day, week or month still running, because its value is incomplete.
// Pure.

const SO_FAR = '(so far)'

/** Label in texts and tables. */
export const markRunning = (data: ChartData): ChartData => ({
  ...data,
  labels: data.labels.map((label, place) => (place === data.labels.length - 1 ? `${label} ${SO_FAR}` : label)),
})

/** Axis label on two lines, so it is no wider than the others. */
export const splitLabel = (label: string): string | string[] =>
  label.endsWith(` ${SO_FAR}`) ? [label.slice(0, -SO_FAR.length - 1), SO_FAR] : label

interface Mark {
  value: number
  label?: string | string[]
}

interface Axis {
  ticks: Mark[]
  width: number
  labels: readonly (string | string[])[]
  widthOf: (line: string) => number
}

const BETWEEN = 8

/** If labels do not all fit, keeps the last one and drops those it would overlap. */
export function keepLastLabel({ ticks, width, labels, widthOf }: Axis): Mark[] {
  const last = { value: labels.length - 1, label: labels.at(-1) ?? '' }
  if (labels.length === 0 || ticks.at(-1)?.value === last.value) return ticks
  const computeHalfWidth = (label: Mark['label'] = '') => Math.max(...[label].flat().map(widthOf)) / 2
  const between = width / labels.length
  const isClear = ({ value, label }: Mark) =>
    (last.value - value) * between >= computeHalfWidth(label) + computeHalfWidth(last.label) + BETWEEN
  return [...ticks.filter(isClear), last]
}

/** Moves labels apart upward, so that each has its own line; from the lowest to the highest. */
export function spreadLabels<T extends { y: number }>(labels: readonly T[], height: number): T[] {
  let free = Number.POSITIVE_INFINITY
  return labels
    .toSorted((a, b) => b.y - a.y)
    .map((label) => {
      const y = Math.min(label.y, free)
      free = y - height
      return { ...label, y }
    })
}
