import type { Mutation } from './mutations.ts'

// Mistakes around several browsers of one person (S6).

export const browserMutations: readonly Mutation[] = [
  {
    name: 'an empty cart in one browser empties those of all',
    rule: 'Emptied',
    file: 'server/carts/fold.ts',
    before: "showNext(known, fact.at) ?? ended(known, 'emptied', fact.at, null)",
    after: "ended(known, 'emptied', fact.at, null)",
    seed: 700_008,
  },
  {
    name: 'whoever types an address speaks for all browsers of the person',
    rule: 'Emptied',
    file: 'server/carts/browsers.ts',
    before: 'if (told.isBack || marks.length === 0) return false',
    after: 'if (marks.length < 9) return false',
    seed: 700_008,
  },
]
