import type { Mutation } from './mutations.ts'

// Mistakes around web push (decisions 72 to 81).

export const pushMutations: readonly Mutation[] = [
  {
    name: 'a browser that is gone is kept',
    rule: 'P1',
    file: 'server/push/deliver-push.ts',
    before: "if (answer.kind === 'gone') await end(deps, store, row.id)",
    after: "if (answer.kind === 'gone') continue",
    seed: 5366,
  },
  {
    name: 'a browser that is gone is the last one that is asked',
    rule: 'P1',
    file: 'server/push/subscriptions-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'order by p.seen_at desc, p.id desc limit ${MOST_BROWSERS}',
    after: 'order by p.seen_at desc, p.id desc limit 1',
    seed: 5366,
  },
  {
    name: 'a key that leaked signs on',
    rule: 'P2',
    file: 'server/push/keys.ts',
    before: "if (replace === 'leaked') await sql.deleteKeys(tx)",
    after: "if (replace === 'leaked') await sql.replaceKey(tx, now, new Date(now.getTime() + OLD_KEY_MS))",
    seed: 3036,
  },
  {
    name: 'any address is a push service',
    rule: 'P3',
    file: 'server/push/services.ts',
    before: 'return pushServices.some((service) => isOf(hostname, service)) ? hostname : null',
    after: 'return hostname',
    seed: 3009,
  },
  {
    name: 'each browser of a person gets it',
    rule: 'D1',
    file: 'server/push/deliver-push.ts',
    before: "if (answer.kind === 'accepted') await sql.noteSeen(store, row.id, deps.now())\n      return answer",
    after: "if (answer.kind !== 'accepted') return answer\n      await sql.noteSeen(store, row.id, deps.now())",
    seed: 3025,
  },
]
