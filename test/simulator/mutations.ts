import type { Rule } from './invariants/all.ts'

// Deliberate mistakes, one or more for each rule: proof that the simulator would notice them. Texts, because the engine
// itself has no switches.

export interface Mutation {
  name: string
  /** The invariant that has to notice it. */
  rule: Rule
  file: string
  before: string
  after: string
  /** A history that notices it; left out: none has been written down yet. */
  seed?: number
}

export const mutations: readonly Mutation[] = [
  {
    name: 'what a dead process had on the wire is sent again',
    rule: 'D1',
    file: 'server/messages/sql.ts',
    before: "update messages m set state = 'unknown', reason = 'unknown', finished_at =",
    after: "update messages m set state = 'scheduled', decided_at =",
  },
  {
    name: 'silence is taken for a refusal',
    rule: 'D1',
    file: 'server/messages/outcome.ts',
    before: "return { ...base, state: 'unknown', reason: 'unknown', result: 'unknown', news }",
    after: "return { ...base, state: 'held', reason: 'retry', wake_at: now, result: 'retry', news: null }",
  },
  {
    name: 'the fence reads the orders and tells nobody',
    rule: 'D3',
    file: 'server/stores/fence.ts',
    before: "await recordOrders(deps, store.storeId, page.rows, 'sync')",
    after: '',
  },
  {
    name: 'a purchase leaves open messages open',
    rule: 'D5',
    file: 'server/carts/carts.ts',
    before: 'await messages.cancelCartMessages(tx, ids, reason, now)',
    after: '',
  },
  {
    name: 'cancelling reaches what was sent',
    rule: 'D6',
    file: 'server/messages/sql.ts',
    before: "const OPEN = sql`('scheduled', 'held', 'claimed')`",
    after: "const OPEN = sql`('scheduled', 'held', 'claimed', 'sent')`",
  },
  {
    name: 'messages live for two days',
    rule: 'D7',
    file: 'server/messages/sql.ts',
    before: "c.last_activity_at + s.delay_minutes * interval '1 minute' + interval '24 hours',",
    after: "c.last_activity_at + s.delay_minutes * interval '1 minute' + interval '48 hours',",
  },
  {
    name: 'twice the pool is on the wire',
    rule: 'D10',
    file: 'server/messages/wire.ts',
    before: 'this.#free = size',
    after: 'this.#free = 2 * size',
  },
  {
    name: 'a joined cart keeps its messages',
    rule: 'S6',
    file: 'server/messages/messages.ts',
    before: "await sql.cancelOfCarts(tx, [fromCart], 'merged', now)",
    after: '',
  },
  {
    name: 'what a joined cart was sent is sent again',
    rule: 'S6',
    file: 'server/messages/messages.ts',
    before: 'await sql.closeHandedOverSteps(tx, fromCart, intoCart, now)',
    after: '',
  },
  {
    name: 'an older fact is taken for a newer one',
    rule: 'S7',
    file: 'server/carts/carts.ts',
    before: 'compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) > 0',
    after: 'compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) !== 0',
  },
  {
    name: 'an unsubscribe leaves open messages open',
    rule: 'C2',
    file: 'server/messages/track.ts',
    before: 'await sql.skipOpenTo(tx, { accountId, address, channel, now })',
    after: '',
  },
  {
    name: 'a refusal is written down as a consent',
    rule: 'C5',
    file: 'server/shoppers/consents.ts',
    before: "if (!said.isGiven) return 'withdrawn'",
    after: '',
  },
  {
    name: 'a touch after the purchase takes the credit',
    rule: 'A3',
    file: 'server/carts/attribution.ts',
    before: 'const until = order.purchased_at!',
    after: 'const until = new Date(order.purchased_at!.getTime() + 30 * 86_400_000)',
  },
  {
    name: 'one message more than the cap',
    rule: 'T1',
    file: 'server/messages/judge-sql.ts',
    before: 's.sender_email, s.postal_address, s.cap_messages, s.cap_window_hours',
    after: 's.sender_email, s.postal_address, s.cap_messages + 1 as cap_messages, s.cap_window_hours',
  },
  {
    name: 'the next step does not wait for the last hand-over',
    rule: 'T4',
    file: 'server/messages/sql.ts',
    before: "least((s.delay_minutes - hs.delay_minutes) * interval '1 minute', interval '12 hours')",
    after: "interval '0 minutes'",
  },
  {
    name: 'a fold forgets what was folded before',
    rule: 'Way D',
    file: 'server/analytics/rollups-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: '${sql.table(table)}.${sql.ref(measure)} + excluded',
    after: 'excluded',
  },
  {
    name: 'a text that was not delivered after all stays delivered',
    rule: 'D4',
    file: 'server/messages/delivery-sql.ts',
    before: "or (m.state = 'delivered' and said.state = 'failed')",
    after: '',
  },
  {
    name: 'the same request sends again',
    rule: 'D9',
    file: 'server/messages/repeatable.ts',
    before: 'if (isKept) await make(tx, id)',
    after: 'await make(tx, id)',
  },
  {
    name: 'what a person sends at once is held',
    rule: 'D11',
    file: 'server/messages/judge.ts',
    before: 'return byHand.isImmediate || (',
    after: 'return (',
  },
  {
    name: 'an entry of the owner’s leaves open messages open',
    rule: 'C1',
    file: 'server/suppressions/suppressions.ts',
    before: 'await skipOpenTo(tx, to)',
    after: '',
  },
  {
    name: 'STOP leaves open texts open',
    rule: 'C2',
    file: 'server/channels/inbound.ts',
    before: 'await sql.closeOpenTexts(tx, out, now)',
    after: '',
  },
  {
    name: 'Germans need not confirm a yes by SMS',
    rule: 'C6',
    file: 'server/shoppers/consent-table.ts',
    before: "const PROOF_ASKED = 'DE AT'",
    after: "const PROOF_ASKED = 'AT'",
  },
  {
    name: 'WhatsApp advertises to +1',
    rule: 'C6',
    file: 'server/shoppers/consent.ts',
    before: "phone.startsWith('+1')",
    after: "phone.startsWith('+0')",
  },
  {
    name: 'an erased shopper keeps their address',
    rule: 'C8',
    file: 'server/persons/erase-sql.ts',
    before: 'update shoppers set email = null, phone = null,',
    after: 'update shoppers set phone = null,',
  },
  {
    name: 'who was erased comes back with the next post',
    rule: 'C8',
    file: 'server/suppressions/sql.ts',
    before: "and p.reason = 'erased'",
    after: "and p.reason = 'nothing'",
  },
  {
    name: 'it is night when it is in the store',
    rule: 'T2',
    file: 'server/shoppers/quiet.ts',
    before: 'const zones = ofCountry.length > 0 ? ofCountry : [store.timeZone]',
    after: 'const zones = [store.timeZone]',
  },
  {
    name: 'texts before this one are overlooked',
    rule: 'Cooldown',
    file: 'server/messages/judge-sql.ts',
    before: 'and h.handed_over_at is not null and h.channel = m.channel',
    after: 'and h.handed_over_at is null and h.channel = m.channel',
  },
  {
    name: 'one message more than the plan',
    rule: 'Plan',
    file: 'server/messages/judge-inputs.ts',
    before: 'plans[plan].limits[limit] : 0',
    after: 'plans[plan].limits[limit] + 1 : 0',
    seed: 2,
  },
  {
    name: 'what was refused stays counted',
    rule: 'Plan',
    file: 'server/messages/outcome.ts',
    before: 'await sql.addUsage(tx, judged.situation.account_id, judged.month, channel, -1)',
    after: '',
  },
  {
    name: 'each text fits the budget by itself',
    rule: 'Budget',
    file: 'server/messages/window.ts',
    before: 'micros -= cost.amountMicros',
    after: '',
  },
  {
    name: 'what was refused stays paid',
    rule: 'Budget',
    file: 'server/messages/outcome.ts',
    before: 'return { ...booked, amountMicros: 0 }',
    after: 'return null',
  },
]
