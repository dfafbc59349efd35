import { useMemo } from 'react'
import { useTheme } from './theme-choice.ts'

export interface ChartColors {
  /** In order of use. */
  series: string[]
  grid: string
  text: string
  surface: string
}

/** Chart roles as resolved colors for a canvas, read again when the theme changes. @public Every chart uses it. */
export function useChartColors(): ChartColors {
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the styles of the document depend on the theme
  return useMemo(() => readChartColors(getComputedStyle(document.documentElement)), [theme])
}

export function readChartColors(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): ChartColors {
  const role = (name: string) => style.getPropertyValue(`--rc-${name}`).trim()
  return {
    series: [1, 2, 3, 4, 5, 6].map((series) => role(`chart-${series}`)),
    grid: role('chart-grid'),
    text: role('chart-text'),
    surface: role('surface'),
  }
}
