// What a benchmark answers, and the table and file it ends up in.

export interface Figure {
  name: string
  value: number
  unit: string
  /** The same bytes through the least code there is, measured in the same run. */
  ceiling?: { name: string; value: number }
  /** What was asked for; `of` = 'ceiling' when it is a share of the ceiling. */
  goal?: { atLeast?: number; below?: number; of?: 'ceiling' }
  /** Whatever else the reader has to know, in a few words. */
  note?: string
}

/** One per file. The file's first comment says how it measures. */
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
  const lines = figures.map(lineOf)
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column === 1 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column] ?? 0),
    )
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`)
  }
}

/** The same as a Markdown table, for docs/performance.md. */
export function markdownOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => `| ${lineOf(figure).join(' | ')} |`)
  return ['| what | figure | of its ceiling | goal | |', '| - | -: | - | - | - |', ...rows].join('\n')
}

function lineOf(figure: Figure): string[] {
  const { name, value, unit, ceiling, note } = figure
  const share = ceiling ? `${rounded(value / ceiling.value)} × ${ceiling.name} (${rounded(ceiling.value)})` : ''
  return [name, `${rounded(value)} ${unit}`, share, goalText(figure), note ?? '']
}

function goalText(figure: Figure): string {
  const met = isMet(figure)
  if (met === null) return ''
  const { atLeast, below } = figure.goal!
  const wanted = atLeast === undefined ? `< ${below}` : `≥ ${atLeast}`
  return `${wanted}: ${met ? 'met' : 'MISSED'}`
}

function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}
