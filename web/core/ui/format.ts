// Formats amounts, instants and durations. Pure; the locale is en-US as specified.

const formatters = new Map<string, Intl.NumberFormat>()
const numbers = new Intl.NumberFormat('en-US')
const clockTimes = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' })
const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

export function formatMoney(amount: number, currency: string): string {
  let formatter = formatters.get(currency)
  if (!formatter) {
    formatter = getMoneyFormatter(currency)
    formatters.set(currency, formatter)
  }
  return formatter.format(amount)
}

/** Omits zero decimals: for axis labels. */
export function formatRound(amount: number, currency: string): string {
  return Number.isInteger(amount) ? getMoneyFormatter(currency, 0).format(amount) : formatMoney(amount, currency)
}

/** A message's price can be below the currency's smallest unit: up to four decimals. */
export function formatPrice(amount: number, currency: string): string {
  const isWhole = Math.abs(amount) >= 1 || amount === 0
  return isWhole ? formatMoney(amount, currency) : getMoneyFormatter(currency, 4).format(amount)
}

export const formatCount = (count: number) => numbers.format(count)

/** `1 cart`, `2 carts`. */
export const formatCounted = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** Ada, Bo, and Cy. */
export const formatNames = (names: readonly string[]) => lists.format(names)
const lists = new Intl.ListFormat('en')

/** A date, `2026-01-05`, in any time zone: January 5, 2026. */
export const formatDay = (day: string) => days.format(Date.parse(day))

/** A local time, `21:00`: 9:00 PM. */
export function formatClock(time: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return clockTimes.format(Date.UTC(2000, 0, 1, hours, minutes))
}

/** "just now", "2 min ago", "in 3 h": the largest whole unit. */
export function formatDistance(instant: string | number, now: number): string {
  const ms = new Date(instant).getTime() - now
  const span = formatSpan(Math.abs(ms))
  if (span === null) return ms > 0 ? 'in a moment' : 'just now'
  return ms > 0 ? `in ${span}` : `${span} ago`
}

/** Age as text: "Synced 2 min ago". A negative age means that clocks differ. */
export const formatAge = (seconds: number) => formatDistance(0, Math.max(0, seconds) * 1_000)

/** Whole minutes: 90 → "90 minutes", 1440 → "24 hours", 2880 → "2 days". */
export function formatMinutes(minutes: number): string {
  if (minutes % 1_440 === 0 && minutes > 1_440) return formatCounted(minutes / 1_440, 'day')
  if (minutes % 60 === 0) return formatCounted(minutes / 60, 'hour')
  return formatCounted(minutes, 'minute')
}

/** 0:42, 3:07, 1:02:09. */
export function formatCountdown(seconds: number): string {
  const rest = Math.max(0, Math.ceil(seconds))
  const [hours, minutes, secs] = [Math.floor(rest / 3_600), Math.floor(rest / 60) % 60, rest % 60]
  const tail = `${hours ? String(minutes).padStart(2, '0') : minutes}:${String(secs).padStart(2, '0')}`
  return hours ? `${hours}:${tail}` : tail
}

function formatSpan(ms: number): string | null {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return null
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h`
  return formatCounted(Math.floor(hours / 24), 'day')
}

/** Unknown currencies are shown by their code. */
function getMoneyFormatter(currency: string, decimals?: number): Intl.NumberFormat {
  const digits = decimals === undefined ? {} : { maximumFractionDigits: decimals }
  try {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency, ...digits })
  } catch {
    return new Intl.NumberFormat('en-US', {
      minimumFractionDigits: Math.min(2, decimals ?? 2),
      maximumFractionDigits: decimals ?? 2,
    })
  }
}
