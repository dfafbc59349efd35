import type { ChartData } from './rules.ts'

// The last bucket of every chart is the hour, day, week or month that is running: it is lower than it will be. Pure.

const SO_FAR = '(so far)'

/** As words and tables name the buckets. */
export const withRunning = (data: ChartData): ChartData => ({
  ...data,
  labels: data.labels.map((label, place) => (place === data.labels.length - 1 ? `${label} ${SO_FAR}` : label)),
})

/** As an axis writes a label: in two lines, so that it is no wider than the others. */
export const linesOf = (label: string): string | string[] =>
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

/** Where there is no room for all labels, the last one stays and those it would touch go. */
export function keepLast({ ticks, width, labels, widthOf }: Axis): Mark[] {
  const last = { value: labels.length - 1, label: labels.at(-1) ?? '' }
  if (labels.length === 0 || ticks.at(-1)?.value === last.value) return ticks
  const half = (label: Mark['label'] = '') => Math.max(...[label].flat().map(widthOf)) / 2
  const between = width / labels.length
  const isClear = ({ value, label }: Mark) => (last.value - value) * between >= half(label) + half(last.label) + BETWEEN
  return [...ticks.filter(isClear), last]
}
