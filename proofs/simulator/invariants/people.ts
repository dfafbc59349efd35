import type { Harness } from '../harness.ts'
import { listNumbers } from '../people.ts'
import type { SentMessage } from '../providers.ts'
import type { Message, Order, State, Touch } from '../state.ts'
import type { Channel } from '../steps.ts'
import { describeMail, type Invariant, MOMENT_MS, OPEN, type SentMail } from './scene.ts'
import { findActiveSteps } from './steps.ts'

// C1, C2, C5, T1, T4, F1, A3: unsubscribes, suppressions, consent, frequency, order of steps, assignment and
// attribution.

/** An unsubscribe applies to every message not yet sent. */
export const C2: Invariant = ({ harness, step, state, fresh }) => {
  const wrong = fresh
    .filter(
      ({ at, sendBlocks }) => sendBlocks.unsubscribedSince !== null && at - sendBlocks.unsubscribedSince >= MOMENT_MS,
    )
    .map((mail) => `${describeMail(mail)} was sent after that person had unsubscribed`)
  const just = harness.justUnsubscribed
  const isTheStep = step.do === 'unsubscribe' || (step.do === 'says' && step.keyword === 'STOP')
  const open = just && isTheStep ? openTo(state, [just.channel], listNumbers(just.address)) : []
  return [...wrong, ...open.map((message) => `step ${message.step} to ${just!.address} is open after the unsubscribe`)]
}

function openTo({ carts, messages }: State, channels: readonly Channel[], addresses: readonly string[]): Message[] {
  const reached = carts.filter(({ email, phone }) => [email, phone].some((each) => each && addresses.includes(each)))
  const ids = new Set(reached.map((cart) => cart.id))
  return messages.filter(
    ({ state, cart, channel, hasFallback }) =>
      OPEN.has(state) && ids.has(cart) && channels.includes(channel) && !hasFallback,
  )
}

/** Failure reasons that suppress an address. */
const SUPPRESSING = /^(rejected|undelivered):(mailbox_unknown|21614|30005|21610|131050)$/

/** Addresses on the owner's suppression list, or rejected permanently by a provider, get no message. */
export const C1: Invariant = ({ harness, step, state, mails, fresh }) => {
  const wrong = fresh
    .filter(({ at, sendBlocks }) => sendBlocks.suppressedSince !== null && at - sendBlocks.suppressedSince >= MOMENT_MS)
    .map((mail) => `${describeMail(mail)} was sent after that address was suppressed`)
  const refused = state.messages.filter(({ state: end, reason }) => end === 'failed' && SUPPRESSING.test(reason ?? ''))
  const again = fresh.flatMap((mail) => {
    const before = refused.find(({ id }) => {
      const other = mails.find((each) => each.id === id && each.to === mail.to && each.channel === mail.channel)
      return (
        other &&
        other.id !== mail.id &&
        mails.indexOf(other) < mails.indexOf(mail as SentMessage) &&
        mail.at - other.at >= HOUR_MS &&
        // The report may have arrived while this message was in flight.
        mail.at - (harness.failedAt.get(id) ?? other.at) >= MOMENT_MS
      )
    })
    const isBack = harness.keywords.get(`${mail.channel}:${listNumbers(mail.to).at(-1)}`)?.keyword === 'START'
    return before && !isBack ? [`${describeMail(mail)} was sent after ${before.reason} of the same address`] : []
  })
  if (step.do !== 'suppress') return [...wrong, ...again]
  const { email, phones } = harness.people[step.person]!
  const open = openTo(
    state,
    step.kind === 'email' ? ['email'] : step.channels,
    step.kind === 'email' ? [email] : phones,
  )
  return [...wrong, ...again, ...open.map((message) => `step ${message.step} is open to an address just suppressed`)]
}

/** A withdrawn consent stops every message not yet sent, until the person consents again. */
export const C5: Invariant = ({ fresh }) =>
  fresh.flatMap((mail) => {
    const { at, channel, sendBlocks } = mail
    const isWithdrawn = sendBlocks.withdrawnSince !== null && at - sendBlocks.withdrawnSince >= MOMENT_MS
    return [
      ...(isWithdrawn ? [`${describeMail(mail)} was sent after that person had withdrawn consent`] : []),
      ...(channel === 'email' || sendBlocks.hasConsented ? [] : [`${describeMail(mail)} was sent without any consent`]),
    ]
  })

/** At most `cap` messages per person in any 24 hours; provably rejected ones do not count. */
export const T1: Invariant = ({ fresh, mails }) => {
  const accepted = new Set(mails.filter((mail) => mail.isAccepted).map((mail) => mail.id))
  return fresh.flatMap((mail) => {
    const { others, cap } = mail.evidence
    const count = 1 + others.filter((id) => accepted.has(id)).length
    return count > cap
      ? [`${describeMail(mail)} is number ${count} to that person within a day; ${cap} are allowed`]
      : []
  })
}

const HOUR_MS = 3_600_000
const LONGEST_SPACING_MS = 12 * 3_600_000

