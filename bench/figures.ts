// The results of a benchmark and their table and file formats.

export interface Figure {
  name: string
  value: number
  unit: string
  /** The same work with minimal code, measured in the same run. */
  ceiling?: { name: string; value: number }
  /** The goal; `of` = 'ceiling' for a share of the ceiling. */
  goal?: { atLeast?: number; below?: number; of?: 'ceiling' }
  /** A short note for readers. */
  note?: string
}

/** One benchmark per file. The file's first comment describes the method. */
export interface Bench {
  name: string
  run: (lab: import('./lab.ts').Lab) => Promise<Figure[]>
}

export function isMet({ value, ceiling, goal }: Figure): boolean | null {
  if (!goal) return null
  const measured = goal.of === 'ceiling' && ceiling ? value / ceiling.value : value
  return measured >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && measured < (goal.below ?? Number.POSITIVE_INFINITY)
}

export function printFigures(figures: readonly Figure[]): void {
  const lines = figures.map(formatRow)
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 1 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column] ?? 0),
    )
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`)
  }
}

/** Formats the figures as a Markdown table for docs/performance.md. `before`: of the last run, by name. */
export function formatMarkdown(figures: readonly Figure[], before: ReadonlyMap<string, number> = new Map()): string {
  const rows = figures.map((figure) => {
    const last = before.get(figure.name)
    const [name, value, ...rest] = formatRow(figure)
    return `| ${[name, value, last === undefined ? '' : formatNumber(last), ...rest].join(' | ')} |`
  })
  return ['| what | figure | last run | of its ceiling | goal | |', '| - | -: | -: | - | - | - |', ...rows].join('\n')
}

function formatRow(figure: Figure): string[] {
  const { name, value, unit, ceiling, note } = figure
  const share = ceiling
    ? `${formatNumber(value / ceiling.value)} × ${ceiling.name} (${formatNumber(ceiling.value)})`
    : ''
  return [name, `${formatNumber(value)} ${unit}`, share, formatGoal(figure), note ?? '']
}

function formatGoal(figure: Figure): string {
  const met = isMet(figure)
  if (met === null) return ''
  const { atLeast, below } = figure.goal!
  const limit = atLeast === undefined ? `< ${below}` : `≥ ${atLeast}`
  return `${limit}: ${met ? 'met' : 'MISSED'}`
}

function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}
