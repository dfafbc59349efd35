import type { Mutation } from './mutations.ts'

// Mistakes with split purchases and renewals (A6, S3).

export const orderMutations: readonly Mutation[] = [
  {
    name: 'a vendor’s part of a purchase counts as another purchase',
    rule: 'A6',
    file: 'server/carts/orders/split-orders.ts',
    before: 'await parts.settleParts(tx, [...new Set([...ids, ...before, ...parents])])',
    after: '',
    seed: 2,
  },
  {
    name: 'a renewal ends the cart',
    rule: 'A6',
    file: 'server/carts/carts/fold.ts',
    before: 'if (!renewal) return true',
    after: 'return true',
    seed: 5,
  },
]
