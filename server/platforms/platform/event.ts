import type { OrderKind, PlatformCart } from './platform.ts'

// Deliveries from a store's webhooks.

/**
 * A verified delivery. `key` identifies repeats. A record with an id is read again: a delivered body is never trusted.
 * `gone`: the record is gone, which proves nothing else.
 */
export type StoreEvent =
  | { kind: 'ping' }
  | { kind: 'order'; topic: string; order: { orderId: string; kind?: OrderKind }; key: string }
  | { kind: 'gone'; topic: string; orderId: string | null; key: string }
  /** Only the delivery has the tokens; the record read by id does not name its cart. */
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
  /** Our keys are revoked. */
  | { kind: 'uninstalled'; topic: string; key: string }
  /** The permissions of the keys have changed. */
  | { kind: 'scopes'; topic: string; key: string }
  | ({ kind: 'privacy'; topic: string; key: string } & PrivacyRequest)
  | { kind: 'other'; topic: string; key: string }

/**
 * A privacy request from the platform (C8). `data`: a copy of the stored data; `redact_shop`: deletion of the whole
 * store's data.
 */
export interface PrivacyRequest {
  request: 'data' | 'redact_customer' | 'redact_shop'
  customerId: string | null
  email: string | null
  phone: string | null
}
