import type { Mutation } from './mutations.ts'

// Mistakes with several flows: the flow of a cart (decision 51).

export const flowMutations: readonly Mutation[] = [
  {
    name: 'flows are matched in another order than the owner’s',
    rule: 'Flows',
    file: 'server/carts/flow-choice/choose-sql.ts',
    before: 'order by position, id`',
    after: 'order by position desc, id`',
    seed: 10,
  },
  {
    name: 'among flows without conditions, the last one matches a cart',
    rule: 'Flows',
    file: 'server/carts/carts/detect-sql.ts',
    before: 'order by t.position, t.id limit 1)`',
    after: 'order by t.position desc, t.id limit 1)`',
    seed: 68,
  },
  {
    name: 'a flow that is off matches carts',
    rule: 'Flows',
    file: 'server/carts/flow-choice/choose-sql.ts',
    before: "kind = 'flow' and is_on and takes_from is not null",
    after: "kind = 'flow' and takes_from is not null",
    seed: 10,
  },
  {
    name: 'a flow ignores its conditions',
    rule: 'Flows',
    file: 'server/carts/flow-choice/choose.ts',
    before: 'answers.push({ id, holds: finding.holds })',
    after: 'answers.push({ id, holds: true })',
    seed: 10,
  },
  {
    name: 'a flow matches carts that were abandoned before it was switched on',
    rule: 'Flows',
    file: 'server/carts/flow-choice/choose.ts',
    before: 'if (cart.last_activity_at < takes_from) continue',
    after: 'if (cart.last_activity_at < takes_from && flows.length > 99) continue',
    seed: 304,
  },
  {
    name: 'a cart that falls quiet again is matched again',
    rule: 'Flows',
    file: 'server/carts/carts/detect-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'coalesce(d.flow_id, ${FIRST_WITHOUT_CONDITIONS}) as taken_by',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    after: 'coalesce(${FIRST_WITHOUT_CONDITIONS}, d.flow_id) as taken_by',
    seed: 284,
  },
  {
    name: 'every flow that is on sends messages about a cart',
    rule: 'Flows',
    file: 'server/messages/messages/sql.ts',
    before: "(f.kind = 'push' or f.id = c.flow_id)\n      join",
    after: "(f.kind = 'push' or c.flow_id is not null)\n      join",
    seed: 48,
  },
  {
    name: 'a flow that is switched on ignores carts without a flow',
    rule: 'Flows',
    file: 'server/marketing/flows/flows.ts',
    before: 'await sql.listAbandonedSince(tx, takesFrom!))',
    after: '[])',
    seed: 50,
  },
  {
    name: 'a merged cart does not continue in the flow of the other cart',
    rule: 'Flows',
    file: 'server/carts/carts/carts.ts',
    before: '  await inheritFlow(tx, fromId, intoId)\n',
    after: '',
    seed: 626,
  },
  {
    name: 'a bounced mail is retried although its step was removed',
    rule: 'Steps',
    file: 'server/delivery/outcome/outcome-sql.ts',
    before: 'or g.id is not null or fs.id is not null or',
    after: 'or g.id is not null or',
    seed: 812036,
  },
]
