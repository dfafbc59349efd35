import type { CartItem, CartState } from '../../../shared/carts/carts.ts'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { currentCode } from '../../carts/coupons/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { CheckoutRef, Fold } from '../../core/schema/public.ts'
import type { PlatformName } from '../../platforms/platform/public.ts'

// SQL for restoring carts.

/** Whether cart `c` ended with an unpaid order that is not cancelled, for example cash on delivery. */
const IS_WAITING = sql`exists (select 1 from orders w where w.store_id = c.store_id and w.cart_id = c.id and w.waiting_minor is not null)`

/**
 * Loads a cart for its restore link; a joined cart's link opens the one it was joined to (S6). `messageId` is the
 * link's message. A notification's link opens nothing if the cart's contents come from browsers other than its
 * recipients (decision 72).
 */
export async function readRestorableCart({ db, storeId }: StoreDb, cartId: string, messageId: string | null) {
  const rows = await sql<{
    id: string
    shopper_id: string
    /** `lost` if its order was cancelled. */
    status: CartState
    items: CartItem[]
    value_minor: number
    currency: string
    store_name: string
    platform: PlatformName
    url: string
    home_url: string
    has_checkout_link: boolean
    price_decimals: number | null
    is_discount_sequential: boolean | null
    coupons: string[]
    /** Code of the coupon in the link's message. */
    coupon_code: string | null
    /** The shopper's orders by id with their last known status. */
    orders: Fold['orders']
    checkout: CheckoutRef | null
    language: Language | null
    locale: string | null
    country: string | null
    store_locale: string | null
  }>`
    select c.id, c.shopper_id, case when c.is_void and not ${IS_WAITING} then 'lost' else c.status end as status, c.items, c.value_minor, c.currency, c.coupons, s.name as store_name, s.platform, s.url, s.home_url,
      s.has_checkout_link, s.price_decimals, s.is_discount_sequential,
      (select ${currentCode} from messages m where m.store_id = ${storeId} and m.id = ${messageId}) as coupon_code,
      coalesce(c.fold -> 'orders', '{}') as orders, c.fold -> 'episode' -> 'checkout' as checkout,
      p.language, coalesce(c.locale, p.locale) as locale, p.country, s.locale as store_locale
    from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    join stores s on s.id = c.store_id left join shoppers p on p.store_id = c.store_id and p.id = c.shopper_id
    where o.store_id = ${storeId} and o.id = ${cartId} and not exists (select 1 from messages m
      where m.store_id = ${storeId} and m.id = ${messageId} and m.channel = 'push'
        and not coalesce(c.fold -> 'episode' -> 'toldBy' ?| m.told_by, false))`.execute(db)
  return rows.rows[0]
}

export interface Availability {
  product_id: string
  variation_id: string
  price_minor: number
  /** The price before its last change. */
  was_price_minor: number | null
  is_available: boolean
  is_on_sale: boolean | null
  has_open_choice: boolean
  stock_quantity: number | null
  permalink: string | null
}
