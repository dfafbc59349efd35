import type { OrderKind, PlatformCart } from './platform.ts'

// What a store delivers to us.

/**
 * A verified delivery. `key` tells repeats apart. What has an id is read again by it: a delivered body is never the truth. `gone` means
 * the record is gone: nothing may be concluded from it.
 */
export type StoreEvent =
  | { kind: 'ping' }
  | { kind: 'order'; topic: string; order: { orderId: string; kind?: OrderKind }; key: string }
  | { kind: 'gone'; topic: string; orderId: string | null; key: string }
  /** What is read by the id names no cart it came from; the delivery does. */
  | {
      kind: 'checkout'
      topic: string
      checkoutId: string
      checkoutToken: string | null
      cartToken: string | null
      key: string
    }
  | { kind: 'customer'; topic: string; customerId: string; key: string }
  | { kind: 'product'; topic: string; productId: string; key: string }
  | { kind: 'cart'; topic: string; cart: PlatformCart; key: string }
  /** Our keys are void from now on. */
  | { kind: 'uninstalled'; topic: string; key: string }
  /** What the keys allow has changed. */
  | { kind: 'scopes'; topic: string; key: string }
  | ({ kind: 'privacy'; topic: string; key: string } & PrivacyRequest)
  | { kind: 'other'; topic: string; key: string }

/** What a platform passes on of people's rights (C8). `data`: a copy of what is kept; `redact_shop`: the whole store's data. */
export interface PrivacyRequest {
  request: 'data' | 'redact_customer' | 'redact_shop'
  customerId: string | null
  email: string | null
  phone: string | null
}
