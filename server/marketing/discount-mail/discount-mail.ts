import type { z } from 'zod'
import { toCapitals } from '../../../shared/carts/coupons.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import type { MessagePreview, SendReply, TestReply } from '../../../shared/delivery/reminders.ts'
import {
  discountTexts,
  type previewDiscount,
  READY_DISCOUNT,
  type sendDiscountOffer,
  type sendDiscountOffers,
} from '../../../shared/marketing/discount-mail.ts'
import { isOnStoreHost, isOnStoreOrigin, readStore } from '../../access/stores/public.ts'
import { type CouponState, findCouponProblem, removeRestrictions } from '../../carts/coupons/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/public.ts'
import * as preview from '../../delivery/preview/preview.ts'
import type { Deps } from '../../deps.ts'
import {
  findReplayedJob,
  findReplayedSend,
  type IdempotentRequest,
  sendOfferTest,
  sendToPerson,
  startPeopleJob,
  type Tester,
} from '../manual-sends/public.ts'
import { resolveRecipients } from './recipients.ts'

// A coupon by email to chosen customers (decision 39). Reasons that block all of them reject the request; others fail
// single items.

export async function sendOffers(
  deps: Deps,
  { store, account }: { store: StoreDb<Db>; account: AccountDb },
  request: IdempotentRequest,
  { subject, body, design, ...input }: z.output<typeof sendDiscountOffers.body>,
): Promise<{ jobId: string }> {
  const first = await findReplayedJob(deps, store, request)
  if (first) return first.reply
  await assertUsableCoupon(deps, await readCoupon(store, input.couponId))
  const cartUrl = await validateCartUrl(store, input.cartUrl)
  const shopperIds = await resolveRecipients({ deps, store, account }, input)
  if (shopperIds.length === 0) throw buildFieldError('customers', discountTexts.noCustomers)
  return startPeopleJob(deps, store, request, {
    couponId: input.couponId,
    cartUrl,
    subject,
    body,
    design,
    shopperIds,
  })
}

/** B 7: one customer, with code, amount and type as given by the caller. */
export async function sendOffer(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  input: z.output<typeof sendDiscountOffer.body>,
): Promise<SendReply> {
  const first = await findReplayedSend(deps, store, request)
  if (first) return first.reply
  const email = normalizeEmail(input.to)
  if (!email) throw buildFieldError('to', discountTexts.notACustomer)
  const coupon = await findCouponByCode(store, input.discountCode)
  assertSameOffer(coupon, input)
  await assertUsableCoupon(deps, coupon)
  return sendToPerson(deps, store, request, { couponId: coupon!.id, cartUrl: null, email })
}

type OfferInput = z.output<typeof previewDiscount.body>

export async function previewOffer(
  context: preview.PreviewContext,
  input: OfferInput,
): Promise<z.infer<typeof MessagePreview>> {
  return preview.previewOffer(context, await buildOffer(context.store, input))
}

export async function testOffer(tester: Tester, input: OfferInput): Promise<z.infer<typeof TestReply>> {
  return sendOfferTest(tester, await buildOffer(tester.store, input))
}

async function buildOffer(
  store: StoreDb,
  { customer, couponId, cartUrl, subject, body, design }: OfferInput,
): Promise<preview.OfferRequest> {
  if (couponId) requireFound(await readCoupon(store, couponId), 'Coupon')
  const texts = { subject: subject ?? READY_DISCOUNT.subject, body: body ?? READY_DISCOUNT.body, design }
  return { shopperId: customer, couponId: couponId ?? null, cartUrl: await validateCartUrl(store, cartUrl), ...texts }
}

/** Whether the coupon is valid at all, for any cart and person. */
async function assertUsableCoupon(deps: Pick<Deps, 'now'>, coupon: CouponRow | undefined): Promise<void> {
  const known = requireFound(coupon, 'Coupon')
  const anybody = { cart: null, email: null, usedBefore: 0, goodForMs: 0 }
  const problem = findCouponProblem(removeRestrictions(known), { now: deps.now(), ...anybody })
  if (problem) throw buildFieldError('couponId', problemTexts[problem] ?? OTHER_PROBLEM)
}

