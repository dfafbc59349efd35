import type { BrandFields } from '../../../shared/messages/brand.ts'
import { findOldest } from '../../access/stores/public.ts'
import { formatMonth } from '../../billing/billing/public.ts'
import { toBrandKit } from '../../carts/brand/public.ts'
import { loadEnteredCoupons, loadMessageCoupons } from '../../carts/coupons/public.ts'
import { readConditionValues } from '../../carts/flow-choice/public.ts'
import { chooseLinkBase } from '../../carts/links/public.ts'
import { NONE_UNREAD } from '../../carts/sync/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, snapshot, sql, useGenericPlans } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isTextChannelName } from '../../messages/channels/public.ts'
import { stateAfterDecision } from '../../messages/messages/public.ts'
import { hasLegacyText, isBuiltInBody, TemplateError, toMailBrand } from '../../messages/templates/public.ts'
import { selectEvidence } from '../../shoppers/consent/public.ts'
import { readThrottles } from '../deliverability/public.ts'
import { getDomain } from '../email/public.ts'
import { type AnyComposed, buildTemplateSource, compose, isText } from './composing.ts'
import type { IncludedCoupon } from './coupon-finding.ts'
import { type Arm, type Decision, type DecisionInputs, decide, findCartProblem, isUsedUp } from './decide.ts'
import {
  computeMessagePrice,
  type DecisionContext,
  decisionInputs,
  type ForecastUsage,
  listOtherAddresses,
  type Texts,
  toDecisionRecord,
} from './decision-inputs.ts'
import { loadDesigns, loadShownProducts } from './designs.ts'
import * as load from './evaluate-sql.ts'
import { isChannelSpecific, pickDecision } from './fallback.ts'
import type { ReachDecision } from './reach-rules.ts'
import { loadSituation, type Situation } from './situation-sql.ts'
import { withVariants } from './variants.ts'

// Loads the inputs of many messages in one snapshot and decides about each of them.

export interface Ready {
  row: load.ClaimedRow
  decision: Extract<Decision, { outcome: 'send' }>
  inputs: Record<string, unknown>
  address: string
  addressHash: string
  /** Hashes of the shopper's other addresses whose suppressions count too. */
  otherHashes: readonly string[]
  composed: AnyComposed
  /** null: without a coupon. */
  coupon: IncludedCoupon | null
  /** No other text may have been sent by this channel for the cart (C6). */
  isOncePerCart: boolean
  /** A new account's limit of first mails in 24 hours; null: not a first mail, or no limit. */
  firstMailLimit: number | null
  /** Quiet hours (T2) for texts and notifications. */
  isQuietAt: (at: Date) => boolean
}

/** A row with its decision, which is made again once its message is composed. */
interface Draft {
  row: load.ClaimedRow
  addressHash: string
  inputs: DecisionInputs
  decision: Decision
  rendering: Rendering
}

const isNeeded = ({ rendering }: Draft): boolean => rendering.isNeeded
const isComposed = ({ rendering: { composed, problem, isUnusable } }: Draft): boolean =>
  composed !== null || problem !== null || isUnusable

export interface Evaluation {
  situation: Situation
  month: string
  capSince: Date
  /** Orders, stock and prices were read at this time or later; null: not read (D3). */
  checkedAt: Date | null
  decisions: DecisionRow[]
  ready: Ready[]
  arms: { shopperId: string; arm: Arm }[]
  /** Rows whose text cannot be rendered; they are closed. */
  unusable: load.ClaimedRow[]
}

/** Decides about claimed messages. Composes after the snapshot, so that rendering holds no database connection. */
export async function evaluate(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  { ids, ...read }: { ids: readonly string[]; texts: Texts } & Pick<DecisionContext, 'goods' | 'isChecked' | 'unread'>,
): Promise<Evaluation> {
  const { base, context, rows } = await snapshot(store, async (tx) => {
    await useGenericPlans(tx)
    const { month, ...situation } = await loadStoreSituation(deps, tx)
    const claimed = await load.loadClaimed(tx, ids, situation.now, situation.capSince)
    const rows = await loadDesigns(tx, await withVariants(tx, claimed))
    const context = await loadContext(deps, tx, { ...situation, ...read, isImagined: false }, rows)
    return { base: { month, ...situation }, context, rows }
  })
  const { situation, capSince, month } = base
  const results = { decisions: [], ready: [], arms: [], unusable: [] }
  const evaluation: Evaluation = { situation, month, capSince, checkedAt: getCheckTime(context), ...results }
  const messages = [
    ...Map.groupBy(
      rows.map((row) => makeDraft(context, row)),
      ({ row }) => row.id,
    ).values(),
  ]
  await composeDecided(messages, (tasks) => composeAll(deps, store, context, tasks))
  for (const drafts of messages) addResult(evaluation, context, drafts)
  return evaluation
}

