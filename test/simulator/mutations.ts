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
]