const OTHER_PROBLEM = 'This coupon cannot be used at the moment. Choose another one.'
const problemTexts: Partial<Record<string, string>> = {
  gone: 'This coupon no longer exists in your store. Choose another one.',
  inactive: 'This coupon is not active. Activate it, or choose another one.',
  not_started: 'This coupon is not valid yet. Choose another one, or wait for its start.',
  expired: 'This coupon has expired. Choose another one.',
  used_up: 'This coupon has been used as often as its limit allows. Choose another one.',
}

function assertSameOffer(
  coupon: CouponRow | undefined,
  { discountAmount, discountType }: Pick<z.output<typeof sendDiscountOffer.body>, 'discountAmount' | 'discountType'>,
): asserts coupon {
  if (!coupon) throw buildFieldError('discountCode', discountTexts.unknownCode)
  if (coupon.kind === 'personal') throw buildFieldError('discountCode', discountTexts.personalCode)
  if (coupon.type !== discountType) throw buildFieldError('discountType', discountTexts.otherType)
  const isSame =
    coupon.percent === null
      ? coupon.amountMinor === toMinor(discountAmount, coupon.currency)
      : coupon.percent === Math.round(discountAmount * 100)
  if (!isSame) throw buildFieldError('discountAmount', discountTexts.otherAmount)
}

const toMinor = (amount: number, currency: string) => Math.round(amount * 10 ** getCurrencyExponent(currency))

/** X1: our links lead only to the shop. null: no address was given. */
async function validateCartUrl(store: StoreDb, cartUrl: string | undefined): Promise<string | null> {
  if (cartUrl === undefined) return null
  const row = requireFound(await readStore(store), 'Store')
  if (!isOnStoreHost(cartUrl, row) || hasCredentials(cartUrl))
    throw buildFieldError('cartUrl', discountTexts.foreignCartUrl)
  if (!isOnStoreOrigin(cartUrl, row)) throw buildFieldError('cartUrl', discountTexts.openCartUrl)
  return cartUrl
}

function hasCredentials(address: string): boolean {
  const { username, password } = new URL(address)
  return username !== '' || password !== ''
}

const buildFieldError = (field: string, message: string) =>
  new AppError('unprocessable', message, { fields: { [field]: message } })

// SQL for discount mail.

const COUPON = sql`id, kind, code, type, platform_type as "platformType", percent, amount_minor as "amountMinor", currency,
  min_spend_minor as "minSpendMinor", max_spend_minor as "maxSpendMinor", starts_at as "startsAt", ends_at as "endsAt",
  usage_limit as "usageLimit", usage_count as "usageCount", is_active as "isActive", terms, gone_at as "goneAt"`

interface CouponRow extends CouponState {
  id: string
  kind: 'shared' | 'personal'
  code: string
}

async function readCoupon({ db, storeId }: StoreDb, id: string): Promise<CouponRow | undefined> {
  const { rows } = await sql<CouponRow>`
    select ${COUPON} from coupons where store_id = ${storeId} and id = ${id}`.execute(db)
  return rows[0]
}

/**
 * Codes are compared ignoring case (decision 31). For a personal coupon, the prefix of its codes is compared. If a
 * store holds a code twice, its checkout accepts the published one.
 */
export async function findCouponByCode({ db, storeId }: StoreDb, code: string): Promise<CouponRow | undefined> {
  const { rows } = await sql<CouponRow>`
    select ${COUPON} from coupons where store_id = ${storeId} and code collate "C" = ${toCapitals(code)} and gone_at is null
    order by kind desc, (is_active and coalesce((terms ->> 'isPublished')::boolean, true)) desc, id limit 1`.execute(db)
  return rows[0]
}
