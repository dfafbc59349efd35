import type { Harness } from '../harness.ts'
import type { Code, State } from '../state.ts'
import { describeMail, type Invariant, OPEN, type SentMail } from './scene.ts'

// Coupon and Codes: coupons in messages (decisions 33 to 36) and the codes left in the store. They are checked against
// the store's coupons and replies.

/** Maximum age of the order check, which also reads coupons (D3). */
const FRESH_MS = 60_000
/** Replies within this time count as simultaneous. */
const TOGETHER_MS = 1_000

const KNOWN =
  /^(coupon_invalid:(gone|inactive|not_started|expired|used_up|used_before|email|currency|min_spend|max_spend|products|sale_items|nothing_off)|coupon_withheld:(first_order|pause|above))$/

/** Reports of a shop that cannot be reached contain no coupons. */
const isKnown = ({ scenario }: Harness, reason: string): boolean =>
  KNOWN.test(reason) ||
  (reason === 'coupon_invalid:unreadable' && scenario.steps.some((step) => step.do === 'reach' && !step.isReached))

export const checkCoupon: Invariant = ({ harness, fresh, state }) => [
  ...fresh.flatMap((mail) => [...checkStoreReplies(harness, mail), ...checkRecord(harness, mail)]),
  ...(harness.scenario.coupons ? checkSkips(harness, state) : []),
]

/**
 * No message is sent with a code that the store had reported as unusable. Replies count for at most a minute before the
 * provider call: reads by the sending process, and writes by any process. The newest of these replies, and those up to
 * a second older, must not all be negative, on the engine's clock. Later changes in the store are unknown to us.
 */
function checkStoreReplies({ shop }: Harness, mail: SentMail): string[] {
  const { coupon, worker } = mail.evidence
  if (coupon.code === null) return []
  const answers = shop.couponStock.answers.filter(
    ({ couponId, by, isReading, at }) =>
      couponId === coupon.platformId && (!isReading || by === worker) && at <= mail.at && at >= mail.at - FRESH_MS,
  )
  const newest = Math.max(...answers.map(({ at }) => at))
  if (answers.length === 0)
    return [`${describeMail(mail)} was sent with ${coupon.code}, which was not checked with the store`]
  if (answers.some(({ at, isUsable }) => isUsable && at >= newest - TOGETHER_MS)) return []
  return [`${describeMail(mail)} was sent with ${coupon.code}, which the store had reported as unusable`]
}

/** The decision record names the coupon of a message, or the reason for none; required coupons are not omitted. */
function checkRecord(harness: Harness, mail: SentMail): string[] {
  const { code, hasCoupon, fallback, record } = mail.evidence.coupon
  const reportWrong = (what: string) => [`${describeMail(mail)} was sent ${what}: ${JSON.stringify(record)}`]
  if (!hasCoupon) return code === null ? [] : reportWrong(`with ${code}, which its step does not have`)
  if (record === null) return reportWrong('without a record')
  if (code !== null)
    return record.couponIncluded && record.coupon === code ? [] : reportWrong(`with ${code}, unlike its record`)
  if (record.couponIncluded !== false || !isKnown(harness, record.couponReason ?? ''))
    return reportWrong('without a coupon')
  return fallback === 'skip' ? reportWrong('without a required coupon') : []
}

function checkSkips(harness: Harness, { messages }: State): string[] {
  const { scenario, campaigns } = harness
  return messages.flatMap(({ state, reason, step, origin }) => {
    if (state !== 'skipped' || !reason?.startsWith('coupon_')) return []
    const plan = campaigns.find(({ id }) => origin === `campaign:${id}`)?.versions.at(-1)?.plan
    const coupon = scenario.coupons?.[plan ? (plan.coupon ?? -1) : step - 1]
    const isRight = isKnown(harness, reason) && coupon?.fallback === 'skip'
    return isRight ? [] : [`step ${step} was skipped for ${reason} although the coupon is optional`]
  })
}

