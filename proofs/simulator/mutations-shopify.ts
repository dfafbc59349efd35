import type { Mutation } from './mutations.ts'

// Mistakes with Shopify stores (decisions 113 to 116).

export const shopifyMutations: readonly Mutation[] = [
  {
    name: 'an order is not matched by its checkout and cart',
    rule: 'D3',
    file: 'server/platforms/shopify/order-wire.ts',
    before: 'checkoutToken: wire.checkoutToken,\n      cartToken: wire.cartToken,',
    after: 'checkoutToken: null,\n      cartToken: null,',
    seed: 223,
  },
  {
    name: 'only the first page of a list is read',
    rule: 'D3',
    file: 'server/platforms/shopify/lists.ts',
    before: 'yield chunk\n    if (!chunk.hasNext) return',
    after: 'yield chunk\n    return',
    seed: 23,
  },
  {
    name: 'a delivery’s signature is not checked',
    rule: 'Shopify',
    file: 'server/platforms/shopify/webhooks.ts',
    before: "if (!isSameSecret(Buffer.from(signature, 'base64'), expected)) return null",
    after: 'void expected',
    seed: 13,
  },
  {
    name: 'a repeated delivery counts again',
    rule: 'Shopify',
    file: 'server/carts/sync/deliveries.ts',
    before: 'if (isNew) await queueWork(deps, tx, event)',
    after: 'await queueWork(deps, tx, event)',
    seed: 49,
  },
  {
    name: 'a token that another process created is created again',
    rule: 'Shopify',
    file: 'server/access/stores/token-cache.ts',
    before: 'if (stored && stored.accessToken !== stale?.accessToken) return stored',
    after: '',
    seed: 357,
  },
  {
    name: 'a pending consent in the shop counts as consent',
    rule: 'C5',
    file: 'server/platforms/shopify/people.ts',
    before: "state === 'SUBSCRIBED' ? 'granted'",
    after: "state === 'SUBSCRIBED' || state === 'PENDING' ? 'granted'",
    seed: 1803,
  },
  {
    name: 'a withdrawal stored by the shop is ignored',
    rule: 'C5',
    file: 'server/shoppers/consent/platform-consents.ts',
    before: "if (!isGiven && last?.status === 'withdrawn') return false",
    after: 'if (!isGiven) return false',
    seed: 148,
  },
  {
    name: 'an order with a voided payment counts with its total',
    rule: 'A3',
    file: 'server/platforms/shopify/order-wire.ts',
    before: "return cancelledAt || isVoid ? 'cancelled' : 'purchase'",
    after: "return cancelledAt ? 'cancelled' : 'purchase'",
    seed: 233,
  },
]
