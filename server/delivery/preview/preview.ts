import { isDeepStrictEqual } from 'node:util'
import { type CountryCode, getExampleNumber, isSupportedCountry } from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import type { CartItem } from '../../../shared/carts/carts.ts'
import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { getCurrencyExponent, parseMinor } from '../../../shared/core/money.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { MessagePreview } from '../../../shared/delivery/reminders.ts'
import { NO_CART, SAMPLE_CART, type SendChannel } from '../../../shared/delivery/reminders.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import type { BrandFields } from '../../../shared/messages/brand.ts'
import { readStore } from '../../access/stores/public.ts'
import type { CouponSettings } from '../../carts/coupons/public.ts'
import { type ConditionFinding, explainMismatch, type FlowMismatch } from '../../carts/flow-choice/public.ts'
import { AppError, createId, createSemaphore, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, snapshot, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type ContentChange,
  openDesign,
  READY_EMAIL,
  READY_TEXTS,
  resolveContent,
  TemplateError,
} from '../../messages/templates/public.ts'
import type { ComposedMail } from '../compose/public.ts'
import * as load from '../decide/public.ts'
import {
  type AnyComposed,
  type ClaimedRow,
  compose,
  type DecisionContext,
  dryRun,
  findCoupon,
  isPush,
  isText,
  selectCoupon,
  type Texts,
} from '../decide/public.ts'
import { loadTextChannels } from '../send/public.ts'

// Previews a message for a real cart or the sample cart, with the code that sends. Nothing is stored, and the links
// open nothing.

/** Concurrent previews per process: each uses a database connection and time of the main thread. */
const previewSemaphore = createSemaphore(2)

/** The context of a preview request; `signal` aborts when the client disconnects. */
export interface PreviewContext {
  deps: Deps
  store: StoreDb<Db>
  signal: AbortSignal
}

interface StepRequest extends ContentChange, StepName {
  cartId: string
  variantId?: string | undefined
  channel?: SendChannel | 'push' | undefined
  /** undefined: as stored. */
  coupon?: StepCoupon | null | undefined
  conditions?: FlowConditions | null | undefined
  /** The flow's conditions; undefined: as stored. */
  entry?: FlowConditions | null | undefined
}

/** Statuses in which no flow sends about the cart any more. */
const OVER = ['purchased', 'emptied', 'lost', 'merged']

/** Previews a message of a flow and reports whether the flow matches the cart. */
export async function previewStep(context: PreviewContext, request: StepRequest) {
  const previewed = await previewTexts(context, request)
  if (previewed.decision === null || OVER.includes(previewed.decision.reason)) return previewed
  const { deps, store } = context
  const asking = { secrets: deps.secrets, now: deps.now() }
  const mismatch = await snapshot(store, (tx) => explainMismatch(tx, asking, request))
  return mismatch ? { ...previewed, decision: buildMismatchDecision(mismatch) } : previewed
}

/** Previews an unsaved step by its channel and text, like any other message. */
async function previewTexts(context: PreviewContext, request: StepRequest) {
  if (request.stepId !== undefined || request.step !== undefined) return previewStored(context, request)
  const { channel, body, design } = request
  if (!channel || (body === undefined && !design)) {
    throw new AppError('unprocessable', 'A step that is not saved is shown with a channel and a text.')
  }
  return previewMessage(context, { ...request, channel })
}

async function previewStored({ deps, store, signal }: PreviewContext, request: StepRequest) {
  // WhatsApp has no text by the owner, so the built-in one is shown.
  const content = { ...request, body: request.channel === 'whatsapp' ? READY_TEXTS.whatsapp : request.body }
  return previewSemaphore(async () => {
    const texts = await loadTextChannels(deps, store, ['sms', 'whatsapp'])
    const stepId = requireFound(await idOfStep(store, request), 'Cart or step')
    if (request.cartId === SAMPLE_CART) {
      const template = async (tx: StoreTx) => {
        const stored = await templateOfStep(tx, { ...request, stepId })
        return stored && (await withCoupon(tx, stored, request.coupon))
      }
      return presentSample(await imagineSample(deps, store, texts, { ...content, template }), 'Step')
    }
    const read = async (tx: StoreTx, base: { now: Date; capSince: Date }) => {
      const row = await load.loadPreview(tx, { ...request, stepId, id: createId(), ...base })
      if (!row) return []
      const chosen = await load.withVariants(tx, [{ ...row, variant_id: request.variantId ?? null }])
      const [known] = await load.loadDesigns(tx, chosen)
      const stored = request.conditions === undefined ? known! : { ...known!, conditions: request.conditions }
      return [await withCoupon(tx, replaceText(stored, content), request.coupon)]
    }
    return presentPreview(await dryRun(deps, store, texts, read), 'Cart or step')
  }, signal)
}

