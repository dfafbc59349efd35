import type { Mutation } from './mutations.ts'

// Mistakes with several browsers of one person (S6).

export const browserMutations: readonly Mutation[] = [
  {
    name: 'an empty cart in one browser empties the carts of all browsers',
    rule: 'Emptied',
    file: 'server/carts/carts/fold.ts',
    before: "showNextCart(known, fact.at) ?? endEpisode(known, 'emptied', fact.at, null)",
    after: "endEpisode(known, 'emptied', fact.at, null)",
    seed: 700_008,
  },
  {
    name: 'a browser that types an address speaks for all browsers of that person',
    rule: 'Emptied',
    file: 'server/carts/carts/browsers.ts',
    before: 'if (report.isBack || marks.length === 0) return false',
    after: 'if (marks.length < 9) return false',
    seed: 700_008,
  },
  {
    name: 'contents of another browser are dated by the last change of the cart',
    rule: 'Emptied',
    file: 'server/carts/carts/browsers.ts',
    before: 'at: toldAt ?? episode.lastActivityAt,',
    after: 'at: episode.lastActivityAt,',
    seed: 29_130_471,
  },
  {
    name: 'a browser that names an erased person speaks for all browsers',
    rule: 'Emptied',
    file: 'server/carts/carts/erased-intake.ts',
    before: 'payload: { ...rest, toldBy: [], browsers, items',
    after: 'payload: { ...rest, toldBy: [], browsers: [], items',
    seed: 29_130_780,
  },
]
