import type { Mutation } from './mutations.ts'

// Mistakes around a shop on Shopify (decisions 113 to 116).

export const shopifyMutations: readonly Mutation[] = [
  {
    name: 'an order is not known by the checkout and the cart it came of',
    rule: 'D3',
    file: 'server/platforms/shopify/order-wire.ts',
    before: 'checkoutToken: wire.checkoutToken,\n      cartToken: wire.cartToken,',
    after: 'checkoutToken: null,\n      cartToken: null,',
    seed: 223,
  },
  {
    name: 'the first rows of a list are all of it',
    rule: 'D3',
    file: 'server/platforms/shopify/lists.ts',
    before: 'yield chunk\n    if (!chunk.hasNext) return',
    after: 'yield chunk\n    return',
    seed: 23,
  },
  {
    name: 'a delivery is believed whoever has signed it',
    rule: 'Shopify',
    file: 'server/platforms/shopify/webhooks.ts',
    before: "if (!isSameSecret(Buffer.from(signature, 'base64'), wanted)) return null",
    after: 'void wanted',
    seed: 13,
  },
  {
    name: 'an event counts as often as it is delivered',
    rule: 'Shopify',
    file: 'server/carts/sync/deliveries.ts',
    before: 'if (isNew) await queueWork(deps, tx, event)',
    after: 'await queueWork(deps, tx, event)',
    seed: 49,
  },
  {
    name: 'a token that another process has made is made again',
    rule: 'Shopify',
    file: 'server/access/stores/token-cache.ts',
    before: 'if (stored && stored.accessToken !== stale?.accessToken) return stored',
    after: '',
    seed: 357,
  },
  {
    name: 'what the shop has asked a person for is taken for a yes',
    rule: 'C5',
    file: 'server/platforms/shopify/people.ts',
    before: "state === 'SUBSCRIBED' ? 'granted'",
    after: "state === 'SUBSCRIBED' || state === 'PENDING' ? 'granted'",
    seed: 1803,
  },
  {
    name: 'a withdrawal that the shop keeps is passed over',
    rule: 'C5',
    file: 'server/shoppers/consent/platform-consents.ts',
    before: "if (!isGiven && last?.status === 'withdrawn') return false",
    after: 'if (!isGiven) return false',
    seed: 148,
  },
  {
    name: 'an order whose payment was voided has brought its total',
    rule: 'A3',
    file: 'server/platforms/shopify/order-wire.ts',
    before: "return cancelledAt || isVoid ? 'cancelled' : 'purchase'",
    after: "return cancelledAt ? 'cancelled' : 'purchase'",
    seed: 233,
  },
]
