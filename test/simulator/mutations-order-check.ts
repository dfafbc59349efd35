import type { Mutation } from './mutations.ts'

// Mistakes around the order check (D3): what a mail rests on when it leaves.

export const orderCheckMutations: readonly Mutation[] = [
  {
    name: 'the order check reads the orders and tells nobody',
    rule: 'D3',
    file: 'server/carts/sync/order-check.ts',
    before: "await recordOrders(deps, store.storeId, page.rows, 'sync')\n      seen",
    after: 'seen',
    seed: 17,
  },
  {
    name: 'orders known from the last 15 minutes are enough',
    rule: 'D3',
    file: 'server/access/stores/rules.ts',
    before: 'export const ORDER_CHECK_FRESH_MS = MINUTE_MS',
    after: 'export const ORDER_CHECK_FRESH_MS = 15 * MINUTE_MS',
    seed: 4,
  },
  {
    name: 'a reading that failed is taken for one that reached its end',
    rule: 'D3',
    file: 'server/carts/sync/sync-sql.ts',
    before: '      failed_at: failure.now,\n',
    after: '      failed_at: failure.now,\n      completed_start: lease.startedAt,\n',
    seed: 131,
  },
  {
    name: 'what is sold out is advertised',
    rule: 'D3',
    file: 'server/delivery/compose/goods-rules.ts',
    before: 'return items.length > 0 && items.every((item) => isGone(terms, item))',
    after: 'return false',
    seed: 21,
  },
  {
    name: 'what is bought with an alias is nobody’s business',
    rule: 'D3',
    file: 'server/delivery/decide/fragments.ts',
    before: 'and email_match_key(theirs.value) = email_match_key(mine.value)',
    after: 'and theirs.value = mine.value',
    seed: 228,
  },
  {
    name: 'what is bought with an address that waits to be erased is nobody’s',
    rule: 'D3',
    file: 'server/carts/carts/erased-intake.ts',
    before: 'living.length > 0 ? living : owned',
    after: 'living',
    seed: 47219,
  },
]
