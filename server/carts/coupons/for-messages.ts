import { capitals } from '../../../shared/coupons.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeMessages } from '../../messages/messages/messages.ts'
import type { PlatformCoupon } from '../../platforms/platform/coupon.ts'
import { keepPage } from './copy.ts'
import * as sql from './message-sql.ts'
import type { CouponState, GuardRails } from './validity.ts'

// The coupons messages are to carry, as they stand in the copy.

/** What a flow's step or a request says of its coupon. */
export interface WantedCoupon extends GuardRails {
  id: string
  /** What becomes of the message when the coupon is not valid, or withheld. */
  fallback: 'without' | 'skip'
}

export interface MessageCoupon {
  /** null: there is no such coupon any more. */
  state: CouponState | null
  /** A code of its own for each message. */
  isPersonal: boolean
  /** All that a message says of it. */
  wording: string
  /** Of a personal coupon the beginning of its codes. */
  code: string
  validHours: number
  maxDiscountMinor: number | null
  /** A personal code stands for one cart: its amount is capped, or it is tied to the address. */
  isOfCart: boolean
  /** Of a personal coupon, for this message; null: none is wanted yet. */
  personal: PersonalCode | null
  /** Orders of the recipient that name its code. */
  usedBefore: number
  /** When the recipient last used a coupon of ours. */
  lastUsedAt: Date | null
}

export interface PersonalCode {
  code: string
  /** In the store. */
  stage: 'wanted' | 'made' | 'failed' | 'deleted'
  /** It was made by the terms the coupon has now. */
  isOfTerms: boolean
  /** Its amount was computed for what is left of the cart. */
  isOfGoods: boolean
  /** Of a capped percentage: what was computed for the cart. */
  amountMinor: number | null
  cartVersion: number | null
  expiresAt: Date
  /** The store's words. */
  refusal: string | null
  nextTryAt: Date
  isUsed: boolean
}

/** By message. Asks nothing where no message wants one. */
export async function couponsOfMessages(
  tx: StoreTx,
  rows: readonly { id: string; shopper_id: string; coupon: WantedCoupon | null }[],
): Promise<Map<string, MessageCoupon>> {
  const wanted = rows.flatMap(({ id, shopper_id, coupon }) =>
    coupon ? [{ messageId: id, couponId: coupon.id, shopperId: shopper_id }] : [],
  )
  if (wanted.length === 0) return new Map()
  return new Map((await readCoupons(tx, wanted)).map((row) => [row.message_id, couponOf(row)]))
}

/** What a shopper has entered, as it stands in the copy. */
export interface EnteredCoupon {
  code: string
  state: CouponState
  /** Orders of the shopper that name it. */
  usedBefore: number
}

/** By the id of a message, or of a cart: the first code, which is the one that comes back. Asks nothing where nobody has entered one. */
export async function enteredCoupons(
  store: StoreDb,
  rows: readonly { id: string; shopper_id: string; entered_codes: readonly string[] }[],
): Promise<Map<string, EnteredCoupon>> {
  const wanted = rows.flatMap(({ id, shopper_id, entered_codes: [code] }) =>
    code === undefined ? [] : [{ messageId: id, shopperId: shopper_id, code: capitals(code) }],
  )
  if (wanted.length === 0) return new Map()
  const named = await sql.couponsNamed(store, wanted)
  const ids = [...new Set(named.map(({ coupon_id }) => coupon_id))]
  const coupons = new Map((await sql.couponsById(store, ids)).map((row) => [row.id, row]))
  return new Map(
    named.map(({ message_id, coupon_id, used_before }) => {
      const coupon = coupons.get(coupon_id)!
      return [message_id, { code: coupon.code, state: stateOf(coupon), usedBefore: used_before }]
    }),
  )
}

interface Row extends sql.MessageCouponRow {
  /** null: there is no such coupon. */
  coupon: Known | null
}

interface Known extends sql.CouponColumns {
  state: CouponState
}

/** A coupon may be long: what many messages carry is read once. */
async function readCoupons(store: StoreDb, wanted: Parameters<typeof sql.couponsOf>[1]): Promise<Row[]> {
  const ids = [...new Set(wanted.map(({ couponId }) => couponId))]
  const coupons = new Map((await sql.couponsById(store, ids)).map((row) => [row.id, { ...row, state: stateOf(row) }]))
  const rows = await sql.couponsOf(store, wanted)
  return rows.map((row) => ({ ...row, coupon: coupons.get(row.coupon_id) ?? null }))
}

