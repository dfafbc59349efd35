import type { Mutation } from './mutations.ts'

// Mistakes around what a shop's plugin sends (decisions 103 to 105).

export const pluginMutations: readonly Mutation[] = [
  {
    name: 'a call is believed whoever has signed it',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/signed-routes.ts',
    before: 'if (isSignedBy(secret, name, headers, body)) return',
    after: 'return',
    seed: 37,
  },
  {
    name: 'a call counts as often as it comes',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/signed-routes.ts',
    before: 'if (await takeNonce(store, headers.nonce, now)) return',
    after: 'return',
    seed: 25,
  },
  {
    name: 'the clock of a call is not looked at',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/signed-routes.ts',
    before: 'if (isInTime(headers, now)) return',
    after: 'return',
    seed: 37,
  },
  {
    name: 'what waited in the shop counts from when it arrived',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/entries.ts',
    before: 'new Date(receivedAt.getTime() - Math.min(age * 1_000, OLDEST_MS))',
    after: 'receivedAt',
    seed: 37,
  },
  {
    name: 'of two states of a cart the one that arrives last is the later one',
    rule: 'Outbox',
    file: 'server/carts/capture/signed-posts.ts',
    before: 'post.seq > (taken.get(post.cart)?.repeat_seq ?? 0)',
    after: 'post.seq > 0',
    seed: 159,
  },
]
