// The datasets of a chart, from the server's answer. Pure.

export interface ChartData {
  labels: string[]
  /** null: a gap. */
  datasets: { label: string; data: (number | null)[] }[]
}

const DRAWN = 2

/** The first two datasets, if labels and numbers match; otherwise null, which is logged and not shown (A 2.3). */
export function pickDatasets(
  answer: { labels?: unknown; datasets?: unknown } | undefined,
  { hasGaps = false } = {},
): ChartData | null {
  const { labels, datasets } = answer ?? {}
  if (!Array.isArray(labels) || !Array.isArray(datasets) || datasets.length === 0) return null
  const drawn = datasets.slice(0, DRAWN) as ChartData['datasets']
  const isWhole = drawn.every(
    (set) =>
      typeof set?.label === 'string' &&
      Array.isArray(set.data) &&
      set.data.length === labels.length &&
      set.data.every((count) => (count === null ? hasGaps : Number.isFinite(count))),
  )
  return isWhole ? { labels: labels.map(String), datasets: drawn } : null
}

export const sumDataset = ({ data }: { data: readonly (number | null)[] }) =>
  data.reduce<number>((sum, count) => sum + (count ?? 0), 0)