/** The coupon a message left with, as its code stands now; null: it is gone, used or expired. */
export async function couponOfCode(
  store: StoreDb,
  message: { id: string; shopper_id: string; coupon_id: string; at: Date },
): Promise<CouponState | null> {
  const wanted = { messageId: message.id, couponId: message.coupon_id, shopperId: message.shopper_id }
  const [row] = await readCoupons(store, [wanted])
  if (!row) return null
  const { state, isPersonal, personal } = couponOf(row)
  if (!isPersonal || !state) return state
  if (personal?.stage !== 'made' || personal.isUsed || personal.expiresAt <= message.at) return null
  return asMade(state, personal)
}

/** A capped percentage stands in the store as the amount it comes to (decision 33). */
export function asMade(state: CouponState, { amountMinor }: Pick<PersonalCode, 'amountMinor'>): CouponState {
  return amountMinor === null ? state : { ...state, type: 'fixed', percent: null, amountMinor }
}

function couponOf({ coupon, code, is_of_terms, is_of_goods, used_before, last_used_at }: Row): MessageCoupon {
  return {
    state: coupon?.state ?? null,
    isPersonal: coupon?.kind === 'personal',
    wording: coupon?.wording ?? '',
    code: coupon?.code ?? '',
    validHours: coupon?.valid_hours ?? 0,
    maxDiscountMinor: coupon?.max_discount_minor ?? null,
    isOfCart: coupon !== null && (coupon.max_discount_minor !== null || coupon.is_tied_to_email),
    personal: code && {
      code: code.code,
      stage: code.state,
      isOfTerms: is_of_terms === true,
      isOfGoods: is_of_goods === true,
      amountMinor: code.amount_minor,
      cartVersion: code.cart_version,
      expiresAt: new Date(code.expires_at),
      refusal: code.refusal,
      nextTryAt: new Date(code.next_try_at),
      isUsed: code.used_at !== null,
    },
    usedBefore: used_before,
    lastUsedAt: last_used_at,
  }
}

function stateOf(row: sql.CouponColumns): CouponState {
  return {
    type: row.type,
    platformType: row.platform_type,
    percent: row.percent,
    amountMinor: row.amount_minor,
    currency: row.currency,
    minSpendMinor: row.min_spend_minor,
    maxSpendMinor: row.max_spend_minor,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    usageLimit: row.usage_limit,
    usageCount: row.usage_count,
    isActive: row.is_active,
    goneAt: row.gone_at,
    terms: row.terms,
  }
}

export { couponsThere, isPersonal, standingOf, type ToRead } from './message-sql.ts'

/** The copy follows what the store answered about the coupons and codes that were asked for. */
export async function keepStanding(
  deps: Deps,
  store: StoreDb,
  asked: readonly sql.ToRead[],
  { found, ...of }: { found: readonly PlatformCoupon[]; accountId: string; currency: string; at: Date },
): Promise<void> {
  const byId = new Map(found.map((coupon) => [coupon.couponId, coupon]))
  const shared = asked.filter((each) => each.coupon_id !== null)
  const rows = shared.flatMap(({ platform_id }) => byId.get(platform_id) ?? [])
  if (rows.length > 0) await keepPage(deps, store, { rows, skipped: [] }, of)
  const gone = shared.flatMap(({ coupon_id, platform_id }) => (byId.has(platform_id) ? [] : [coupon_id!]))
  if (gone.length > 0) await sql.markGone(store, gone, of.at)
  const codes = asked.flatMap(({ message_id, platform_id }) =>
    message_id === null
      ? []
      : [{ messageId: message_id, platformId: platform_id, inStore: standing(byId.get(platform_id)) }],
  )
  if (codes.length > 0) await sql.keepCodes(store, codes, of.at)
}

function standing(coupon: PlatformCoupon | undefined): sql.ReadCode['inStore'] {
  if (!coupon) return null
  const { expiresAt, usageCount, usageLimit } = coupon
  return { expiresAt, isUsed: usageLimit !== null && usageCount >= usageLimit }
}

/** A code that was made between a message's decision and its hold found nothing to wake. */
export async function wakeIfMade(
  store: StoreDb<Db>,
  pending: readonly { messageId: string; couponId: string }[],
  now: Date,
): Promise<void> {
  if (pending.length === 0) return
  await transact(store, async (tx) => {
    const made = await sql.withCode(tx, pending)
    if (made.length === 0) return
    await wakeMessages(tx, made, ['coupon_pending'], now)
    await scheduleNextLook(tx)
  })
}
