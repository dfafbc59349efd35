import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { CartView } from './carts.ts'

// Active carts: being filled, not yet abandoned (S1). The list of abandoned carts excludes them.

export const ActiveCart = CartView.extend({
  /** When it counts as abandoned without further activity; null for a cart that is not active. */
  abandons_at: z.string().nullable(),
})
export type ActiveCart = z.infer<typeof ActiveCart>

/** Counts stop here. */
export const MAX_ACTIVE_COUNTED = 5_000
/** The earliest start for following a cart, in days before now. */
export const MAX_FOLLOWED_DAYS = 14

export const listActiveCarts = endpoint({
  method: 'GET',
  path: '/api/carts/active',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Carts being filled at this moment, newest activity first: their number, their value, and the newest few',
  query: storeQuery.extend({ limit: z.coerce.number().int().min(1).max(20).default(3) }),
  reply: z.object({
    carts: z.array(ActiveCart),
    total: z.number(),
    /** More than `total` exist. */
    isCapped: z.boolean(),
    /** One entry per currency. */
    values: z.array(z.object({ amount: z.number(), currency: z.string() })),
    /** Minutes without activity until a cart counts as abandoned (S1). */
    timeoutMinutes: z.number(),
    now: z.string(),
  }),
})

export const followCart = endpoint({
  method: 'GET',
  path: '/api/carts/followed',
  permission: 'carts:read',
  scope: 'store',
  summary: 'A test cart: the newest with this email since the test began, or the one with this id',
  query: storeQuery.extend({
    /** Default: one hour ago. */
    since: z.iso.datetime({ offset: true }).optional(),
    /** Default: the newest cart of the store. */
    email: z.string().trim().toLowerCase().max(254).optional(),
    /** Id of the cart found before; following continues through state changes and merges. */
    id: z.uuid().optional(),
  }),
  reply: z.object({
    cart: ActiveCart.nullable(),
    /** Until a cart has the email: the newest cart without email and phone. It may be any visitor's. */
    nameless: ActiveCart.nullable(),
    /**
     * Whether the cart will get an email once abandoned, by the rules of any email; null for a cart that is not active.
     */
    email: z.object({ isPossible: z.boolean(), reason: z.string().nullable(), explanation: z.string() }).nullable(),
    /** The store has a cart with later activity than the one followed by id. */
    hasNewer: z.boolean(),
    now: z.string(),
  }),
})
export type FollowedCart = z.infer<typeof followCart.reply>
