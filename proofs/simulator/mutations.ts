import type { Rule } from './invariants/all.ts'
import { browserMutations } from './mutations-browsers.ts'
import { campaignMutations } from './mutations-campaigns.ts'
import { couponMutations } from './mutations-coupons.ts'
import { flowEditMutations } from './mutations-flow-edits.ts'
import { flowMutations } from './mutations-flows.ts'
import { mailMutations } from './mutations-mails.ts'
import { modeMutations } from './mutations-modes.ts'
import { orderCheckMutations } from './mutations-order-check.ts'
import { orderMutations } from './mutations-orders.ts'
import { pluginMutations } from './mutations-plugin.ts'
import { pushMutations } from './mutations-push.ts'
import { shopifyMutations } from './mutations-shopify.ts'
import { stopMutations } from './mutations-stops.ts'

// Deliberate bugs, at least one per invariant, that the simulator must detect. They replace source
// text, because the engine has no switches for them.

export interface Mutation {
  name: string
  /** The invariant that has to fail; 'crash': the database refuses the change. */
  rule: Rule | 'crash'
  file: string
  before: string
  after: string
  /** A scenario that finds the mutation. */
  seed: number
}

export const mutations: readonly Mutation[] = [
  ...orderCheckMutations,
  ...orderMutations,
  ...couponMutations,
  ...campaignMutations,
  ...stopMutations,
  ...pushMutations,
  ...pluginMutations,
  ...modeMutations,
  ...browserMutations,
  ...shopifyMutations,
  ...flowEditMutations,
  ...flowMutations,
  ...mailMutations,
  {
    name: 'no wake-up is scheduled for messages planned at abandonment',
    rule: 'Awake',
    file: 'server/carts/carts/detect.ts',
    before: 'await scheduleNextRun(tx)',
    after: 'if (deps.now().getTime() < 0) await scheduleNextRun(tx)',
    seed: 1,
  },
  {
    name: 'a missing reply counts as a rejection',
    rule: 'D1',
    file: 'server/delivery/outcome/outcome.ts',
    before: "return { ...base, state: stateAfterAnswer.unknown, reason: 'unknown', result: 'unknown', news }",
    after:
      "return { ...base, state: stateAfterAnswer.retry, reason: 'retry', wake_at: answeredAt, result: 'retry', news: null }",
    seed: 6,
  },
  {
    name: 'a purchase does not cancel open messages',
    rule: 'D5',
    file: 'server/carts/carts/carts.ts',
    before: 'await messages.cancelCartMessages(tx, ids, reason, now)',
    after: '',
    seed: 1,
  },
  {
    name: 'a cancellation changes sent messages',
    rule: 'D6',
    file: 'server/messages/messages/sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: "and ${which} and ${isOpen('messages')} order by",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    after: "and ${which} and (${isOpen('messages')} or ${wasAttempted('messages')}) order by",
    seed: 4,
  },
  {
    name: 'messages expire after two days',
    rule: 'D7',
    file: 'server/messages/messages/sql.ts',
    before: "c.last_activity_at + s.delay_minutes * interval '1 minute' + interval '24 hours',",
    after: "c.last_activity_at + s.delay_minutes * interval '1 minute' + interval '48 hours',",
    seed: 46,
  },
  {
    name: 'twice as many messages as slots are in flight',
    rule: 'D10',
    file: 'server/delivery/send/send-window.ts',
    before: 'this.#free = size',
    after: 'this.#free = 2 * size',
    seed: 5,
  },
  {
    name: 'a batch holds two messages of one person',
    rule: 'D10',
    file: 'server/delivery/send/send-due.ts',
    before: 'Map.groupBy(oneMessagePerShopper(evaluation.ready),',
    after: 'Map.groupBy(evaluation.ready,',
    seed: 40,
  },
  {
    name: 'a manual message is planned for a merged cart',
    rule: 'S6',
    file: 'server/marketing/manual-sends/manual-sql.ts',
    before: "where c.status <> 'merged' order by",
    after: 'order by',
    seed: 48504,
  },
  {
    name: 'quiet hours are not checked again at the send',
    rule: 'T2',
    file: 'server/delivery/decide/decision-inputs.ts',
    before: 'isQuietAt: (at) => toMinute(at) !== toMinute(now) && quietUntil(at) !== null',
    after: 'isQuietAt: () => false',
    seed: 89039,
  },
  {
    name: 'a merged cart keeps its messages',
    rule: 'S6',
    file: 'server/messages/messages/messages.ts',
    before: "await sql.cancelForCarts(tx, [fromCart], 'merged', now)",
    after: '',
    seed: 3,
  },
  {
    name: 'a step that a merged cart was sent is sent again',
    rule: 'S6',
    file: 'server/messages/messages/messages.ts',
    before: 'await sql.closeAttemptedSteps(tx, fromCart, intoCart, now)',
    after: '',
    seed: 1869,
  },
  {
    name: 'an older fact counts as newer',
    rule: 'S7',
    file: 'server/carts/carts/carts.ts',
    before: 'compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) > 0',
    after: 'compareFacts(fact, { at: cart.last_fact_at.getTime(), id: cart.last_fact_id }) !== 0',
    seed: 11,
  },
  {
    name: 'an unsubscribe does not cancel open messages',
    rule: 'C2',
    file: 'server/delivery/preferences/unsubscribe.ts',
    before: 'await sql.skipOpenMessagesTo(tx, { accountId, address, channel, now })',
    after: '',
    seed: 230,
  },
  {
    name: 'new contacts per network are not limited',
    rule: 'X5',
    file: 'server/carts/capture/contact-limits.ts',
    before: "> limit.points) return 'client'",
    after: '> limit.points) return null',
    seed: 10,
  },
  {
    name: 'a refusal is stored as a consent',
    rule: 'C5',
    file: 'server/shoppers/consent/consents.ts',
    before: "if (!answer.isGiven) return 'withdrawn'",
    after: '',
    seed: 268,
  },
  {
    name: 'a touch after the purchase gets the attribution',
    rule: 'A3',
    file: 'server/carts/orders/attribution.ts',
    before: 'const until = order.purchased_at!',
    after: 'const until = new Date(order.purchased_at!.getTime() + 30 * 86_400_000)',
    seed: 281,
  },
  {
    name: 'the cap allows one message more',
    rule: 'T1',
    file: 'server/delivery/decide/situation-sql.ts',
    before: 's.sender_email, s.postal_address, s.cap_messages, s.cap_window_hours',
    after: 's.sender_email, s.postal_address, s.cap_messages + 1 as cap_messages, s.cap_window_hours',
    seed: 4,
  },
  {
    name: 'the next step does not wait for the last send',
    rule: 'T4',
    file: 'server/messages/messages/sql.ts',
    before: "least(abs(s.delay_minutes - hs.delay_minutes) * interval '1 minute', interval '12 hours')",
    after: "interval '0 minutes'",
    seed: 100,
  },
  {
    name: 'a fold drops earlier totals',
    rule: 'Way D',
    file: 'server/insights/analytics/rollups-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: '${sql.table(table)}.${sql.ref(measure)} + excluded',
    after: 'excluded',
    seed: 224,
  },
  {
    name: 'a delivery report from before its sender died is lost',
    rule: 'D4',
    file: 'server/delivery/outcome/outcome.ts',
    before: 'await applyMessageReports(deps, tx, { accountId, channel: context.channel, messageIds })',
    after: '',
    seed: 23762,
  },
  {
    name: 'a text that failed after its delivery report stays delivered',
    rule: 'D4',
    file: 'server/messages/messages/fragments.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: "(not ${isDelivered(row)} or ${isFailed('said')})",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    after: 'not ${isDelivered(row)}',
    seed: 268,
  },
  {
    name: 'a repeated request sends again',
    rule: 'D9',
    file: 'server/marketing/manual-sends/idempotency.ts',
    before: 'if (isFirst) await make(tx, id)',
    after: 'await make(tx, id)',
    seed: 32,
  },
  {
    name: 'a manual message for now is held',
    rule: 'D11',
    file: 'server/delivery/decide/evaluate.ts',
    before: 'return manual.isImmediate || (',
    after: 'return (',
    seed: 2,
  },
  {
    name: 'an entry in the suppression list does not cancel open messages',
    rule: 'C1',
    file: 'server/shoppers/suppressions/suppressions.ts',
    before: 'await skipOpenMessagesTo(tx, to)',
    after: '',
    seed: 21,
  },
  {
    name: 'STOP does not cancel open texts',
    rule: 'C2',
    file: 'server/delivery/inbound/inbound.ts',
    before: 'await closeOpenTexts(tx, out, now)',
    after: '',
    seed: 145,
  },
  {
    name: 'consent by SMS in Germany needs no confirmation',
    rule: 'C6',
    file: 'server/shoppers/consent/consent-table.ts',
    before: "const PROOF_REQUIRED = 'DE AT'",
    after: "const PROOF_REQUIRED = 'AT'",
    seed: 56,
  },
  {
    name: 'WhatsApp marketing is sent to +1 numbers',
    rule: 'C6',
    file: 'server/shoppers/consent/consent.ts',
    before: "phone.startsWith('+1')",
    after: "phone.startsWith('+0')",
    seed: 182,
  },
  {
    name: 'an erased shopper keeps their address',
    rule: 'C8',
    file: 'server/workspace/privacy/erase-sql.ts',
    before: 'update shoppers s set email = null, phone = null,',
    after: 'update shoppers s set phone = null,',
    seed: 3,
  },
  {
    name: 'an erasure misses a customer account that only its id identifies',
    rule: 'C8',
    file: 'server/workspace/privacy/sql.ts',
    before: "k.kind = 'customer' and k.value = r.id)",
    after: "k.kind = 'nobody' and k.value = r.id)",
    seed: 831513,
  },
  {
    name: 'an erased person returns with the next post',
    rule: 'C8',
    file: 'server/shoppers/suppressions/sql.ts',
    before: "and p.reason = 'erased'",
    after: "and p.reason = 'nothing'",
    seed: 19,
  },
  {
    name: 'a merged person takes the arm of the other',
    rule: 'F1',
    file: 'server/shoppers/shoppers/sql.ts',
    before: "    'assignments',\n",
    after: '',
    seed: 930,
  },
  {
    name: 'quiet hours follow the store’s time zone',
    rule: 'T2',
    file: 'server/delivery/decide/quiet.ts',
    before: 'const zones = countryZones.length > 0 ? countryZones : [store.timeZone]',
    after: 'const zones = [store.timeZone]',
    seed: 24,
  },
  {
    name: 'earlier texts are ignored by the cooldown',
    rule: 'Cooldown',
    file: 'server/delivery/decide/fragments.ts',
    before: 'and h.sending_at is not null and h.channel = m.channel',
    after: 'and h.sending_at is null and h.channel = m.channel',
    seed: 56,
  },
  {
    name: 'the plan allows one message more',
    rule: 'Plan',
    file: 'server/delivery/decide/decision-inputs.ts',
    before: 'computeLimits(in_force)[limit] : 0',
    after: 'computeLimits(in_force)[limit] + 1 : 0',
    seed: 2,
  },
  {
    name: 'a rejected message stays counted',
    rule: 'Plan',
    file: 'server/delivery/outcome/outcome.ts',
    before: 'if (unsent > 0) await addUsage',
    after: 'if (unsent < 0) await addUsage',
    seed: 41,
  },
  {
    name: 'the budget is checked for each text alone',
    rule: 'Budget',
    file: 'server/delivery/send/channel-rules.ts',
    before: 'micros -= cost.amountMicros',
    after: '',
    seed: 996,
  },
  {
    name: 'a rejected message stays charged',
    rule: 'Budget',
    file: 'server/delivery/outcome/outcome.ts',
    before: 'return { ...booked, amountMicros: 0 }',
    after: 'return null',
    seed: 105,
  },
  {
    name: 'a rejected opt-in request stays charged',
    rule: 'Budget',
    file: 'server/delivery/opt-in/opt-in-request.ts',
    before: 'await bookSpend(tx, accountId, formatMonth(now), [{ ...cost, amountMicros: -cost.amountMicros }])',
    after: '',
    seed: 46,
  },
  {
    name: 'a rejected opt-in request counts as sent when YES arrived before the rejection',
    rule: 'Budget',
    file: 'server/delivery/opt-in/opt-in-request.ts',
    before: 'await unaskAnswered(tx, optInRequest, now)',
    after: '',
    seed: 24147,
  },
  {
    name: 'a process that stalls after its send does not check again',
    rule: 'D5',
    file: 'server/delivery/send/send-window.ts',
    before: 'if (isWithinSecond(sendingAt, deps.now())) return true',
    after: 'if (sendingAt) return true',
    seed: 1168,
  },
  {
    name: 'a reply to an opt-in request restores an erased person',
    rule: 'C8',
    file: 'server/delivery/opt-in/opt-in-request.ts',
    before: 'const isErased = (await selectErased(tx, [optInRequest.addressHash])).size > 0',
    after: 'const isErased = false',
    seed: 913230,
  },
]
