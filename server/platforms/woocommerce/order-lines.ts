import { z } from 'zod'
import { parseMinor, unitMinor } from '../../../shared/money.ts'
import type { PlatformItem } from '../platform/platform.ts'
import { field, wireId, wireList, wirePart, wireRaw, wireText } from '../platform/row.ts'
import { addChoices, plainText, webAddress } from '../platform/text.ts'

// Reads the lines of an order: prices with and without tax, and each bundle as one line.

const Item = z.object({
  id: wireId,
  product_id: wireId,
  variation_id: wireId,
  name: wireText(300),
  parent_name: wireText(300),
  sku: wireText(100),
  quantity: field((input) => (typeof input === 'string' ? Number(input) : input)),
  subtotal: wireRaw,
  subtotal_tax: wireRaw,
  price: wireRaw,
  image: wirePart,
  meta_data: wireList,
})

interface Line {
  item: PlatformItem
  lineId: string | null
  /** Reference to its whole. */
  partOf: string[]
  /** Its cart keys. */
  cartKeys: string[]
  hasParts: boolean
  netMinor: number
  taxMinor: number
}

interface Prices {
  currency: string
  /** Prices were entered with tax. */
  hasTax: boolean
}

/** Omits the parts of bundles, composites, boxes and chained products: adding the whole to a cart adds its parts. */
export function readItems(rows: readonly Record<string, unknown>[], prices: Prices): PlatformItem[] {
  const lines = rows.map((raw) => readLine(raw, prices)).filter((line) => line !== null)
  const parents = findParents(lines)
  const parts = Map.groupBy(lines, (_, place) => findWhole(parents, place))
  return [...parts].map(([place, all]) => {
    const { item } = lines[place]!
    return all.length > 1 ? { ...item, ...readPrices(all, item.quantity, prices) } : item
  })
}

/** null for a line without a product (fees entered by staff, unknown products) or without a valid quantity. */
function readLine(raw: Record<string, unknown>, prices: Prices): Line | null {
  const wire = Item.parse(raw)
  const { quantity } = wire
  if (!wire.product_id || typeof quantity !== 'number' || !(quantity > 0) || quantity > 1_000_000) return null
  const units = Number.isInteger(quantity) ? quantity : 1
  const net = parseMinor(wire.subtotal, prices.currency)
  const one = parseMinor(wire.price, prices.currency) ?? 0
  const line = { netMinor: net ?? one * units, taxMinor: parseMinor(wire.subtotal_tax, prices.currency) ?? 0 }
  const entries = wire.variation_id ? readChoices(wire.meta_data) : {}
  const name = wire.name ?? wire.parent_name ?? wire.sku ?? `#${wire.product_id}`
  const item = {
    productId: wire.product_id,
    variationId: wire.variation_id,
    name: addChoices(name, entries.choices ?? []),
    sku: wire.sku,
    quantity: units,
    ...readPrices([line], units, prices),
    imageUrl: webAddress(wire.image.src),
    ...entries,
  }
  const marks = [...Object.entries(raw), ...wire.meta_data.map(({ key, value }) => [key, value] as const)]
  return {
    ...{
      item,
      ...line,
      lineId: wire.id,
      partOf: listValues(marks, PART).slice(0, 5),
      cartKeys: listValues(marks, CART_KEY).slice(0, 5),
    },
    hasParts: listValues(marks, WHOLE).length > 0,
  }
}

/** Unit prices of lines that are sold as one. Without a known tax both are equal. */
function readPrices(
  lines: readonly Pick<Line, 'netMinor' | 'taxMinor'>[],
  units: number,
  { hasTax }: Prices,
): Pick<PlatformItem, 'unitPriceMinor' | 'shown'> {
  const net = lines.reduce((sum, line) => sum + line.netMinor, 0)
  const gross = lines.reduce((sum, line) => sum + line.netMinor + line.taxMinor, 0)
  const [withoutTaxMinor, withTaxMinor] = [net, gross].map((minor) =>
    Number.isSafeInteger(minor) ? Math.max(unitMinor(minor, units), 0) : 0,
  ) as [number, number]
  return {
    unitPriceMinor: hasTax ? withTaxMinor : withoutTaxMinor,
    ...(withTaxMinor !== withoutTaxMinor && { shown: { withTaxMinor, withoutTaxMinor } }),
  }
}

/** The shop's own attributes (`pa_size`). Other meta data may come from a plugin and concern a person (S7). */
function readChoices(meta: readonly Record<string, unknown>[]): Pick<PlatformItem, 'choices'> {
  const choices = meta.flatMap(({ key, display_key, display_value }) => {
    const [name, value] = [plainText(display_key, 100), plainText(display_value, 200)]
    return typeof key === 'string' && key.startsWith('pa_') && name && value ? [{ name, value }] : []
  })
  return choices.length > 0 ? { choices: choices.slice(0, 10) } : {}
}

// References from a part to its whole. Plugins name the whole by its line, its cart key or its product, in a field of
// the line or in its meta data, where the name begins with an underscore.

export const PART =
  /^_?(?:bundled_by|composite_parent|mnm_container|woo(?:s[bg]|co|fs)_parent_id|chained_(?:item|product)_of|asnp_wepb_parent_id|yith_wcp_child_component_data)$/
export const WHOLE =
  /^_?(?:bundled_items|composite_children|mnm_(?:config|data)|woo(?:s[bg]|co|fs)_ids|asnp_wepb_items|yith_wcp_component_data)$/
const CART_KEY = /^_\w+_cart_key$/
const MAX_NESTING = 10

/** Index of the line that contains this one; its own index if none does. */
function findWhole(parents: readonly (number | undefined)[], place: number): number {
  let at = place
  for (let depth = 0; depth < MAX_NESTING; depth++) {
    const above = parents[at]
    // In a cycle of parts the first line is the whole.
    if (above === undefined || above === place) return above === undefined ? at : Math.min(at, place)
    at = above
  }
  return at
}

/** undefined: no whole, or it no longer exists. */
function findParents(lines: readonly Line[]): (number | undefined)[] {
  const byKey = indexByName(lines, ({ cartKeys }) => cartKeys)
  const byId = indexByName(lines, ({ lineId, item }) => [lineId, item.productId, item.variationId])
  let whole: number | undefined
  return lines.map(({ partOf, hasParts }, place) => {
    // Parts follow their whole.
    const before = whole
    if (hasParts) whole = place
    if (partOf.length === 0) return undefined
    const named = [...partOf.flatMap((id) => byKey.get(id) ?? []), ...partOf.flatMap((id) => byId.get(id) ?? [])]
    return named.find((at) => at !== place) ?? before
  })
}

/** The first two lines of each name: at least one of them is another line. */
function indexByName(lines: readonly Line[], namesOf: (line: Line) => (string | null)[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [place, line] of lines.entries()) {
    for (const name of namesOf(line)) {
      const known = name === null ? undefined : (places.get(name) ?? [])
      if (known && known.length < 2 && !known.includes(place)) places.set(name!, [...known, place])
    }
  }
  return places
}

/** Texts and numbers as text; for other values only that they exist. */
function listValues(entries: readonly (readonly [unknown, unknown])[], name: RegExp): string[] {
  return entries.flatMap(([key, value]) => {
    if (typeof key !== 'string' || !name.test(key)) return []
    const isThere = value === true || (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    const text = isThere ? 'yes' : plainText(value, 100)
    return text && text !== '0' ? [text] : []
  })
}
