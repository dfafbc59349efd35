import type { Mutation } from './mutations.ts'

// Mistakes with calls of a shop's plugin (decisions 103 to 105).

export const pluginMutations: readonly Mutation[] = [
  {
    name: 'a call’s signature is not checked',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/signed-routes.ts',
    before: 'if (isSignedBy(secret, name, headers, body)) return',
    after: 'return',
    seed: 37,
  },
  {
    name: 'a repeated call counts again',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/signed-routes.ts',
    before: 'if (await takeNonce(store, headers.nonce, now)) return',
    after: 'return',
    seed: 25,
  },
  {
    name: 'a call’s time is not checked',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/signed-routes.ts',
    before: 'if (isInTime(headers, now)) return',
    after: 'return',
    seed: 37,
  },
  {
    name: 'entries that waited in the shop are dated by their arrival',
    rule: 'Outbox',
    file: 'server/workspace/plugin-calls/batch.ts',
    before: 'new Date(receivedAt.getTime() - Math.min(age * 1_000, OLDEST_MS))',
    after: 'receivedAt',
    seed: 37,
  },
  {
    name: 'a cart’s states are ordered by arrival',
    rule: 'Outbox',
    file: 'server/carts/capture/signed-posts.ts',
    before: 'post.seq > (stored.get(post.cart)?.repeat_seq ?? 0)',
    after: 'post.seq > 0',
    seed: 159,
  },
]
