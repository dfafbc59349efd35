// Percentages as text: rates with two decimals, changes with one and a sign (B 3, B 9, decision 131). Pure.

const MAX_PERCENT = 9_999

const createFormat = (decimals: number) =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
const WHOLE = createFormat(0)
const ONE_DECIMAL = createFormat(1)
const TWO_DECIMALS = createFormat(2)

/** `–` if the base is zero. Above 100% it is a ratio, such as a return on costs, and is shown without decimals. */
export const formatPercent = (fraction: number | null): string =>
  fraction === null ? '–' : format(fraction, { precise: TWO_DECIMALS, maxPrecise: 1, plus: '' })

/** `+20.0%`; without decimals above 1,000%. */
export const formatChange = (change: number | null): string =>
  change === null ? '–' : format(change, { precise: ONE_DECIMAL, maxPrecise: 10, plus: '+' })

interface PercentFormat {
  precise: Intl.NumberFormat
  /** The largest fraction that is shown with decimals. */
  maxPrecise: number
  plus: string
}

function format(fraction: number, { precise, maxPrecise, plus }: PercentFormat): string {
  const percent = Math.abs(fraction) * 100
  const isPrecise = Math.abs(fraction) <= maxPrecise
  const size = (isPrecise ? precise : WHOLE).format(Math.min(percent, MAX_PERCENT))
  if (size === precise.format(0)) return `${size}%`
  const signed = `${fraction < 0 ? '−' : plus}${size}%`
  if (percent <= MAX_PERCENT) return signed
  return `${fraction < 0 ? 'under' : plus ? 'more than' : 'over'} ${signed}`
}