/** Replaces the step's coupon, as if it had been saved. */
async function withCoupon<Row extends { coupon: CouponSettings | null }>(
  tx: StoreTx,
  row: Row,
  coupon: StepCoupon | null | undefined,
): Promise<Row> {
  if (coupon === undefined) return row
  return { ...row, coupon: coupon && toCouponSettings(coupon, requireFound(await readStore(tx), 'Store').currency) }
}

const toCouponSettings = (
  { couponId, fallback, firstOrderOnly, pauseDays, aboveAmount }: StepCoupon,
  currency: string,
) => ({
  id: couponId,
  fallback,
  isFirstOrderOnly: firstOrderOnly,
  pauseDays,
  aboveMinor: aboveAmount === null ? null : parseMinor(aboveAmount, currency),
})

export interface MessageRequest extends ContentChange {
  cartId: string
  channel: SendChannel | 'push'
  templateId?: string | undefined
  coupon?: StepCoupon | null | undefined
  /** Conditions of an unsaved step. */
  conditions?: FlowConditions | null | undefined
}

export async function previewMessage({ deps, store, signal }: PreviewContext, request: MessageRequest) {
  return previewSemaphore(async () => {
    const texts = await loadTextChannels(deps, store, [request.channel])
    const isWithoutCart = request.cartId === NO_CART
    if (request.cartId !== SAMPLE_CART && !isWithoutCart) {
      return presentPreview(await loadManualPreview(deps, store, texts, request), 'Cart')
    }
    return presentSample(await loadSampleMessage(deps, store, texts, { ...request, isWithoutCart }), 'Store')
  }, signal)
}

/** The message about the sample cart, or without a cart. */
export function loadSampleMessage(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  texts: Texts,
  request: Omit<MessageRequest, 'cartId'> & { isWithoutCart?: boolean },
) {
  const template = async (tx: StoreTx) => {
    const templateId = await findTemplate(tx, request)
    const row = await manualTemplate(tx, { templateId, channel: request.channel })
    return row && (await withCoupon(tx, row, request.coupon))
  }
  return imagineSample(deps, store, texts, { ...request, template })
}

export interface OfferRequest extends ContentChange, load.SampleOffer {
  shopperId: string
  couponId: string | null
  cartUrl: string | null
}

/** Previews a discount mail to a shopper, about their newest cart or without one. */
export function previewOffer({ deps, store, signal }: PreviewContext, request: OfferRequest) {
  return previewSemaphore(async () => presentPreview(await imagineOffer(deps, store, request), 'Customer'), signal)
}

export function imagineOffer(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  { shopperId, couponId, cartUrl, ...texts }: OfferRequest,
) {
  const read = async (tx: StoreTx, base: { now: Date; capSince: Date }) => {
    const offer = { couponId, cartUrl }
    const about = { offer, shopperIds: [shopperId], channel: 'email' as const, templateId: null }
    const rows = await load.loadImaginedFor(tx, { ...about, ...base })
    return rows.map((row) => ({
      ...replaceText(row, texts),
      manual: row.manual && { ...row.manual, cartUrl },
      coupon: couponId === null ? null : buildCouponSettings(couponId),
    }))
  }
  return dryRun(deps, store, new Map(), read)
}

/** The coupon of a manual send; without it the message is skipped. */
const buildCouponSettings = (id: string) => ({
  id,
  fallback: 'skip' as const,
  isFirstOrderOnly: false,
  pauseDays: null,
  aboveMinor: null,
})

/** Previews the store's first mail for the sample cart in a new design. */
export function previewDesign({ deps, store, signal }: PreviewContext, look: BrandFields) {
  return previewSemaphore(async () => {
    const channel = 'email'
    const template = async (tx: StoreTx) =>
      manualTemplate(tx, { templateId: await findTemplate(tx, { channel }), channel })
    return presentSample(await imagineSample(deps, store, new Map(), { channel, template, look }), 'Store')
  }, signal)
}

