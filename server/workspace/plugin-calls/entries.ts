import { parseCurrency, parseMinor } from '../../../shared/money.ts'
import { readName } from '../../carts/capture/capture-rules.ts'
import type { SignedPost } from '../../carts/capture/signed-posts.ts'
import { buildZone } from '../../carts/capture/zones.ts'
import type { FoldItem } from '../../core/schema/facts.ts'
import { addChoices } from '../../platforms/platform/text.ts'
import type { CartEntry } from './wire.ts'

// Converts a plugin's cart report to a post like those of the shop's pages. Pure.

/** S7: a receipt has a time, and older ages are limited. */
const OLDEST_MS = 8 * 86_400_000

export const timeOf = (age: number, receivedAt: Date): Date =>
  new Date(receivedAt.getTime() - Math.min(age * 1_000, OLDEST_MS))

export function cartPost(
  entry: CartEntry,
  { install, seq, at }: { install: string; seq: number; at: Date },
): SignedPost {
  const { cart, contact, consent, agreed, boxes, forms, back, device, geo, agent, customer, draft } = entry
  const currency = parseCurrency(entry.currency)
  const { state, country, ...typed } = contact ?? {}
  const zone = geo ? buildZone(geo.country, readName(geo.city ?? '')) : null
  return {
    at,
    client: entry.client ?? null,
    post: {
      cart,
      page: install,
      seq,
      coupons: entry.coupons.map(readName),
      ...(contact && { contact: { ...typed, ...(country && { country }) } }),
      ...(consent && { consent }),
      ...(agreed && { agreed }),
      ...(boxes && { boxes }),
      ...(forms && { forms }),
      ...(back && { back }),
      ...(device && { device }),
      ...(zone && { zone }),
      ...(agent && { deviceClass: agent }),
      signed: {
        items: entry.lines.map((line) => itemOf(line, currency)),
        currency,
        customerId: customer?.id ?? null,
        state: country === 'US' && /^[A-Z]{2}$/.test(state ?? '') ? state! : null,
        draftId: draft ?? null,
      },
    },
  }
}

/** Names and prices come from the shop, or else from the catalogue. */
function itemOf(line: CartEntry['lines'][number], currency: string | null): FoldItem {
  const [name, sku] = [readName(line.name ?? ''), readName(line.sku ?? '')]
  const unitPriceMinor = currency && line.price ? parseMinor(line.price, currency) : null
  const imageUrl = webAddress(line.image)
  const choices = (line.choices ?? [])
    .slice(0, 10)
    .map((each) => ({ name: readName(each.name), value: readName(each.value) }))
    .filter((each) => each.name && each.value)
  return {
    productId: line.product,
    variationId: line.variation ?? null,
    quantity: line.quantity,
    ...(name && { name: addChoices(name, choices) }),
    ...(sku && { sku }),
    ...(unitPriceMinor !== null && { unitPriceMinor: Math.max(0, unitPriceMinor) }),
    ...(imageUrl && { imageUrl }),
    ...(choices.length > 0 && { choices }),
  }
}

function webAddress(text: string | null | undefined): string | null {
  const url = URL.parse(text ?? '')
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : null
}
