// WooCommerce returns each instant twice, in store time and in UTC, both to the second and without an offset.
import { storeTimeZone } from './shop.ts'

export function formatLocalTime(seconds: number): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
  return instant.toZonedDateTimeISO(storeTimeZone).toPlainDateTime().toString({ smallestUnit: 'second' })
}

export function formatGmtTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

export function formatBothTimes<K extends string>(name: K, seconds: number | null) {
  const texts = {
    [name]: seconds === null ? null : formatLocalTime(seconds),
    [`${name}_gmt`]: seconds === null ? null : formatGmtTime(seconds),
  }
  return texts as Record<K | `${K}_gmt`, string | null>
}

/** Parses store time, or the text's own offset; null for no date. A date without a time means its first second. */
export function parseStoreTime(text: string, plainIsGmt = false): number | null {
  const shape = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
    text.trim(),
  )
  if (!shape) return null
  const [, day, time = '00:00:00', offset] = shape
  try {
    const plain = Temporal.PlainDateTime.from(`${day}T${time}`)
    const zone = offset ? parseOffset(offset) : plainIsGmt ? 'UTC' : storeTimeZone
    return Math.floor(plain.toZonedDateTime(zone).epochMilliseconds / 1000)
  } catch {
    return null
  }
}

export function getZoneOffsetHours(seconds: number): number {
  const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
  return instant.toZonedDateTimeISO(storeTimeZone).offsetNanoseconds / 3.6e12
}

function parseOffset(offset: string): string {
  if (/^z$/i.test(offset)) return 'UTC'
  return offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`
}