interface SampleRequest extends ContentChange {
  channel?: SendChannel | 'push' | undefined
  template: (tx: StoreTx) => Promise<SampleTemplate | undefined>
  /** The store's mail design; undefined: as saved. */
  look?: BrandFields | undefined
  isWithoutCart?: boolean
}

const removeCart = (row: load.ClaimedRow): load.ClaimedRow => ({
  ...row,
  cart_id: null,
  cart_status: null,
  items: [],
  value_minor: 0,
  currency: null,
})

/** Loads the context for the sample cart. There is no decision, because the cart does not exist. */
function imagineSample(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  texts: Texts,
  request: SampleRequest,
) {
  const { publicUrl } = deps.config
  const read = async (tx: StoreTx, { now }: { now: Date }) => {
    const template = await request.template(tx)
    const channel = request.channel ?? template?.channel
    const row = template && channel ? await sampleRow(tx, { ...template, channel }, { now, publicUrl }) : null
    return row ? [replaceText(request.isWithoutCart ? removeCart(row) : row, request)] : []
  }
  return dryRun(deps, store, texts, read, { isRendered: false, look: request.look })
}

/** The manual message that this request would create, with its decision. */
export function loadManualPreview(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  texts: Texts,
  request: MessageRequest,
) {
  return dryRun(deps, store, texts, async (tx, base) => {
    const templateId = await findTemplate(tx, request)
    const about = { cartIds: [request.cartId], channel: request.channel, templateId }
    const rows = await load.loadDesigns(tx, await load.loadImagined(tx, { ...about, ...base }))
    const { conditions = null } = request
    return Promise.all(rows.map((row) => withCoupon(tx, { ...replaceText(row, request), conditions }, request.coupon)))
  })
}

/** The default template of a manual mail; texts use built-in ones. */
export async function findTemplate(
  tx: StoreDb,
  { channel, templateId }: Pick<MessageRequest, 'channel' | 'templateId'>,
  key = 'first_reminder',
): Promise<string | null> {
  if (templateId) {
    if (!(await load.hasTemplate(tx, templateId))) throw new AppError('not_found', 'Template not found')
    return templateId
  }
  return channel === 'email' ? ((await load.findTemplateByKey(tx, key))?.id ?? null) : null
}

/** Unsaved text must not stay in the cache of compiled templates under a real version. */
export function replaceText<Row extends load.ClaimedRow>(row: Row, change: ContentChange): Row {
  if (row.channel === 'email') return replaceMail(row, change)
  const { subject, body } = change
  const isStored = subject === undefined && body === undefined && row.template_body !== null
  return {
    ...row,
    template_version: isStored ? row.template_version : 0,
    template_subject: subject ?? row.template_subject,
    template_body: body ?? row.template_body,
  }
}

function replaceMail<Row extends load.ClaimedRow>(row: Row, change: ContentChange): Row {
  const { template_subject, template_body, template_design = null } = row
  const subject = template_subject ?? READY_EMAIL.subject
  const stored = { subject, body: template_body ?? READY_EMAIL.body, design: template_design }
  const content = resolveContent(change, stored)
  const isStored = template_body !== null && isDeepStrictEqual(content, stored)
  return {
    ...row,
    template_version: isStored ? row.template_version : 0,
    template_subject: content.subject,
    template_body: content.body,
    template_design: content.design,
  }
}

export type SampleMessage = Awaited<ReturnType<typeof dryRun<load.ClaimedRow>>>

async function presentPreview({ context, rows }: SampleMessage, what: string) {
  const { row, decision, composed, problem, condition } = requireFound(rows[0], what)
  const { leftOut, ...message } = composed
    ? { ...presentComposed(composed), problem }
    : await renderPreview(context, row, { problem })
  return {
    ...message,
    words: describePreview(row),
    couponNote: explainCoupon(context, row),
    couponWarning: explainCouponWarning(context, row, { ...message, leftOut }),
    decision: {
      outcome: decision.outcome === 'cancel' ? ('skip' as const) : decision.outcome,
      reason: decision.reason,
      explanation: explain(decision.reason, row.channel),
      until: decision.outcome === 'hold' ? decision.until.toISOString() : null,
      unmet:
        decision.reason === 'condition' && condition
          ? describeUnmet('step', { ...condition, finding: condition })
          : null,
    },
  }
}

