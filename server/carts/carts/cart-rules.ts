import type { CartItem, CartState } from '../../../shared/carts.ts'
import type { Episode, Fold, FoldItem } from '../../core/schema/facts.ts'
import { readableChoices, readableContact } from './erased.ts'
import type { CartRow } from './reconcile.ts'
import type { CartValues, CatalogueRow } from './sql.ts'

// Computes the columns of a cart row from an episode. Pure.

/** Store settings that cart rows depend on. */
export interface StoreRules {
  id: string
  currency: string
  effective_timeout_minutes: number
  attribution_window_days: number
}

/** Products by `product id:variation id`; a product without variations has an empty second part. */
export type Catalogue = ReadonlyMap<string, CatalogueRow>

export interface CartSource {
  row: CartRow | null
  episode: Episode
  status: CartState
  /** State after the episode's last fact. `last`: time and id of that fact. */
  fold: Fold
  last: { at: number; id: string }
}

const LOST_AFTER_MS = 30 * 86_400_000

export function computeCartValues(source: CartSource, store: StoreRules, catalogue: Catalogue): CartValues {
  const { row, episode, status, fold, last } = source
  const items = nameItems(episode.items, catalogue)
  const lastActivity = new Date(episode.lastActivityAt)
  const contact = readableContact(episode.contact)
  const name = [contact.firstName, contact.lastName].filter(Boolean).join(' ') || 'Guest'
  const isOpen = episode.status === 'open'
  return {
    status,
    started_at: new Date(episode.startedAt),
    last_activity_at: lastActivity,
    abandon_at: isOpen && items.length > 0 ? computeAbandonAt(row, episode, store) : null,
    abandoned_at: status === 'active' ? null : (row?.abandoned_at ?? null),
    ended_at: episode.endedAt === null ? null : new Date(episode.endedAt),
    recovered_at: status === 'recovered' ? new Date(episode.endedAt!) : null,
    pending_until: episode.pending ? new Date(episode.pending.until) : null,
    lost_at: new Date(lastActivity.getTime() + LOST_AFTER_MS),
    opening_fact_id: row?.opening_fact_id ?? episode.openingFactId,
    last_fact_at: new Date(last.at),
    last_fact_id: last.id,
    customer_name: name,
    email: contact.email ?? null,
    phone: contact.phone ?? null,
    items,
    item_count: items.reduce((sum, item) => sum + item.quantity, 0),
    value_minor: items.reduce((sum, item) => sum + item.quantity * item.unitPriceMinor, 0),
    currency: episode.currency ?? store.currency,
    coupons: episode.coupons,
    search: [name, contact.email, contact.phone].filter(Boolean).join(' ').toLowerCase(),
    fold,
  }
}

/** Fixed at the time of the last activity: later changes of the setting do not apply (S1). */
function computeAbandonAt(row: CartRow | null, episode: Episode, store: StoreRules): Date {
  const isSameActivity = row?.last_activity_at.getTime() === episode.lastActivityAt
  const timeoutMs = store.effective_timeout_minutes * 60_000
  return (isSameActivity && row?.abandon_at) || new Date(episode.lastActivityAt + timeoutMs)
}

/** Lines with name and price from the store's catalogue. Unknown product ids are dropped (X5). */
function nameItems(items: readonly FoldItem[], catalogue: Catalogue): CartItem[] {
  return items.flatMap((item) => {
    const product = catalogue.get(`${item.productId}:`)
    const known = catalogue.get(`${item.productId}:${item.variationId ?? ''}`) ?? product
    const name = item.name ?? known?.name
    const unitPriceMinor = item.unitPriceMinor ?? known?.price_minor
    if (name === undefined || unitPriceMinor === undefined) return []
    return [
      {
        productId: item.productId,
        variationId: item.variationId,
        name,
        sku: item.sku ?? known?.sku ?? null,
        quantity: item.quantity,
        unitPriceMinor,
        imageUrl: item.imageUrl ?? known?.image_url ?? product?.image_url ?? null,
        ...(readableChoices(item.choices) ? { choices: item.choices! } : {}),
      },
    ]
  })
}