/** The order of steps at the send, and in the second before; removed steps have no position. */
function isOvertaken({ stepSnapshots }: Harness, { at, evidence }: SentMail, by: SentMail['evidence']): boolean {
  const flows = findActiveSteps(stepSnapshots, at).map(({ steps }) => [...steps.keys()])
  // An automatic notification, or a flow that was never edited.
  if (!flows.some((order) => order.includes(evidence.stepId ?? ''))) return by.step > evidence.step
  return flows.every((order) => order.indexOf(by.stepId ?? '') > order.indexOf(evidence.stepId ?? ''))
}

/** Despite clock jumps, steps of a cart keep their order and their delays (12 hours at most). */
export const T4: Invariant = ({ harness, fresh, mails }) =>
  fresh.flatMap((mail) => {
    const { cart, origin, delay, sendingAt } = mail.evidence
    return mails.flatMap((other) => {
      const e = other.evidence
      if (!e || e.delay === null || other.id === mail.id || !other.isAccepted || e.cart !== cart || e.origin !== origin)
        return []
      if (mails.indexOf(other) > mails.indexOf(mail)) return []
      // A step planned on another channel waits for its own reasons, and keeps its distance only from earlier sends.
      if (isOvertaken(harness, mail, e)) {
        return other.channel === mail.channel ? [`${describeMail(mail)} was sent after step ${e.step}`] : []
      }
      // After an edit of delays, the rows follow the new ones.
      if (harness.editedAt !== null && harness.editedAt >= other.at - MOMENT_MS) return []
      const least = Math.min((delay! - e.delay) * 60_000, LONGEST_SPACING_MS)
      const apart = Math.max(Math.abs(sendingAt - e.sendingAt), mail.at - other.at)
      return apart < least
        ? [`${describeMail(mail)} was sent ${apart / 1_000} s after step ${e.step}; the minimum is ${least / 1_000}`]
        : []
    })
  })

/** An assignment never changes; of two merged people the earlier assignment counts. */
export const F1: Invariant = ({ state, before }) => {
  const now = new Map(state.shoppers.map((shopper) => [shopper.id, shopper]))
  return (before?.shoppers ?? []).flatMap(({ id, arm, armAt, drawing }) => {
    if (armAt === null) return []
    // A missing person was merged into another, with all carts.
    const cart = before!.carts.find((each) => each.shopper === id)
    const person = now.get(id) ?? now.get(state.carts.find((each) => each.id === cart?.id)?.shopper ?? '')
    if (!person) return []
    // At the same moment, the order by id decides.
    const isSooner =
      person.armAt !== null && (person.armAt < armAt || (person.armAt === armAt && person.drawing! < drawing!))
    const isUnchanged = isSooner || (person.drawing === drawing && person.arm === arm)
    return isUnchanged
      ? []
      : [`shopper ${id.slice(-6)} was assigned to ${arm} at ${armAt}, but is in ${person.arm} since ${person.armAt}`]
  })
}

const WINDOW_MS = 5 * 86_400_000

/** The revenue of an order is attributed once, to the last human touch before it or to none. */
export const A3: Invariant = ({ harness, state }) => {
  const purchases = state.orders.filter((order) => order.purchasedAt !== null)
  const attributed = purchases.filter((order) => order.message !== null)
  const sum = (orders: readonly Order[]) => orders.reduce((total, order) => total + order.net, 0)
  const tooMuch = sum(attributed) > sum(purchases) ? [`${sum(attributed)} attributed of ${sum(purchases)}`] : []
  const nets = new Set(harness.shop.versions.map(({ order }) => `${order.orderId}:${computeNet(order)}`))
  const invented = state.orders
    .filter((order) => !nets.has(`${order.id}:${order.ownNet ?? order.net}`))
    .map((order) => `order ${order.id} never had a net of ${order.net}`)
  if (harness.hasJumped) return [...tooMuch, ...invented]
  const wrong = purchases.flatMap((order) => {
    const last = findLastTouches(state, order)
    if (last.length === 0 ? order.message === null : last.some(({ message }) => message === order.message)) return []
    return [`order ${order.id} is attributed to ${order.message}, but its last touch is ${last[0]?.message ?? 'none'}`]
  })
  return [...tooMuch, ...invented, ...wrong]
}

const computeNet = (order: { kind: string; totalMinor: number; refundedMinor: number }) =>
  order.kind === 'purchase' ? order.totalMinor - order.refundedMinor : 0

/** Several, if they were at the same moment. */
function findLastTouches(state: State, order: Order): Touch[] {
  const at = order.purchasedAt!
  if (order.isStaff) return []
  // Orders are dated to the second.
  const nextSecond = at - (at % 1_000) + 1_000
  const before = state.touchpoints.filter(({ isHuman, shopper, at: touchedAt }) => {
    return isHuman && shopper === order.shopper && touchedAt < nextSecond && touchedAt >= at - WINDOW_MS
  })
  const latest = Math.max(...before.map((touch) => touch.at))
  return before.filter((touch) => touch.at === latest)
}
