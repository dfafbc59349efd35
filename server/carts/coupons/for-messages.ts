import { toCapitals } from '../../../shared/carts/coupons.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun, wakeMessages } from '../../messages/messages/public.ts'
import type { PlatformCoupon } from '../../platforms/platform/public.ts'
import { saveCouponPage } from './copy.ts'
import * as sql from './message-sql.ts'
import type { CouponState, GuardRails } from './validity.ts'

// Reads the coupons of messages from our copy, and updates it from the store.

/** The coupon settings of a flow step or a manual send. */
export interface CouponSettings extends GuardRails {
  id: string
  /** What happens to the message if the coupon is invalid or withheld. */
  fallback: 'without' | 'skip'
}

export interface MessageCoupon {
  /** null: the coupon no longer exists. */
  state: CouponState | null
  /** Each message gets its own code. */
  isPersonal: boolean
  /** The coupon data shown in a message. */
  wording: string
  /** For a personal coupon the prefix of its codes. */
  code: string
  validHours: number
  maxDiscountMinor: number | null
  /** A personal code for one cart: its amount is capped, or it is tied to the address. */
  isOfCart: boolean
  /** The message's personal code; null: none yet. */
  personal: PersonalCode | null
  /** Orders of the recipient with its code. */
  usedBefore: number
  /** Time of the recipient's last use of one of our coupons. */
  lastUsedAt: Date | null
}

export interface PersonalCode {
  code: string
  /** State in the store. */
  stage: 'wanted' | 'made' | 'failed' | 'deleted'
  /** Whether it was created with the coupon's current terms. */
  isOfTerms: boolean
  /** Whether its amount was computed for the items still available. */
  isOfGoods: boolean
  /** Amount of a capped percentage for the cart. */
  amountMinor: number | null
  cartVersion: number | null
  expiresAt: Date
  /** The store's reason. */
  refusal: string | null
  nextTryAt: Date
  isUsed: boolean
}

/** By message id. Runs no query if no message has a coupon. */
export async function loadMessageCoupons(
  tx: StoreTx,
  rows: readonly { id: string; shopper_id: string; coupon: CouponSettings | null }[],
): Promise<Map<string, MessageCoupon>> {
  const targets = rows.flatMap(({ id, shopper_id, coupon }) =>
    coupon ? [{ messageId: id, couponId: coupon.id, shopperId: shopper_id }] : [],
  )
  if (targets.length === 0) return new Map()
  return new Map((await readCoupons(tx, targets)).map((row) => [row.message_id, toMessageCoupon(row)]))
}

/** A coupon entered by the shopper, from our copy. */
export interface EnteredCoupon {
  code: string
  state: CouponState
  /** Orders of the shopper with its code. */
  usedBefore: number
}

/** By message or cart id: the first entered code, which is the one restored. Runs no query if there is none. */
export async function loadEnteredCoupons(
  store: StoreDb,
  rows: readonly { id: string; shopper_id: string; entered_codes: readonly string[] }[],
): Promise<Map<string, EnteredCoupon>> {
  const targets = rows.flatMap(({ id, shopper_id, entered_codes: [code] }) =>
    code === undefined ? [] : [{ messageId: id, shopperId: shopper_id, code: toCapitals(code) }],
  )
  if (targets.length === 0) return new Map()
  const named = await sql.selectCouponsByCode(store, targets)
  const ids = [...new Set(named.map(({ coupon_id }) => coupon_id))]
  const coupons = new Map((await sql.selectCouponsById(store, ids)).map((row) => [row.id, row]))
  return new Map(
    named.map(({ message_id, coupon_id, used_before }) => {
      const coupon = coupons.get(coupon_id)!
      return [message_id, { code: coupon.code, state: toCouponState(coupon), usedBefore: used_before }]
    }),
  )
}

interface LoadedRow extends sql.MessageCouponRow {
  /** null: no such coupon. */
  coupon: LoadedCoupon | null
}

