import { z } from 'zod'
import { CartView } from './carts.ts'
import { endpoint, storeQuery } from './endpoint.ts'

// Carts in progress: being filled, and not yet abandoned (S1). They are in no list of abandoned carts.

export const ActiveCart = CartView.extend({
  /** When it counts as abandoned unless the shopper does something; null for a cart that is not active any more. */
  abandons_at: z.string().nullable(),
})
export type ActiveCart = z.infer<typeof ActiveCart>

/** So many are counted. */
export const MOST_ACTIVE_COUNTED = 5_000
/** How far back somebody can begin to follow a cart. */
export const MOST_FOLLOWED_DAYS = 14

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
    /** There are more than `total`. */
    isCapped: z.boolean(),
    /** One entry per currency. */
    values: z.array(z.object({ amount: z.number(), currency: z.string() })),
    /** How long a cart has to be left alone before it counts as abandoned (S1). */
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
    /** Without it: the last hour. */
    since: z.iso.datetime({ offset: true }).optional(),
    /** Without it: the newest cart of the store. */
    email: z.string().trim().toLowerCase().max(254).optional(),
    /** Of the cart that was found before: it is followed wherever it goes. */
    id: z.uuid().optional(),
  }),
  reply: z.object({
    cart: ActiveCart.nullable(),
    /** While none has the email: the newest cart without an email or phone number. It may be anybody’s. */
    nameless: ActiveCart.nullable(),
    /** Whether an email could be sent to it once it is abandoned, by the same rules as any email; null for a cart that is not active. */
    email: z.object({ isPossible: z.boolean(), reason: z.string().nullable(), explanation: z.string() }).nullable(),
    /** The store has a cart with later activity than the one that is followed by its id. */
    hasNewer: z.boolean(),
    now: z.string(),
  }),
})
export type FollowedCart = z.infer<typeof followCart.reply>
