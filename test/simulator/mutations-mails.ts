import type { Mutation } from './mutations.ts'

// Mistakes around the send (decisions 147 and 149): what is prepared before it, the turn, and what follows from it.

export const mailMutations: readonly Mutation[] = [
  {
    name: 'a step is claimed and sent before what follows from an earlier one is written',
    rule: 'T4',
    file: 'server/delivery/send/fragments.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: "l.id <> ${of('id')} and ${isSending('l')}",
    after: 'false',
    seed: 802_306,
  },
  {
    name: 'the next step does not wait for what is in flight',
    rule: 'T4',
    file: 'server/delivery/send/settle.ts',
    before: 'if (delaying.length > 0)\n',
    after: 'if (delaying.length < 0)\n',
    seed: 73,
  },
  {
    name: 'no look is set for the step behind a mail that was answered late',
    rule: 'Awake',
    file: 'server/delivery/send/settle.ts',
    before: 'if (delaying.length > 0 || needsNextRun(toRecord)) await scheduleNextLook(tx)',
    after: 'if (needsNextRun(toRecord)) await scheduleNextLook(tx)',
    seed: 29_112_035,
  },
  {
    name: 'what is in flight counts as open',
    rule: 'crash',
    file: 'server/messages/messages/fragments.ts',
    before: "isOpen = (row: Row) => of(row, `in ('scheduled', 'held', 'claimed')`)",
    after: "isOpen = (row: Row) => of(row, `in ('scheduled', 'held', 'claimed', 'sending')`)",
    seed: 99,
  },
  {
    name: 'what is in flight counts as claimed',
    rule: 'crash',
    file: 'server/messages/messages/fragments.ts',
    before: "isClaimed = (row: Row) => of(row, `= 'claimed'`)",
    after: "isClaimed = (row: Row) => of(row, `in ('claimed', 'sending')`)",
    seed: 5,
  },
  {
    name: 'the place of a mail is used before its answer is written down',
    rule: 'D10',
    file: 'server/delivery/send/turn-sql.ts',
    before: 'update messages m set answer = a.answer from answered a join locked k on k.id = a.id\n      where ',
    after:
      'update messages m set answer = a.answer from answered a join locked k on k.id = a.id\n      where false and ',
    seed: 64,
  },
  {
    name: 'a mail is not counted of the plan in its turn',
    rule: 'Plan',
    file: 'server/delivery/send/turn-sql.ts',
    before: 'set used = used + (select count(*) from moved)',
    after: 'set used = used',
    seed: 41,
  },
  {
    name: 'mails leave beyond the room in the plan',
    rule: 'Plan',
    file: 'server/delivery/send/turn-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'greatest(0, ${planLimit}::int - (select used from room)) end',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    after: 'greatest(100, ${planLimit}::int - (select used from room)) end',
    seed: 30_677,
  },
  {
    name: 'what a dead process had in flight is due again',
    rule: 'D4',
    file: 'server/delivery/send/abandoned.ts',
    before: 'outcome: answer?.outcome ?? UNHEARD,',
    after: "outcome: answer?.outcome ?? { ...UNHEARD, kind: 'retry' as const },",
    seed: 23762,
  },
  {
    name: 'what is held counts as over',
    rule: 'D5',
    file: 'server/messages/messages/fragments.ts',
    before: "isOpen = (row: Row) => of(row, `in ('scheduled', 'held', 'claimed')`)",
    after: "isOpen = (row: Row) => of(row, `in ('scheduled', 'claimed')`)",
    seed: 1,
  },
  {
    name: 'a disconnect leaves open messages open',
    rule: 'D5',
    file: 'server/messages/messages/sql.ts',
    before: 'cancelOpen(tx, sql`true`,',
    after: 'cancelOpen(tx, sql`false`,',
    seed: 10,
  },
  {
    name: 'the room in the plan of what was refused is given back twice',
    rule: 'Plan',
    file: 'server/delivery/outcome/outcome.ts',
    before: 'evaluation.month, channel, -unsent)',
    after: 'evaluation.month, channel, -2 * unsent)',
    seed: 41,
  },
  {
    name: 'an answer frees two places in flight',
    rule: 'D10',
    file: 'server/delivery/send/send-window.ts',
    before: 'share.finishTurn(done.length, turn.sending.size)',
    after: 'share.finishTurn(2 * done.length, turn.sending.size)',
    seed: 64,
  },
]