/** Composes each message and decides again. If a channel then proves unusable, the next one is tried (decision 54). */
async function composeDecided(
  messages: readonly Draft[][],
  compose: (tasks: readonly Draft[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const tasks = messages.flatMap((drafts) => {
      const next = drafts.find(({ decision }) => !isChannelSpecific(decision))
      return next && isNeeded(next) && !isComposed(next) ? [next] : []
    })
    if (tasks.length === 0) return
    await compose(tasks)
    for (const draft of tasks) draft.decision = decide(draft.inputs)
    // Nothing could be composed, so another round would not help.
    if (!tasks.some(isComposed)) return
  }
}

/**
 * Decides about messages that do not exist, as of now. With `ahead` each message uses plan, budget and cap before the
 * next one is decided, and is added to `ahead`. `look` replaces the store's mail design.
 */
export async function dryRun<Row extends load.ClaimedRow>(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  texts: Texts,
  read: (tx: StoreTx, base: { now: Date; capSince: Date }) => Promise<Row[]>,
  {
    isRendered = true,
    ahead,
    look,
  }: { isRendered?: boolean; ahead?: ForecastUsage; look?: BrandFields | undefined } = {},
) {
  const { situation, context, rows } = await snapshot(store, async (tx) => {
    const base = withBrandLook(await loadStoreSituation(deps, tx), store, look)
    const rows = await read(tx, base)
    const context = await loadContext(
      deps,
      tx,
      { ...base, texts, goods: null, isChecked: true, unread: NONE_UNREAD, isImagined: true, ...(ahead && { ahead }) },
      rows,
    )
    return { situation: base.situation, context, rows }
  })
  const rendered = new Map<string, Rendering>()
  if (isRendered) {
    const tasks = rows.map((row) => makeDraft(context, row)).filter(isNeeded)
    await Promise.all(tasks.map((draft) => tryCompose(context, draft)))
    for (const { row, rendering } of tasks) rendered.set(row.id, rendering)
  }
  const evaluation = rows.map((row) => {
    const { decision, rendering, inputs } = makeDraft(context, row, rendered.get(row.id))
    const { composed, problemText } = rendering
    if (ahead && decision.outcome === 'send') reserve(context, ahead, { row, composed, plan: inputs.plan })
    return {
      row,
      decision,
      composed,
      problem: problemText,
      country: inputs.consent.country,
      condition: inputs.condition,
    }
  })
  return { context, situation, rows: evaluation }
}

/** Replaces the store's mail design by `look`. */
function withBrandLook<Base extends { situation: Situation }>(
  base: Base,
  { storeId }: StoreDb,
  look?: BrandFields,
): Base {
  const logo = base.situation.brand?.logo ?? null
  return look ? { ...base, situation: { ...base.situation, brand: { storeId, look, logo } } } : base
}

/** Returns for each cart why no email about it can be sent, ignoring what stops the whole store. Renders nothing. */
export async function evaluateReach(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  cartIds: readonly string[],
): Promise<ReachDecision[]> {
  const tasks = { cartIds, channel: 'email', templateId: null }
  const { context, rows } = await snapshot(store, async (tx) => {
    const base = await loadStoreSituation(deps, tx)
    const rows = await load.loadImagined(tx, { ...tasks, ...base })
    const nothing = { texts: new Map(), goods: null, isChecked: true, unread: NONE_UNREAD }
    const context = await loadContext(deps, tx, { ...base, ...nothing, isImagined: true }, rows)
    return { context, rows }
  })
  return rows.map((row) => {
    const inputs = buildInputs(context, row)
    const isRecovered = row.cart_status === 'recovered'
    return { cartId: row.cart_id, isRecovered, reason: findCartProblem(inputs), country: inputs.consent.country }
  })
}

export function reserve(
  context: DecisionContext,
  ahead: ForecastUsage,
  { row, composed, plan }: { row: load.ClaimedRow; composed: AnyComposed | null; plan: DecisionInputs['plan'] },
): void {
  const { shopper_id, channel } = row
  const cost = composed && isText(composed) ? composed.cost : null
  // A message paid with credits uses no plan message.
  if (isUsedUp(plan) && isTextChannelName(channel)) {
    ahead.creditMicros += computeMessagePrice(context, { channel, to: load.getAddress(row) ?? '', cost }) ?? 0
  } else ahead.count += 1
  if (cost) ahead.micros += cost.amountMicros
  ahead.ofShopper.set(shopper_id, (ahead.ofShopper.get(shopper_id) ?? 0) + 1)
}

export async function loadStoreSituation(deps: Pick<Deps, 'now'>, tx: StoreTx) {
  const now = deps.now()
  const month = formatMonth(now)
  const situation = await loadSituation(tx, month, now)
  if (!situation) throw new AppError('not_found', 'Store not found')
  const capMs = situation.cap_window_hours * 3_600_000
  return { now, month, situation, capMs, capSince: new Date(now.getTime() - capMs) }
}

/** The older of order check and stock reading. If the store itself was asked for stock, that was after the orders. */
function getCheckTime({ situation: { check_started }, goods }: DecisionContext): Date | null {
  const readAt = goods && 'terms' in goods ? goods.readAt : null
  return check_started && findOldest([check_started, readAt])
}

const WINDOW_MS = 24 * 3_600_000

export async function loadContext(
  deps: DecisionContext['deps'],
  tx: StoreTx,
  base: Pick<
    DecisionContext,
    'now' | 'situation' | 'capMs' | 'texts' | 'goods' | 'isChecked' | 'unread' | 'isImagined' | 'ahead'
  >,
  rows: readonly load.ClaimedRow[],
): Promise<DecisionContext> {
  const addresses = [...new Set(rows.flatMap((row) => [load.getAddress(row) ?? [], listOtherAddresses(row)].flat()))]
  const hashed = addresses.map((address) => ({ address, hash: deps.secrets.addressHash(address) }))
  const keys = hashed.map(({ hash }) => hash)
  const channels = [...new Set(rows.map((row) => row.channel))]
  const suppressed = await load.loadSuppressions(tx, keys, channels)
  const ledger = await selectEvidence(tx, keys, channels)
  const since = new Date(base.now.getTime() - WINDOW_MS)
  const { situation } = base
  const accountId = situation.account_id
  const inWindow = channels.includes('whatsapp')
    ? await load.loadRepliedSince(tx, { accountId, hashes: keys, since })
    : new Set<string>()
  const hashes = new Map(hashed.map(({ address, hash }) => [address, hash.toString('hex')]))
  const throttles = channels.includes('email') ? await loadThrottles(tx, accountId, addresses) : new Map()
  const asking = rows.filter((row) => row.conditions !== null)
  const facts = await readConditionValues(
    tx,
    { secrets: deps.secrets, now: base.now },
    asking.flatMap((row) => row.cart_id ?? []),
    asking.map((row) => row.conditions),
  )
  const coupons = await loadMessageCoupons(tx, rows)
  const entered = await loadEnteredCoupons(tx, rows)
  const products = await loadShownProducts(tx, rows)
  const brand = toMailBrand(toBrandKit(situation.brand), chooseLinkBase(deps.config.publicUrl, situation.link_host))
  const isLimited = situation.first_mails !== null && channels.includes('email')
  const people = [...new Set(rows.map((row) => row.shopper_id))]
  const mailedBefore = isLimited ? await load.listMailedBefore(tx, people) : new Set<string>()
  return {
    deps,
    ...base,
    brand,
    coupons,
    entered,
    products,
    facts,
    suppressed,
    ledger,
    inWindow,
    hashes,
    throttles,
    mailedBefore,
  }
}

async function loadThrottles(tx: StoreTx, accountId: string, addresses: readonly string[]) {
  const domains = [...new Set(addresses.filter((address) => address.includes('@')).map(getDomain))]
  return new Map((await readThrottles(tx, accountId, domains)).map((row) => [row.domain, row]))
}

/** Decides about one row, which need not be stored. */
function makeDraft(context: DecisionContext, row: load.ClaimedRow, rendering: Rendering = createRendering()): Draft {
  const problem = () => {
    rendering.isNeeded = true
    return rendering.problem
  }
  const cost = () => (rendering.composed && isText(rendering.composed) ? rendering.composed.cost : null)
  const inputs = buildInputs(context, row, { problem, cost })
  return { row, addressHash: getAddressHash(context, row), inputs, decision: decide(inputs), rendering }
}

const getAddressHash = ({ hashes }: DecisionContext, row: load.ClaimedRow) =>
  hashes.get(load.getAddress(row) ?? '') ?? ''

const UNRENDERED = { problem: () => null, cost: () => null }

export const buildInputs = (
  context: DecisionContext,
  row: load.ClaimedRow,
  rendering: Parameters<typeof decisionInputs>[3] = UNRENDERED,
) => decisionInputs(context, row, getAddressHash(context, row), rendering)

/** Adds a message's result to the evaluation. `drafts` holds one draft per channel. */
function addResult(evaluation: Evaluation, { hashes }: DecisionContext, drafts: readonly Draft[]): void {
  const { row, inputs, addressHash, rendering, decision } = pickDecision(drafts)
  if (rendering.isUnusable) {
    evaluation.unusable.push(row)
    return
  }
  const record = { ...toDecisionRecord(inputs), ...recordOtherChannels(drafts, row) }
  if (decision.assignArm) evaluation.arms.push({ shopperId: row.shopper_id, arm: decision.assignArm })
  if (decision.outcome === 'send') {
    evaluation.ready.push({
      row,
      decision,
      inputs: record,
      address: load.getAddress(row)!,
      addressHash,
      otherHashes: listOtherAddresses(row).flatMap((address) => hashes.get(address) ?? []),
      composed: rendering.composed!,
      coupon: inputs.coupon?.outcome === 'included' ? inputs.coupon : null,
      isOncePerCart: inputs.text?.isOncePerCart ?? false,
      firstMailLimit: inputs.firstMails?.limit ?? null,
      isQuietAt: inputs.text?.isQuietAt ?? inputs.quiet?.isQuietAt ?? (() => false),
    })
    return
  }
  evaluation.decisions.push(toDecisionRow(row, decision, record))
}

/** Records why the message was not sent by its step's other channels. */
export function recordOtherChannels(
  drafts: readonly Pick<Draft, 'row' | 'decision'>[],
  row: load.ClaimedRow,
): Record<string, unknown> {
  const others = drafts.filter(({ decision, row: other }) => other !== row && isChannelSpecific(decision))
  if (others.length === 0) return {}
  return { otherChannels: others.map(({ row: { channel }, decision: { reason } }) => ({ channel, reason })) }
}

function toDecisionRow(
  row: load.ClaimedRow,
  decision: Exclude<Decision, { outcome: 'send' }>,
  inputs: Record<string, unknown>,
): DecisionRow {
  const until = decision.outcome === 'hold' ? decision.until : null
  // A manual message is refused with the reason instead of held (D11).
  const isRefused = decision.outcome === 'hold' && row.manual !== null && isRefusal(row, row.manual, decision)
  const outcome = isRefused ? 'skip' : decision.outcome
  return {
    id: row.id,
    channel: row.channel,
    state: stateAfterDecision[outcome],
    reason: decision.reason,
    // At the age limit it is decided again and closed as too old.
    wake_at: until && until < row.expires_at ? until : row.expires_at,
    outcome,
    until,
    inputs,
    couponId: row.coupon?.id ?? null,
  }
}

/**
 * Whether a hold of a manual message is a refusal. A scheduled message waits unless the reason lasts beyond its age
 * limit.
 */
function isRefusal(
  row: load.ClaimedRow,
  manual: load.Manual,
  { reason, until }: { reason: string; until: Date },
): boolean {
  // The code is created within seconds.
  if (reason === 'coupon_pending') return false
  return manual.isImmediate || (['quiet_hours', 'cooldown'].includes(reason) && until >= row.expires_at)
}

export interface DecisionRow {
  id: string
  /** The channel of the decision. A message with several channels shows this one until its next decision. */
  channel: load.ClaimedRow['channel']
  state: (typeof stateAfterDecision)[keyof typeof stateAfterDecision]
  reason: string
  wake_at: Date
  outcome: 'hold' | 'skip' | 'cancel'
  until: Date | null
  inputs: Record<string, unknown>
  /** The coupon it should carry; null: none. */
  couponId: string | null
}

const createRendering = (): Rendering => ({
  isNeeded: false,
  composed: null,
  problem: null,
  problemText: null,
  isUnusable: false,
})

/** After this many unfinished attempts, each of which crashed a process, a message is not composed again. */
const MAX_ATTEMPTS = 2

/**
 * Composes messages. Each attempt with an owner's text is recorded before and deleted after: one that remains has
 * crashed its process.
 */
async function composeAll(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  context: DecisionContext,
  tasks: readonly ComposeTask[],
): Promise<void> {
  const { safe = [], unsafe = [] } = Object.groupBy(tasks, ({ row }) => (isSafe(row) ? 'safe' : 'unsafe'))
  const ids = unsafe.map(({ row }) => row.id)
  const unfinished = ids.length > 0 ? await beginComposing(store, ids, deps.now()) : new Map<string, number>()
  const fresh = unsafe.filter(({ row }) => !unfinished.has(row.id))
  await Promise.all([...safe, ...fresh].map((each) => tryCompose(context, each)))
  if (fresh.length > 0) {
    await endComposing(
      store,
      fresh.map(({ row }) => row.id),
    )
  }
  // One of these crashed a process, and the others were in the same batch. One at a time shows which.
  for (const each of unsafe.filter(({ row }) => unfinished.has(row.id))) {
    await composeAlone(deps, store, context, each, unfinished.get(each.row.id)!)
  }
}

async function composeAlone(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  context: DecisionContext,
  each: ComposeTask,
  attempts: number,
): Promise<void> {
  const { id } = each.row
  if (attempts >= MAX_ATTEMPTS) each.rendering.isUnusable = true
  else {
    await retryComposing(store, id, deps.now())
    await tryCompose(context, each)
  }
  await endComposing(store, [id])
}

/** Mails without Liquid and built-in texts need no thread. */
function isSafe(row: load.ClaimedRow): boolean {
  const source = buildTemplateSource(row)
  if (row.channel === 'email') return !hasLegacyText(source)
  if (row.channel === 'push') return isBuiltInBody(source.subject) && isBuiltInBody(source.body)
  return source.body === '' || isBuiltInBody(source.body)
}

/** Composes into `rendering`, including a problem. Throws an AppError if nothing can be composed at the moment. */
async function tryCompose(context: DecisionContext, { row, rendering }: ComposeTask): Promise<void> {
  try {
    rendering.composed = await compose(context, row)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (!(error instanceof TemplateError)) {
      // An unexpected cart must not block the decisions of its whole batch.
      context.deps.log.error({ err: error, messageId: row.id }, 'message.compose-failed')
    }
    rendering.problem = error instanceof TemplateError ? error.code : 'internal'
    rendering.problemText = error instanceof TemplateError ? error.message : null
    rendering.isUnusable = rendering.problem === 'too_slow'
  }
}

/** Records a first attempt for each message. Returns the number of attempts of those that have unfinished ones. */
async function beginComposing(
  { db, storeId }: StoreDb,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await sql<{ message_id: string; attempts: number }>`
    with wanted as (select unnest(${[...ids]}::uuid[]) as id),
    known as materialized (
      select c.message_id, c.attempts from message_compositions c join wanted w on w.id = c.message_id
      where c.store_id = ${storeId}),
    begun as (
      insert into message_compositions (store_id, message_id, attempts, at)
      select ${storeId}, id, 1, ${now} from wanted where id not in (select message_id from known) order by id
      on conflict do nothing)
    select message_id, attempts from known`.execute(db)
  return new Map(rows.rows.map((row) => [row.message_id, row.attempts]))
}

async function retryComposing({ db, storeId }: StoreDb, id: string, now: Date): Promise<void> {
  await sql`update message_compositions set attempts = attempts + 1, at = ${now}
    where store_id = ${storeId} and message_id = ${id}`.execute(db)
}

async function endComposing({ db, storeId }: StoreDb, ids: readonly string[]): Promise<void> {
  await sql`delete from message_compositions where store_id = ${storeId} and message_id = any(${[...ids]}::uuid[])`.execute(
    db,
  )
}

/** The state of composing one row's message. */
interface Rendering {
  /** The decision got as far as rendering. */
  isNeeded: boolean
  composed: AnyComposed | null
  problem: string | null
  /** The problem as a sentence for the owner. */
  problemText: string | null
  /** The text crashed threads or processes. */
  isUnusable: boolean
}

interface ComposeTask {
  row: load.ClaimedRow
  rendering: Rendering
}