async function presentSample({ context, rows }: SampleMessage, what: string) {
  const { row } = requireFound(rows[0], what)
  const { leftOut, ...message } = await renderPreview(context, row, { isSample: true })
  return {
    ...message,
    words: describePreview(row),
    couponNote: explainCoupon(context, row),
    couponWarning: explainCouponWarning(context, row, { ...message, leftOut }),
    decision: null,
  }
}

type LeftOut = ComposedMail['leftOut'] | null

/** Warns if the message does not show its coupon completely. */
function explainCouponWarning(
  context: DecisionContext,
  row: load.ClaimedRow,
  { subject, text, leftOut }: { subject: string; text: string; leftOut: LeftOut },
): string | null {
  const coupon = row.manual && findCoupon(context, row)
  const isUnnamed = coupon?.outcome === 'included' && text !== '' && !`${subject} ${text}`.includes(coupon.code)
  const unnamed = row.currency === null ? UNKNOWN_CODE : UNNAMED_CODE
  return [isUnnamed && unnamed, leftOut && describeRemoved(leftOut)].filter(Boolean).join(' ') || null
}

const UNNAMED_CODE = 'The code is not in the text; the link applies it.'
const UNKNOWN_CODE =
  'The code is not in the text. This customer has no saved cart, so the link does not apply it either.'