interface LoadedCoupon extends sql.CouponColumns {
  state: CouponState
}

/** Coupons can be large, so each is read once for all messages. */
async function readCoupons(
  store: StoreDb,
  targets: Parameters<typeof sql.selectMessageCoupons>[1],
): Promise<LoadedRow[]> {
  const ids = [...new Set(targets.map(({ couponId }) => couponId))]
  const coupons = new Map(
    (await sql.selectCouponsById(store, ids)).map((row) => [row.id, { ...row, state: toCouponState(row) }]),
  )
  const rows = await sql.selectMessageCoupons(store, targets)
  return rows.map((row) => ({ ...row, coupon: coupons.get(row.coupon_id) ?? null }))
}

/** The coupon of a sent message, in its current state; null if it is gone, used or expired. */
export async function loadSentCoupon(
  store: StoreDb,
  message: { id: string; shopper_id: string; coupon_id: string; at: Date },
): Promise<CouponState | null> {
  const targets = { messageId: message.id, couponId: message.coupon_id, shopperId: message.shopper_id }
  const [row] = await readCoupons(store, [targets])
  if (!row) return null
  const { state, isPersonal, personal } = toMessageCoupon(row)
  if (!isPersonal || !state) return state
  if (personal?.stage !== 'made' || personal.isUsed || personal.expiresAt <= message.at) return null
  return applyComputedAmount(state, personal)
}

/** In the store, a capped percentage is the fixed amount computed for the cart (decision 33). */
export function applyComputedAmount(
  state: CouponState,
  { amountMinor }: Pick<PersonalCode, 'amountMinor'>,
): CouponState {
  return amountMinor === null ? state : { ...state, type: 'fixed', percent: null, amountMinor }
}

function toMessageCoupon({
  coupon,
  code,
  is_of_terms,
  is_of_goods,
  used_before,
  last_used_at,
}: LoadedRow): MessageCoupon {
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

function toCouponState(row: sql.CouponColumns): CouponState {
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

/** Updates our copy with the store's answer about these coupons and codes. */
export async function saveStoreState(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb,
  coupons: readonly sql.StoredCoupon[],
  { found, ...of }: { found: readonly PlatformCoupon[]; accountId: string; currency: string; at: Date },
): Promise<void> {
  const byId = new Map(found.map((coupon) => [coupon.couponId, coupon]))
  const shared = coupons.filter((each) => each.coupon_id !== null)
  const rows = shared.flatMap(({ platform_id }) => byId.get(platform_id) ?? [])
  if (rows.length > 0) await saveCouponPage(deps, store, { rows, skipped: [] }, of)
  const missing = shared.flatMap(({ coupon_id, platform_id }) => (byId.has(platform_id) ? [] : [coupon_id!]))
  if (missing.length > 0) await sql.markMissing(store, missing, of.at)
  const codes = coupons.flatMap(({ message_id, platform_id }) =>
    message_id === null
      ? []
      : [{ messageId: message_id, platformId: platform_id, inStore: readCodeState(byId.get(platform_id)) }],
  )
  if (codes.length > 0) await sql.updateCodes(store, codes, of.at)
}

function readCodeState(coupon: PlatformCoupon | undefined): sql.CodeState['inStore'] {
  if (!coupon) return null
  const { expiresAt, usageCount, usageLimit } = coupon
  return { expiresAt, isUsed: usageLimit !== null && usageCount >= usageLimit }
}

/** A code created between a message's decision and its hold found no message to wake, so this checks again. */
export async function wakeIfCreated(
  store: StoreDb<Db>,
  pending: readonly { messageId: string; couponId: string }[],
  now: Date,
): Promise<void> {
  if (pending.length === 0) return
  await transact(store, async (tx) => {
    const created = await sql.selectWithCode(tx, pending)
    if (created.length === 0) return
    await wakeMessages(tx, created, ['coupon_pending'], now)
    await scheduleNextRun(tx)
  })
}
