import type { BrandLook } from '../../../shared/brand.ts'
import { monthOf } from '../../billing/billing/rules.ts'
import { brandFrom } from '../../carts/brand/rules.ts'
import { isTextChannelName } from '../../messages/channels/traits.ts'
import { ledgerText } from '../../shoppers/consent/evidence.ts'
import { type Db, keepPlans, type StoreDb, type StoreTx, snapshot } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { couponsOfMessages, enteredCoupons } from '../../carts/coupons/for-messages.ts'
import { throttlesOf } from '../deliverability/throttles.ts'
import type { Deps } from '../../deps.ts'
import { domainOf } from '../email/mail-headers.ts'
import { readFacts } from '../../carts/flow-choice/facts.ts'
import { linkBase } from '../../carts/links/link-host-rules.ts'
import { stateOfDecision } from '../../messages/messages/state-rules.ts'
import { oldest } from '../../access/stores/rules.ts'
import { NONE_UNREAD } from '../../carts/sync/goods.ts'
import { mailBrandOf } from '../../messages/templates/brand.ts'
import { type AnyComposed, composeWanted, isText, newRendering, type Rendering, tryCompose } from './composing.ts'
import type { IncludedCoupon } from './coupon-finding.ts'
import { type Arm, cartProblem, type Decision, type DecisionInputs, decide, isUsedUp } from './decide.ts'
import {
  type Ahead,
  addressOf,
  type Context,
  creditPriceOf,
  decisionInputs,
  othersOf,
  recordOf,
  type Texts,
} from './decision-inputs.ts'
import * as load from './evaluate-sql.ts'
import { decisive, isOfChannel } from './fallback.ts'
import type { ReachDecision } from './reach-rules.ts'
import { loadSituation, type Situation } from './situation-sql.ts'
import { withVariants } from './variants.ts'

// Loads what decisions rest on, set-wise and in one snapshot, and asks `decide` about each claimed row.

export interface Ready {
  row: load.ClaimedRow
  decision: Extract<Decision, { outcome: 'send' }>
  inputs: Record<string, unknown>
  address: string
  addressHash: string
  /** Of the person's other addresses, whose suppressions count as well. */
  otherHashes: readonly string[]
  composed: AnyComposed
  /** What it carries; null: none. */
  coupon: IncludedCoupon | null
  /** C6: no other text of the channel may ever have left for the cart. */
  isOncePerCart: boolean
  /** It is a first mail, of which a new account may send only so many in 24 hours; null: it is none. */
  firstMailLimit: number | null
  /** T2, for texts and notifications. */
  isQuietAt: (at: Date) => boolean
}

/** One row on its way to a decision, which is asked again once its message is composed. */
interface Draft {
  row: load.ClaimedRow
  addressHash: string
  inputs: DecisionInputs
  decision: Decision
  rendering: Rendering
}

const isWanted = ({ rendering }: Draft): boolean => rendering.isWanted
const isComposed = ({ rendering: { composed, problem, isUnusable } }: Draft): boolean =>
  composed !== null || problem !== null || isUnusable

export interface Evaluation {
  situation: Situation
  month: string
  capSince: Date
  /** Orders, stock and prices are known as they were then, or later; null: not at all (D3). */
  checkedAt: Date | null
  decisions: DecisionRow[]
  ready: Ready[]
  arms: { shopperId: string; arm: Arm }[]
  /** Their text cannot be put together: nothing will ever come of them. */
  unusable: load.ClaimedRow[]
}

/** Read in one snapshot; composed after it, so that no text of anybody's keeps a connection. */
export async function evaluate(
  deps: Deps,
  store: StoreDb<Db>,
  { ids, ...read }: { ids: readonly string[]; texts: Texts } & Pick<Context, 'goods' | 'isChecked' | 'unread'>,
): Promise<Evaluation> {
  const { base, context, rows } = await snapshot(store, async (tx) => {
    await keepPlans(tx)
    const { month, ...situation } = await situationOf(deps, tx)
    const rows = await withVariants(tx, await load.loadClaimed(tx, ids, situation.now, situation.capSince))
    const context = await contextOf(deps, tx, { ...situation, ...read, isImagined: false }, rows)
    return { base: { month, ...situation }, context, rows }
  })
  const { situation, capSince, month } = base
  const results = { decisions: [], ready: [], arms: [], unusable: [] }
  const evaluation: Evaluation = { situation, month, capSince, checkedAt: checkedAtOf(context), ...results }
  const messages = [
    ...Map.groupBy(
      rows.map((row) => draftOf(context, row)),
      ({ row }) => row.id,
    ).values(),
  ]
  await composeDecided(messages, (wanted) => composeWanted(deps, store, context, wanted))
  for (const ways of messages) sortIn(evaluation, context, ways)
  return evaluation
}