function describeRemoved({ isSubject, paragraphs }: NonNullable<LeftOut>): string {
  return [
    isSubject && 'A coupon variable in the subject is empty here, so a default subject is used.',
    paragraphs.length > 0 &&
      `Omitted because its coupon variable is empty here: ${paragraphs.map((paragraph) => `“${paragraph}”`).join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Explains a missing coupon or an example code in the preview. */
export function explainCoupon(context: DecisionContext, row: load.ClaimedRow): string | null {
  const coupon = findCoupon(context, row)
  if (!coupon) return null
  if (coupon.outcome === 'included') {
    return coupon.isExample ? `${coupon.code} is an example. Each message gets a code of its own.` : null
  }
  const isSkipped = coupon.outcome === 'left_out' && coupon.isSkipped
  const which = coupon.code ? `the coupon ${coupon.code}` : 'its coupon'
  return `The message ${isSkipped ? 'is not sent' : 'is sent'} without ${which}. ${explain(coupon.reason)}`
}

function describePreview(row: load.ClaimedRow): MessagePreview['words'] {
  if (row.channel === 'whatsapp') return null
  const ready = row.channel === 'sms' ? READY_TEXTS.sms : ''
  const texts = { subject: row.template_subject ?? '', body: row.template_body ?? ready }
  if (row.channel !== 'email') return texts
  return { ...texts, design: openDesign({ ...texts, design: row.template_design ?? null }) }
}

/** Renders regardless of the decision, with placeholders for missing sender details. */
async function renderPreview(
  context: DecisionContext,
  row: load.ClaimedRow,
  { problem = null, isSample = false }: { problem?: string | null; isSample?: boolean },
) {
  const { situation } = context
  const sample = {
    ...context,
    situation: {
      ...situation,
      sender_name: situation.sender_name || '(sender name missing)',
      postal_address: situation.postal_address || '(postal address missing)',
    },
  }
  const nothing = { subject: '', html: '', text: '', segments: null, price: null, leftOut: null }
  if (problem) return { ...nothing, problem }
  try {
    return { ...presentComposed(await compose(sample, row, { isSample })), problem: null }
  } catch (error) {
    if (error instanceof TemplateError) return { ...nothing, problem: error.message }
    throw error
  }
}

function presentComposed(composed: AnyComposed) {
  if (isPush(composed)) {
    const { title, body, image = null } = composed.payload
    return { subject: title, html: '', text: body, segments: null, price: null, leftOut: null, picture: image }
  }
  if (!isText(composed)) {
    const { subject, html, text, leftOut } = composed
    return { subject, html, text, segments: null, price: null, leftOut }
  }
  const { text, segments, cost } = composed
  return { subject: '', html: '', text, segments, price: toPrice(cost), leftOut: null }
}

/** Converts millionths to the API's decimal string (decision 21). */
export const toPrice = ({ amountMicros, currency }: { amountMicros: number; currency: string }) => ({
  amount: amountMicros / 1_000_000,
  currency,
})

// Explains in a preview unmet conditions and carts that the flow does not match. Pure.

type Decision = NonNullable<MessagePreview['decision']>

const REASONS: Record<FlowMismatch['why'], (flow: string) => string> = {
  conditions: () => 'the cart does not meet its conditions.',
  other_flow: (flow) => `the cart belongs to “${flow}”.`,
  flow_above: (flow) => `“${flow}” is above this flow and handles it.`,
  left_before: () => 'it was abandoned before this flow was switched on.',
  left_untaken: () => 'no flow handled it when it was abandoned.',
}

function buildMismatchDecision(mismatch: FlowMismatch): Decision {
  const { why } = mismatch
  return {
    outcome: 'skip',
    reason: `not_taken:${why}`,
    until: null,
    explanation: `This flow does not handle this cart: ${REASONS[why]('flow' in mismatch ? mismatch.flow : '')}`,
    unmet: mismatch.why === 'conditions' ? describeUnmet('flow', mismatch) : null,
  }
}

/** Unmet conditions in the form of the decision record (decide/decision-inputs.ts). null: all hold. */
function describeUnmet(
  of: 'flow' | 'step',
  { finding, currency }: { finding: ConditionFinding; currency: string },
): Decision['unmet'] {
  if (finding.holds) return null
  return { of, conditionValues: finding.values, conditionsUnmet: { currency, conditions: finding.unmet } }
}

// The sample cart for previews, for stores that have no cart yet. It exists in memory only; no row and no link of it is
// stored.

const HOUR_MS = 3_600_000

/** A message about the sample cart; null: the store is gone. */
async function sampleRow(
  tx: StoreTx,
  template: SampleTemplate,
  { now, publicUrl }: { now: Date; publicUrl: string },
): Promise<ClaimedRow | null> {
  const store = await readBasis(tx)
  if (!store) return null
  const products = await sampleProducts(tx, store.currency)
  const items = products.length > 0 ? products.map(toCartItem) : neutralItems(store.currency, publicUrl)
  return {
    ...buildAnonymous(now),
    ...template,
    items,
    value_minor: items.reduce((sum, item) => sum + item.quantity * item.unitPriceMinor, 0),
    currency: store.currency,
    country: store.base_country,
    phone: phoneIn(store.base_country),
  }
}

const toCartItem = (product: SampleProduct): CartItem => ({
  productId: product.product_id,
  variationId: null,
  name: product.name,
  sku: product.sku,
  quantity: 1,
  unitPriceMinor: product.price_minor,
  imageUrl: product.image_url,
})

/** Items for a store without known products. The images are part of the app. */
function neutralItems(currency: string, publicUrl: string): CartItem[] {
  const item = (name: string, picture: string, cents: number): CartItem => ({
    productId: picture,
    variationId: null,
    sku: null,
    quantity: 1,
    name,
    unitPriceMinor: Math.max(cents, Math.round((cents / 100) * 10 ** getCurrencyExponent(currency))),
    imageUrl: `${publicUrl}/sample/${picture}.jpg`,
  })
  return [item('Stoneware mug', 'mug', 2_800), item('Storage jar', 'jar', 3_400)]
}

/** A fictional number of the country, to compute the price. */
function phoneIn(country: string | null): string | null {
  const known: CountryCode = country && isSupportedCountry(country) ? country : 'US'
  return getExampleNumber(known, examples)?.number ?? null
}

function buildAnonymous(now: Date) {
  return {
    id: createId(),
    cart_id: createId(),
    shopper_id: createId(),
    reason: null,
    attempts: 0,
    manual: null,
    campaign: null,
    due_at: now,
    expires_at: new Date(now.getTime() + HOUR_MS),
    flow_is_on: null,
    is_step_removed: false,
    is_superseded: false,
    step_id: null,
    conditions: null,
    is_split: false,
    variant_id: null,
    cart_version: 0,
    cart_status: 'abandoned' as const,
    abandon_at: null,
    pending_until: null,
    last_activity_at: now,
    email: 'sample@example.com',
    arm: null,
    is_under_way: false,
    is_member: false,
    first_name: 'Alex',
    language: null,
    locale: null,
    us_state: null,
    unconfirmed_email: null,
    unconfirmed_phone: null,
    matching_order: null,
    has_bought_before: false,
    coupon: null,
    entered_codes: [],
    cap_used: 0,
    cap_oldest: null,
    texts_sent: 0,
    text_last: null,
    subscription: null,
  }
}

// SQL for messages about the sample cart.

interface SampleBasis {
  currency: string
  base_country: string | null
}

async function readBasis({ db, storeId }: StoreDb): Promise<SampleBasis | undefined> {
  return db.selectFrom('stores').select(['currency', 'base_country']).where('id', '=', storeId).executeTakeFirst()
}

interface SampleProduct {
  product_id: string
  name: string
  sku: string | null
  price_minor: number
  image_url: string | null
}

/** Number of products to choose from, in key order. */
const LOOKED_AT = 200

/** Two available products in the store's currency, preferring those with an image that mail programs show. */
async function sampleProducts({ db, storeId }: StoreDb, currency: string): Promise<SampleProduct[]> {
  const rows = await sql<SampleProduct>`
    select product_id, name, sku, price_minor, image_url from (
      select distinct on (product_id) product_id, name, sku, price_minor, currency, image_url, is_available from products
      where store_id = ${storeId} order by product_id, variation_id limit ${LOOKED_AT}) p
    where is_available and price_minor > 0 and currency = ${currency}
    order by coalesce(lower(split_part(image_url, '?', 1)) similar to '%.(png|jpg|jpeg|gif)', false) desc, image_url is null, product_id
    limit 2`.execute(db)
  return rows.rows
}

type SampleTemplate = Pick<
  ClaimedRow,
  | 'step'
  | 'channel'
  | 'coupon'
  | 'template_id'
  | 'template_version'
  | 'template_subject'
  | 'template_body'
  | 'template_design'
>

/** Names a stored step by id or position. */
interface StepName {
  flowId: string
  stepId?: string | undefined
  step?: number | undefined
}

async function idOfStep({ db, storeId }: StoreDb, { flowId, stepId, step }: StepName): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from flow_steps where store_id = ${storeId} and flow_id = ${flowId} and removed_at is null
      and (id = ${stepId ?? null} or (${stepId ?? null}::uuid is null and step = ${step ?? null}))`.execute(db)
  return rows[0]?.id
}

async function templateOfStep(
  { db, storeId }: StoreDb,
  {
    flowId,
    stepId,
    channel,
    variantId,
  }: { flowId: string; stepId: string; channel?: string | undefined; variantId?: string | undefined },
): Promise<SampleTemplate | undefined> {
  const rows = await sql<SampleTemplate>`
    select fs.step, k.channel, t.id as template_id, t.version as template_version,
      t.subject as template_subject, t.body as template_body, t.design as template_design, case when fs.coupon_id is not null then ${selectCoupon('fs')} end as coupon
    from flow_steps fs
    cross join lateral (select coalesce(${channel ?? null}, fs.channel) as channel) k
    left join flow_words w on w.store_id = fs.store_id and w.step_id = fs.id and w.variant_id = coalesce(${variantId ?? null}, fs.id)
      and w.channel = k.channel
    join templates t on t.store_id = fs.store_id and t.id = coalesce(w.template_id, fs.template_id)
    where fs.store_id = ${storeId} and fs.flow_id = ${flowId} and fs.id = ${stepId}`.execute(db)
  return rows.rows[0]
}

/** The template of a manual message; texts and stores without templates have none. */
async function manualTemplate(
  { db, storeId }: StoreDb,
  { templateId, channel }: { templateId: string | null; channel: SampleTemplate['channel'] },
): Promise<SampleTemplate | undefined> {
  const rows = await sql<SampleTemplate>`
    select 1 as step, ${channel} as channel, t.id as template_id, t.version as template_version,
      t.subject as template_subject, t.body as template_body, t.design as template_design, null as coupon
    from (select ${templateId}::uuid as id) w left join templates t on t.store_id = ${storeId} and t.id = w.id`.execute(
    db,
  )
  return rows.rows[0]
}
