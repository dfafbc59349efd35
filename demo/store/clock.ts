// WooCommerce shows every instant twice: in store time and in UTC, both without an offset and to the second.
import { storeZone } from './shop.ts'

export function localText(seconds: number): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
  return instant.toZonedDateTimeISO(storeZone).toPlainDateTime().toString({ smallestUnit: 'second' })
}

export function gmtText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

export function bothTexts<K extends string>(name: K, seconds: number | null) {
  const texts = {
    [name]: seconds === null ? null : localText(seconds),
    [`${name}_gmt`]: seconds === null ? null : gmtText(seconds),
  }
  return texts as Record<K | `${K}_gmt`, string | null>
}

/** Store time unless the text carries its own offset; null when it is no date. A bare day is its first second. */
export function parseStoreTime(text: string, plainIsGmt = false): number | null {
  const shape = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
    text.trim(),
  )
  if (!shape) return null
  const [, day, time = '00:00:00', offset] = shape
  try {
    const plain = Temporal.PlainDateTime.from(`${day}T${time}`)
    const zone = offset ? zoneOf(offset) : plainIsGmt ? 'UTC' : storeZone
    return Math.floor(plain.toZonedDateTime(zone).epochMilliseconds / 1000)
  } catch {
    return null
  }
}

export function zoneOffsetHours(seconds: number): number {
  const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
  return instant.toZonedDateTimeISO(storeZone).offsetNanoseconds / 3.6e12
}

function zoneOf(offset: string): string {
  if (/^z$/i.test(offset)) return 'UTC'
  return offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`
}
