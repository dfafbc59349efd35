import type { Harness } from '../harness.ts'
import type { Code, State } from '../witness.ts'
import { describeMail, type Invariant, OPEN, type SentMail } from './scene.ts'

// Coupon and Codes: what the coupons in messages rest on (decisions 33 to 36), and what of them stands in the store. Judged by what the
// store itself knows of its coupons and of its answers.

/** As old as the order check may be, beside which coupons are read (D3). */
const FRESH_MS = 60_000
/** What was said within one of these is said at once. */
const TOGETHER_MS = 1_000

const KNOWN =
  /^(coupon_invalid:(gone|inactive|not_started|expired|used_up|used_before|email|currency|min_spend|max_spend|products|sale_items|nothing_off)|coupon_withheld:(first_order|pause|above))$/

/** A shop that sends only reports has no coupons in them. */
const isKnown = ({ scenario }: Harness, reason: string): boolean =>
  KNOWN.test(reason) ||
  (reason === 'coupon_invalid:unreadable' && scenario.steps.some((step) => step.do === 'reach' && !step.isReached))

export const checkCoupon: Invariant = ({ harness, fresh, state }) => [
  ...fresh.flatMap((mail) => [...refusedByStore(harness, mail), ...otherThanRecorded(harness, mail)]),
  ...(harness.scenario.coupons ? skippedForIt(harness, state) : []),
]

/**
 * No message leaves with a code that the store had said could not be used. What counts is what it answered at most a minute before the
 * message reached the wire: to the process that sent it when that read the coupon, or to any process that made or changed it. The newest
 * of these answers, and those up to a second older, must not all say no, by the engine's clock. What somebody changes in the store after
 * that answer is not known to us.
 */
function refusedByStore({ shop }: Harness, mail: SentMail): string[] {
  const { coupon, worker } = mail.evidence
  if (coupon.code === null) return []
  const answers = shop.shelf.answers.filter(
    ({ couponId, by, isReading, at }) =>
      couponId === coupon.platformId && (!isReading || by === worker) && at <= mail.at && at >= mail.at - FRESH_MS,
  )
  const newest = Math.max(...answers.map(({ at }) => at))
  if (answers.length === 0)
    return [`${describeMail(mail)} left with ${coupon.code}, which the store was not asked about`]
  if (answers.some(({ at, isUsable }) => isUsable && at >= newest - TOGETHER_MS)) return []
  return [`${describeMail(mail)} left with ${coupon.code}, which the store had said cannot be used`]
}

/** The decision record says with which coupon a message leaves, or why without; and one that is not to leave without does not. */
function otherThanRecorded(harness: Harness, mail: SentMail): string[] {
  const { code, isWanted, fallback, record } = mail.evidence.coupon
  const wrong = (what: string) => [`${describeMail(mail)} left ${what}: ${JSON.stringify(record)}`]
  if (!isWanted) return code === null ? [] : wrong(`with ${code}, which its step has not`)
  if (record === null) return wrong('without a record')
  if (code !== null)
    return record.couponIncluded && record.coupon === code ? [] : wrong(`with ${code} against its record`)
  if (record.couponIncluded !== false || !isKnown(harness, record.couponReason ?? '')) return wrong('without a coupon')
  return fallback === 'skip' ? wrong('without a coupon that it must not leave without') : []
}

function skippedForIt(harness: Harness, { messages }: State): string[] {
  const { scenario, campaigns } = harness
  return messages.flatMap(({ state, reason, step, origin }) => {
    if (state !== 'skipped' || !reason?.startsWith('coupon_')) return []
    const plan = campaigns.find(({ id }) => origin === `campaign:${id}`)?.versions.at(-1)?.plan
    const coupon = scenario.coupons?.[plan ? (plan.coupon ?? -1) : step - 1]
    const isRight = isKnown(harness, reason) && coupon?.fallback === 'skip'
    return isRight ? [] : [`step ${step} was skipped for ${reason}, and is to leave without`]
  })
}

export const checkCodes: Invariant = (scene) => {
  const { harness, state } = scene
  if (!harness.scenario.coupons) return []
  return [...shared(scene), ...overUsed(harness, state), ...left(scene), ...takenFromShoppers(scene)]
}

/** A message says the code that it left with; a personal one was made for it, and no other has it. */
const shared: Invariant = ({ mails, fresh, state }) =>
  fresh.flatMap((mail) => {
    const { code, isPersonal } = mail.evidence.coupon
    if (mail.told !== null && mail.told !== code)
      return [`${describeMail(mail)} says ${mail.told}, and its row ${code}`]
    if (code === null || !isPersonal) return []
    const other = mails.find(
      (each) => each.id !== mail.id && (each.evidence?.coupon.code === code || each.told === code),
    )
    const own = state.codes.filter((each) => each.message === mail.id && each.code === code)
    return [
      ...(other ? [`${describeMail(mail)} left with ${code}, as did ${other.id.slice(-6)}`] : []),
      ...(own.length === 1 ? [] : [`${describeMail(mail)} left with ${code}, which was not made for it`]),
    ]
  })

/** As many are used as were made at most, each by an order that names it or by the store's own word. */
function overUsed({ shop }: Harness, { codes }: State): string[] {
  return codes.flatMap(({ code, isUsed, order, attempts, state: made }) => {
    if (!isUsed) return []
    const isNamed = shop.versions.some(
      (version) => version.order.orderId === order && isAmong(version.order.coupons, code),
    )
    // Taken out of the store again, of somebody erased or after its time, it begins anew.
    if (attempts === 0 && made !== 'deleted') return [`${code} is used, and the store was never asked for it`]
    return order === null || isNamed ? [] : [`${code} is used by order ${order}, which does not name it`]
  })
}

const isAmong = (codes: readonly string[], code: string) => codes.includes(code.toLowerCase())

/** Longer than the store works on one request. */
const STORE_IS_DONE_MS = 600_000

/** After the tidy job nothing of messages that are over and never left stands in the store, but what it may still be at and what was used. */
const left: Invariant = ({ harness, state, before, mails }) => {
  if (!harness.isTidied || harness.hasJumped || !before) return []
  const isOver = (of: State, { message }: Code) =>
    of.messages.some(({ id, state: now }) => id === message && !OPEN.has(now) && now !== 'sending')
  const settledAt = harness.clock.now().getTime() - STORE_IS_DONE_MS
  return before.codes
    .filter((code) => isOver(before, code) && isOver(state, code) && !code.isUsed && (code.askedAt ?? 0) <= settledAt)
    .filter(({ message }) => !mails.some(({ id }) => id === message))
    .filter(({ message }) => harness.shop.shelf.coupons.some(({ mark }) => mark === `message:${message}`))
    .map(({ code, state }) => `${code} (${state}) stands in the store, and its message never left`)
}

/** A code that a shopper holds is taken out by nobody but the store's admin while it is good; but for people who were erased. */
const takenFromShoppers: Invariant = ({ harness, state, mails }) => {
  if (harness.erased.size > 0) return []
  const now = harness.clock.now().getTime()
  const { coupons, deletedByHand } = harness.shop.shelf
  return mails.flatMap(({ id, isTaken, evidence }) => {
    const code = evidence?.coupon.code
    if (!isTaken || !code || !evidence.coupon.isPersonal || deletedByHand.has(code.toLowerCase())) return []
    const row = state.codes.find((each) => each.message === id && each.code === code)
    const isGood = row && row.expiresAt > now
    const stands = coupons.some((each) => each.code === code.toLowerCase())
    return isGood && !stands ? [`${code} was taken out of the store, and a shopper has it`] : []
  })
}
