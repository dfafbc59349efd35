import type { Mutation } from './mutations.ts'

// Mistakes with suspensions and resting stores (decisions 85 and 90).

export const stopMutations: readonly Mutation[] = [
  {
    name: 'a suspension is not checked at the send',
    rule: 'Stops',
    file: 'server/delivery/send/fragments.ts',
    before: 'and not exists (select 1 from accounts x where x.id = s.account_id and x.suspended_at is not null)',
    after: '',
    seed: 17,
  },
  {
    name: 'a store’s rest is not checked at the send',
    rule: 'Stops',
    file: 'server/delivery/send/fragments.ts',
    before: ' and s.rests_since is null',
    after: '',
    seed: 476,
  },
  {
    name: 'messages held by a suspension are not checked again',
    rule: 'Stops',
    file: 'server/billing/billing/suspension.ts',
    before: "await wakeMessagesOf(tx.db, tx.accountId, ['account_suspended'], now)",
    after: '',
    seed: 44,
  },
  {
    name: 'messages held while a store rested are not checked again',
    rule: 'Stops',
    file: 'server/billing/billing/resting.ts',
    before: "if (isWoken) await wakeMessagesOf(tx.db, tx.accountId, ['store_resting'], now)",
    after: '',
    seed: 333,
  },
  {
    name: 'a downgrade lets no store rest',
    rule: 'Stops',
    file: 'server/billing/billing/billing.ts',
    before: 'await updateResting(tx, now)',
    after: '',
    seed: 108,
  },
]
