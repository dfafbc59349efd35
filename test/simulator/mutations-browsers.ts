import type { Mutation } from './mutations.ts'

// Mistakes around several browsers of one person (S6).

export const browserMutations: readonly Mutation[] = [
  {
    name: 'an empty cart in one browser empties those of all',
    rule: 'Emptied',
    file: 'server/carts/carts/fold.ts',
    before: "showNextCart(known, fact.at) ?? endEpisode(known, 'emptied', fact.at, null)",
    after: "endEpisode(known, 'emptied', fact.at, null)",
    seed: 700_008,
  },
  {
    name: 'whoever types an address speaks for all browsers of the person',
    rule: 'Emptied',
    file: 'server/carts/carts/browsers.ts',
    before: 'if (report.isBack || marks.length === 0) return false',
    after: 'if (marks.length < 9) return false',
    seed: 700_008,
  },
  {
    name: 'what another browser has is as old as the last change of the cart',
    rule: 'Emptied',
    file: 'server/carts/carts/browsers.ts',
    before: 'at: toldAt ?? episode.lastActivityAt,',
    after: 'at: episode.lastActivityAt,',
    seed: 29_130_471,
  },
  {
    name: 'whoever names an erased person speaks for all browsers',
    rule: 'Emptied',
    file: 'server/carts/carts/erased-intake.ts',
    before: 'payload: { ...rest, toldBy: [], browsers, items',
    after: 'payload: { ...rest, toldBy: [], browsers: [], items',
    seed: 29_130_780,
  },
]