/** What each message is decided on is composed and decided again; where that shows that its channel is none, the next one is (decision 54). */
async function composeDecided(
  messages: readonly Draft[][],
  compose: (wanted: readonly Draft[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const wanted = messages.flatMap((ways) => {
      const next = ways.find(({ decision }) => !isOfChannel(decision))
      return next && isWanted(next) && !isComposed(next) ? [next] : []
    })
    if (wanted.length === 0) return
    await compose(wanted)
    for (const draft of wanted) draft.decision = decide(draft.inputs)
    // What could not be tried is not tried again in this round.
    if (!wanted.some(isComposed)) return
  }
}

/**
 * What would be decided, at this moment, about messages that do not exist. With `ahead` they would go together, after those it
 * speaks of: each takes its part of plan, budget and cap before the next is decided, and `ahead` then speaks of them too. With `look`
 * they have that one.
 */
export async function dryRun<Row extends load.ClaimedRow>(
  deps: Deps,
  store: StoreDb<Db>,
  texts: Texts,
  read: (tx: StoreTx, base: { now: Date; capSince: Date }) => Promise<Row[]>,
  { isRendered = true, ahead, look }: { isRendered?: boolean; ahead?: Ahead; look?: BrandLook | undefined } = {},
) {
  const { situation, context, rows } = await snapshot(store, async (tx) => {
    const base = dressed(await situationOf(deps, tx), store, look)
    const rows = await read(tx, base)
    const context = await contextOf(
      deps,
      tx,
      { ...base, texts, goods: null, isChecked: true, unread: NONE_UNREAD, isImagined: true, ...(ahead && { ahead }) },
      rows,
    )
    return { situation: base.situation, context, rows }
  })
  const rendered = new Map<string, Rendering>()
  if (isRendered) {
    const wanted = rows.map((row) => draftOf(context, row)).filter(isWanted)
    await Promise.all(wanted.map((draft) => tryCompose(context, draft)))
    for (const { row, rendering } of wanted) rendered.set(row.id, rendering)
  }
  const evaluation = rows.map((row) => {
    const { decision, rendering, inputs } = draftOf(context, row, rendered.get(row.id))
    const { composed, words } = rendering
    if (ahead && decision.outcome === 'send') goAhead(context, ahead, { row, composed, plan: inputs.plan })
    return { row, decision, composed, problem: words, country: inputs.consent.country, condition: inputs.condition }
  })
  return { context, situation, rows: evaluation }
}

/** As if the store had saved this look. */
function dressed<Base extends { situation: Situation }>(base: Base, { storeId }: StoreDb, look?: BrandLook): Base {
  const logo = base.situation.brand?.logo ?? null
  return look ? { ...base, situation: { ...base.situation, brand: { storeId, look, logo } } } : base
}

/** What stands against an email about each of these carts, whatever stops the whole store. Nothing is rendered. */
export async function evaluateReach(
  deps: Deps,
  store: StoreDb<Db>,
  cartIds: readonly string[],
): Promise<ReachDecision[]> {
  const wanted = { cartIds, channel: 'email', templateId: null }
  const { context, rows } = await snapshot(store, async (tx) => {
    const base = await situationOf(deps, tx)
    const rows = await load.loadImagined(tx, { ...wanted, ...base })
    const nothing = { texts: new Map(), goods: null, isChecked: true, unread: NONE_UNREAD }
    const context = await contextOf(deps, tx, { ...base, ...nothing, isImagined: true }, rows)
    return { context, rows }
  })
  return rows.map((row) => {
    const inputs = inputsOf(context, row)
    const isRecovered = row.cart_status === 'recovered'
    return { cartId: row.cart_id, isRecovered, reason: cartProblem(inputs), country: inputs.consent.country }
  })
}

export function goAhead(
  context: Context,
  ahead: Ahead,
  { row, composed, plan }: { row: load.ClaimedRow; composed: AnyComposed | null; plan: DecisionInputs['plan'] },
): void {
  const { shopper_id, channel } = row
  const cost = composed && isText(composed) ? composed.cost : null
  // What credits pay takes nothing of the plan.
  if (isUsedUp(plan) && isTextChannelName(channel)) {
    ahead.creditMicros += creditPriceOf(context, { channel, to: addressOf(row) ?? '', cost }) ?? 0
  } else ahead.count += 1
  if (cost) ahead.micros += cost.amountMicros
  ahead.ofShopper.set(shopper_id, (ahead.ofShopper.get(shopper_id) ?? 0) + 1)
}

export async function situationOf(deps: Deps, tx: StoreTx) {
  const now = deps.now()
  const month = monthOf(now)
  const situation = await loadSituation(tx, month, now)
  if (!situation) throw new AppError('not_found', 'Store not found')
  const capMs = situation.cap_window_hours * 3_600_000
  return { now, month, situation, capMs, capSince: new Date(now.getTime() - capMs) }
}

/** Of a store that was asked itself, stock and prices were read after the orders. */
function checkedAtOf({ situation: { check_started }, goods }: Context): Date | null {
  const readAt = goods && 'terms' in goods ? goods.readAt : null
  return check_started && oldest([check_started, readAt])
}

const WINDOW_MS = 24 * 3_600_000

export async function contextOf(
  deps: Deps,
  tx: StoreTx,
  base: Pick<
    Context,
    'now' | 'situation' | 'capMs' | 'texts' | 'goods' | 'isChecked' | 'unread' | 'isImagined' | 'ahead'
  >,
  rows: readonly load.ClaimedRow[],
): Promise<Context> {
  const addresses = [...new Set(rows.flatMap((row) => [addressOf(row) ?? [], othersOf(row)].flat()))]
  const hashed = addresses.map((address) => ({ address, hash: deps.secrets.addressHash(address) }))
  const keys = hashed.map(({ hash }) => hash)
  const channels = [...new Set(rows.map((row) => row.channel))]
  const suppressed = await load.suppressedOf(tx, keys, channels)
  const ledger = await ledgerText(tx, keys, channels)
  const since = new Date(base.now.getTime() - WINDOW_MS)
  const { situation } = base
  const accountId = situation.account_id
  const inWindow = channels.includes('whatsapp')
    ? await load.inboundSince(tx, { accountId, hashes: keys, since })
    : new Set<string>()
  const hashes = new Map(hashed.map(({ address, hash }) => [address, hash.toString('hex')]))
  const throttles = channels.includes('email') ? await throttlesFor(tx, accountId, addresses) : new Map()
  const asking = rows.filter((row) => row.conditions !== null)
  const facts = await readFacts(
    tx,
    { secrets: deps.secrets, now: base.now },
    asking.flatMap((row) => row.cart_id ?? []),
    asking.map((row) => row.conditions),
  )
  const coupons = await couponsOfMessages(tx, rows)
  const entered = await enteredCoupons(tx, rows)
  const brand = mailBrandOf(brandFrom(situation.brand), linkBase(deps.config.publicUrl, situation.link_host))
  const isLimited = situation.first_mails !== null && channels.includes('email')
  const people = [...new Set(rows.map((row) => row.shopper_id))]
  const mailedBefore = isLimited ? await load.mailedBefore(tx, people) : new Set<string>()
  return {
    deps,
    ...base,
    brand,
    coupons,
    entered,
    facts,
    suppressed,
    ledger,
    inWindow,
    hashes,
    throttles,
    mailedBefore,
  }
}

async function throttlesFor(tx: StoreTx, accountId: string, addresses: readonly string[]) {
  const domains = [...new Set(addresses.filter((address) => address.includes('@')).map(domainOf))]
  return new Map((await throttlesOf(tx, accountId, domains)).map((row) => [row.domain, row]))
}

/** One row's decision with the record of what it rests on. Also the preview's, for a row that does not exist. */
function draftOf(context: Context, row: load.ClaimedRow, rendering: Rendering = newRendering()): Draft {
  const problem = () => {
    rendering.isWanted = true
    return rendering.problem
  }
  const cost = () => (rendering.composed && isText(rendering.composed) ? rendering.composed.cost : null)
  const inputs = inputsOf(context, row, { problem, cost })
  return { row, addressHash: addressHashOf(context, row), inputs, decision: decide(inputs), rendering }
}

const addressHashOf = ({ hashes }: Context, row: load.ClaimedRow) => hashes.get(addressOf(row) ?? '') ?? ''

const UNRENDERED = { problem: () => null, cost: () => null }

export const inputsOf = (
  context: Context,
  row: load.ClaimedRow,
  rendering: Parameters<typeof decisionInputs>[3] = UNRENDERED,
) => decisionInputs(context, row, addressHashOf(context, row), rendering)

/** `ways`: one for each channel the message may go by. */
function sortIn(evaluation: Evaluation, { hashes }: Context, ways: readonly Draft[]): void {
  const { row, inputs, addressHash, rendering, decision } = decisive(ways)
  if (rendering.isUnusable) {
    evaluation.unusable.push(row)
    return
  }
  const record = { ...recordOf(inputs), ...recordOfOthers(ways, row) }
  if (decision.assignArm) evaluation.arms.push({ shopperId: row.shopper_id, arm: decision.assignArm })
  if (decision.outcome === 'send') {
    evaluation.ready.push({
      row,
      decision,
      inputs: record,
      address: addressOf(row)!,
      addressHash,
      otherHashes: othersOf(row).flatMap((address) => hashes.get(address) ?? []),
      composed: rendering.composed!,
      coupon: inputs.coupon?.outcome === 'included' ? inputs.coupon : null,
      isOncePerCart: inputs.text?.isOncePerCart ?? false,
      firstMailLimit: inputs.firstMails?.limit ?? null,
      isQuietAt: inputs.text?.isQuietAt ?? inputs.quiet?.isQuietAt ?? (() => false),
    })
    return
  }
  evaluation.decisions.push(decisionRowOf(row, decision, record))
}

/** Why a message did not go by the other channels of its step. */
export function recordOfOthers(
  ways: readonly Pick<Draft, 'row' | 'decision'>[],
  row: load.ClaimedRow,
): Record<string, unknown> {
  const others = ways.filter(({ decision, row: other }) => other !== row && isOfChannel(decision))
  if (others.length === 0) return {}
  return { otherChannels: others.map(({ row: { channel }, decision: { reason } }) => ({ channel, reason })) }
}

function decisionRowOf(
  row: load.ClaimedRow,
  decision: Exclude<Decision, { outcome: 'send' }>,
  inputs: Record<string, unknown>,
): DecisionRow {
  const until = decision.outcome === 'hold' ? decision.until : null
  // What a person asked for is answered, not kept (D11).
  const isRefused = decision.outcome === 'hold' && row.manual !== null && isAnswer(row, row.manual, decision)
  const outcome = isRefused ? 'skip' : decision.outcome
  return {
    id: row.id,
    channel: row.channel,
    state: stateOfDecision[outcome],
    reason: decision.reason,
    // No later than the age limit, at which what waited in vain is closed as too old.
    wake_at: until && until < row.expires_at ? until : row.expires_at,
    outcome,
    until,
    inputs,
    couponId: row.coupon?.id ?? null,
  }
}

/** A message for later waits for what may end in time; what certainly does not end before its age limit is said at once. */
function isAnswer(
  row: load.ClaimedRow,
  manual: load.Manual,
  { reason, until }: { reason: string; until: Date },
): boolean {
  // The code is made within seconds.
  if (reason === 'coupon_pending') return false
  return manual.isImmediate || (['quiet_hours', 'cooldown'].includes(reason) && until >= row.expires_at)
}

export interface DecisionRow {
  id: string
  /** What it is about; a message that may go by several is looked at as one of it until it is decided again. */
  channel: load.ClaimedRow['channel']
  state: (typeof stateOfDecision)[keyof typeof stateOfDecision]
  reason: string
  wake_at: Date
  outcome: 'hold' | 'skip' | 'cancel'
  until: Date | null
  inputs: Record<string, unknown>
  /** What it is to carry; null: none. */
  couponId: string | null
}
