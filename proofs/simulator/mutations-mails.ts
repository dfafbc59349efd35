import type { Mutation } from './mutations.ts'

// Mistakes in the send (decisions 147 and 149): preparation, sending, settlement.

export const mailMutations: readonly Mutation[] = [
  {
    name: 'a step is claimed and sent before an earlier send is settled',
    rule: 'T4',
    file: 'server/delivery/send/fragments.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: "l.id <> ${of('id')} and ${isSending('l')}",
    after: 'false',
    seed: 802_306,
  },
  {
    name: 'the next step does not wait for a message in flight',
    rule: 'T4',
    file: 'server/delivery/send/settle.ts',
    before: 'if (delaying.length > 0)\n',
    after: 'if (delaying.length < 0)\n',
    seed: 73,
  },
  {
    name: 'no wake-up is scheduled for the step after a late reply',
    rule: 'Awake',
    file: 'server/delivery/send/settle.ts',
    before: 'if (delaying.length > 0 || needsNextRun(toRecord)) await scheduleNextRun(tx)',
    after: 'if (needsNextRun(toRecord)) await scheduleNextRun(tx)',
    seed: 29_112_035,
  },
  {
    name: 'messages in flight count as open',
    rule: 'crash',
    file: 'server/messages/messages/fragments.ts',
    before: "isOpen = (row: Row) => isInState(row, `in ('scheduled', 'held', 'claimed')`)",
    after: "isOpen = (row: Row) => isInState(row, `in ('scheduled', 'held', 'claimed', 'sending')`)",
    seed: 99,
  },
  {
    name: 'messages in flight count as claimed',
    rule: 'crash',
    file: 'server/messages/messages/fragments.ts',
    before: "isClaimed = (row: Row) => isInState(row, `= 'claimed'`)",
    after: "isClaimed = (row: Row) => isInState(row, `in ('claimed', 'sending')`)",
    seed: 5,
  },
  {
    name: 'the slot of a mail is freed before its reply is stored',
    rule: 'D10',
    file: 'server/delivery/send/turn-sql.ts',
    before: 'update messages m set answer = a.answer from answered a join locked k on k.id = a.id\n      where ',
    after:
      'update messages m set answer = a.answer from answered a join locked k on k.id = a.id\n      where false and ',
    seed: 64,
  },
  {
    name: 'a send does not reserve its message in the plan',
    rule: 'Plan',
    file: 'server/delivery/send/turn-sql.ts',
    before: 'set used = used + (select count(*) from moved)',
    after: 'set used = used',
    seed: 41,
  },
  {
    name: 'mails are sent beyond the limit of the plan',
    rule: 'Plan',
    file: 'server/delivery/send/turn-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'greatest(0, ${planLimit}::int - (select used from room)) end',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    after: 'greatest(100, ${planLimit}::int - (select used from room)) end',
    seed: 30_677,
  },
  {
    name: 'messages that a dead process had in flight are due again',
    rule: 'D4',
    file: 'server/delivery/send/abandoned.ts',
    before: 'outcome: answer?.outcome ?? NO_REPLY,',
    after: "outcome: answer?.outcome ?? { ...NO_REPLY, kind: 'retry' as const },",
    seed: 23762,
  },
  {
    name: 'held messages count as final',
    rule: 'D5',
    file: 'server/messages/messages/fragments.ts',
    before: "isOpen = (row: Row) => isInState(row, `in ('scheduled', 'held', 'claimed')`)",
    after: "isOpen = (row: Row) => isInState(row, `in ('scheduled', 'claimed')`)",
    seed: 1,
  },
  {
    name: 'a disconnect does not cancel open messages',
    rule: 'D5',
    file: 'server/messages/messages/sql.ts',
    before: 'cancelOpen(tx, sql`true`,',
    after: 'cancelOpen(tx, sql`false`,',
    seed: 10,
  },
  {
    name: 'a rejected message is returned to the plan twice',
    rule: 'Plan',
    file: 'server/delivery/outcome/outcome.ts',
    before: 'evaluation.month, channel, -unsent)',
    after: 'evaluation.month, channel, -2 * unsent)',
    seed: 41,
  },
  {
    name: 'a reply frees two slots',
    rule: 'D10',
    file: 'server/delivery/send/send-window.ts',
    before: 'share.finishTurn(done.length, turn.sending.size)',
    after: 'share.finishTurn(2 * done.length, turn.sending.size)',
    seed: 64,
  },
]
