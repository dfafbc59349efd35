import type { Mutation } from './mutations.ts'

// Mistakes in the order check before a send (D3).

export const orderCheckMutations: readonly Mutation[] = [
  {
    name: 'the order check discards the orders it reads',
    rule: 'D3',
    file: 'server/carts/sync/order-check.ts',
    before: "await recordOrders(deps, store.storeId, page.rows, 'sync')\n      newest",
    after: 'newest',
    seed: 17,
  },
  {
    name: 'an order check may be 15 minutes old',
    rule: 'D3',
    file: 'server/access/stores/rules.ts',
    before: 'export const ORDER_CHECK_FRESH_MS = MINUTE_MS',
    after: 'export const ORDER_CHECK_FRESH_MS = 15 * MINUTE_MS',
    seed: 4,
  },
  {
    name: 'an interrupted order list counts as complete',
    rule: 'D3',
    file: 'server/carts/sync/sync-sql.ts',
    before: '      failed_at: failure.now,\n',
    after: '      failed_at: failure.now,\n      completed_start: lease.startedAt,\n',
    seed: 131,
  },
  {
    name: 'sold out products are sent',
    rule: 'D3',
    file: 'server/delivery/compose/goods-rules.ts',
    before: 'return items.length > 0 && items.every((item) => isGone(terms, item))',
    after: 'return false',
    seed: 21,
  },
  {
    name: 'a purchase with an alias is not matched',
    rule: 'D3',
    file: 'server/delivery/decide/fragments.ts',
    before: 'and email_match_key(theirs.value) = email_match_key(mine.value)',
    after: 'and theirs.value = mine.value',
    seed: 228,
  },
  {
    name: 'a purchase with an address that waits for erasure is not matched',
    rule: 'D3',
    file: 'server/carts/carts/erased-intake.ts',
    before: 'notErased.length > 0 ? notErased : owned',
    after: 'notErased',
    seed: 47219,
  },
]