export const checkCodes: Invariant = (scene) => {
  const { harness, state } = scene
  if (!harness.scenario.coupons) return []
  return [
    ...checkSharedCodes(scene),
    ...checkUses(harness, state),
    ...checkRemainingCodes(scene),
    ...checkDeletedCodes(scene),
  ]
}

/** A message shows the code it was sent with; a personal code belongs to that message alone. */
const checkSharedCodes: Invariant = ({ mails, fresh, state }) =>
  fresh.flatMap((mail) => {
    const { code, isPersonal } = mail.evidence.coupon
    if (mail.code !== null && mail.code !== code)
      return [`${describeMail(mail)} contains ${mail.code}, and its row ${code}`]
    if (code === null || !isPersonal) return []
    const other = mails.find(
      (each) => each.id !== mail.id && (each.evidence?.coupon.code === code || each.code === code),
    )
    const own = state.codes.filter((each) => each.message === mail.id && each.code === code)
    return [
      ...(other ? [`${describeMail(mail)} was sent with ${code}, like ${other.id.slice(-6)}`] : []),
      ...(own.length === 1 ? [] : [`${describeMail(mail)} was sent with ${code}, which was not created for it`]),
    ]
  })

/** At most as many codes are used as were created, each by an order with it or by the store's own count. */
function checkUses({ shop }: Harness, { codes }: State): string[] {
  return codes.flatMap(({ code, isUsed, order, attempts, state: codeState }) => {
    if (!isUsed) return []
    const isNamed = shop.versions.some(
      (version) => version.order.orderId === order && isAmong(version.order.coupons, code),
    )
    // After its deletion from the store, by erasure or expiry, a code can be created again.
    if (attempts === 0 && codeState !== 'deleted') return [`${code} is used, but was never created in the store`]
    return order === null || isNamed ? [] : [`${code} is used by order ${order}, which does not contain it`]
  })
}

const isAmong = (codes: readonly string[], code: string) => codes.includes(code.toLowerCase())

/** Longer than the store needs for a request. */
const STORE_IS_DONE_MS = 600_000

/** After the cleanup job, the store has no codes of unsent final messages, except used ones and those in progress. */
const checkRemainingCodes: Invariant = ({ harness, state, before, mails }) => {
  if (!harness.isCleanedUp || harness.hasJumped || !before) return []
  const isOver = (of: State, { message }: Code) =>
    of.messages.some(({ id, state: now }) => id === message && !OPEN.has(now) && now !== 'sending')
  const settledAt = harness.clock.now().getTime() - STORE_IS_DONE_MS
  return before.codes
    .filter((code) => isOver(before, code) && isOver(state, code) && !code.isUsed && (code.askedAt ?? 0) <= settledAt)
    .filter(({ message }) => !mails.some(({ id }) => id === message))
    .filter(({ message }) => harness.shop.couponStock.coupons.some(({ mark }) => mark === `message:${message}`))
    .map(({ code, state }) => `${code} (${state}) is in the store, but its message was never sent`)
}

/** Only the store's admin deletes a valid code of a shopper; erased people are an exception. */
const checkDeletedCodes: Invariant = ({ harness, state, mails }) => {
  if (harness.erased.size > 0) return []
  const now = harness.clock.now().getTime()
  const { coupons, deletedByAdmin } = harness.shop.couponStock
  return mails.flatMap(({ id, isAccepted, evidence }) => {
    const code = evidence?.coupon.code
    if (!isAccepted || !code || !evidence.coupon.isPersonal || deletedByAdmin.has(code.toLowerCase())) return []
    const row = state.codes.find((each) => each.message === id && each.code === code)
    const isGood = row && row.expiresAt > now
    const isInStore = coupons.some((each) => each.code === code.toLowerCase())
    return isGood && !isInStore ? [`${code} was deleted from the store although a shopper has it`] : []
  })
}
