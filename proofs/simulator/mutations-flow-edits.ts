import type { Mutation } from './mutations.ts'

// Mistakes when a flow is edited while its messages are due and in flight (decisions 52 to 55).

export const flowEditMutations: readonly Mutation[] = [
  {
    name: 'a change of a step’s channels applies to messages that were sent once',
    rule: 'Steps',
    file: 'server/messages/messages/steps-sql.ts',
    before: 'channel = case when m.attempts = 0 then w.channels ->> 0 else m.channel end,',
    after: 'channel = w.channels ->> 0,',
    seed: 30724,
  },
  {
    name: 'a change of a step’s channels does not apply to its open messages',
    rule: 'Steps',
    file: 'server/messages/messages/steps.ts',
    before: 'edited.length > 0 ? await',
    after: 'edited.length > 99 ? await',
    seed: 30152,
  },
  {
    name: 'messages of a removed step stay open',
    rule: 'Steps',
    file: 'server/messages/messages/steps.ts',
    before: 'removed.length > 0 ?',
    after: 'removed.length > 99 ?',
    seed: 30031,
  },
  {
    name: 'conditions of a step are not checked',
    rule: 'Steps',
    file: 'server/delivery/decide/decide.ts',
    before: 'condition && !condition.holds',
    after: 'condition?.holds === undefined && condition',
    seed: 605,
  },
  {
    name: 'an added step is planned for carts that are past its time',
    rule: 'Steps',
    file: 'server/messages/messages/steps-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: ' and ${dueAt} > ${now} and not ${HAS_LATER_STEP}',
    after: '',
    seed: 30031,
  },
  {
    name: 'a step that is planned late keeps no distance to earlier sends',
    rule: 'T4',
    file: 'server/messages/messages/messages.ts',
    before: 'if (behindSent.length > 0) await sql.keepDistance(tx, behindSent, now)',
    after: '',
    seed: 851_259,
  },
  {
    name: 'a variant that has ended is still drawn',
    rule: 'Steps',
    file: 'server/delivery/decide/variants.ts',
    before: ' and v.ended_at is null\n',
    after: '\n',
    seed: 116,
  },
]
