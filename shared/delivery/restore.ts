import { z } from 'zod'
import { ShopBrand } from '../carts/shop-brand.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { Language } from './preferences.ts'

// What a message links to for shoppers: their cart, and the unsubscribe pages (decisions 4 and 14, C3).

/** Instead of a token in a test to oneself: its links open the pages, but change nothing. */
export const TEST_TOKEN = 'test'

export const restoreTexts = {
  restored: 'Cart restored! You can now continue shopping or checkout.',
  noCartId: 'No cart ID provided.',
  notFound: 'Cart not found or expired.',
  ordered: 'You have already ordered.',
} as const

/** choose_again: the store's API cannot add the item, so the shopper has to. */
export const ItemOutcome = z.enum(['ok', 'quantity_clamped', 'price_changed', 'gone', 'choose_again'])
export type ItemOutcome = z.infer<typeof ItemOutcome>

/**
 * carried: in the link · refused: the store rejected it, and the cart is filled without it · to_enter: no link can
 * carry it
 */
export const CouponOutcome = z.enum(['carried', 'refused', 'to_enter'])
export type CouponOutcome = z.infer<typeof CouponOutcome>

export const restoreCart = endpoint({
  method: 'POST',
  path: '/api/carts/:id/restore',
  permission: 'public',
  summary: 'Restore a cart: returns its contents and address. With a cart id, for team members: a test',
  params: z.object({ id: z.string().max(200) }),
  query: storeQuery,
  reply: z.object({
    message: z.string(),
    items: z.array(
      z.object({
        product_id: z.string(),
        product_name: z.string(),
        quantity: z.number(),
        price: z.number(),
        outcome: ItemOutcome,
        /** As in the cart before. */
        before: z.object({ quantity: z.number(), price: z.number() }),
        /** The product’s page in the store. */
        url: z.string().nullable(),
      }),
    ),
    /** null if nothing of the cart is available any more. */
    checkoutUrl: z.string().nullable(),
    shopUrl: z.string(),
    /** Already purchased: there is nothing to restore. */
    isOrdered: z.boolean(),
    /** By a member of the store, or from a test message: no touch, not counted. */
    isTest: z.boolean(),
    /** Coupon of the message with the link. */
    coupon: z.object({ code: z.string(), outcome: CouponOutcome }).nullable(),
  }),
})

export const readUnsubscribe = endpoint({
  method: 'GET',
  path: '/api/unsubscribe/:token',
  permission: 'public',
  summary: 'What this unsubscribe link is about; changes nothing',
  params: z.object({ token: z.string().max(200) }),
  reply: z.object({
    storeName: z.string(),
    brand: ShopBrand,
    address: z.string(),
    isUnsubscribed: z.boolean(),
    /** The person's earlier choice, or the browser's language. */
    language: Language,
    /** Opens `/preferences`. */
    preferencesToken: z.string(),
  }),
})

export const confirmUnsubscribe = endpoint({
  method: 'POST',
  path: '/api/unsubscribe/:token',
  permission: 'public',
  summary: 'Unsubscribe; applies to every message not yet sent',
  params: z.object({ token: z.string().max(200) }),
  reply: z.object({ storeName: z.string(), isUnsubscribed: z.literal(true) }),
})

export const undoUnsubscribe = endpoint({
  method: 'DELETE',
  path: '/api/unsubscribe/:token',
  permission: 'public',
  summary: 'Undo the unsubscribe, by the person’s own action (C5)',
  params: z.object({ token: z.string().max(200) }),
  reply: z.object({ storeName: z.string(), isUnsubscribed: z.literal(false) }),
})
