import type { FlowChannel, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import { type FlowChannels, flowTexts, type SaveEffect, type SaveFlow } from '../../../shared/marketing/flows.ts'
import { readStore } from '../../access/stores/public.ts'
import { hasFeature, loadEntitlements } from '../../billing/billing/public.ts'
import { selectExistingCoupons } from '../../carts/coupons/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import { findTextProblem, type TextProblem } from '../../delivery/compose/public.ts'
import type { Deps } from '../../deps.ts'
import { applyEditedSteps, scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { isDocumentOf, resolveContent } from '../../messages/templates/public.ts'
import { findChannelProblems, minDelayMinutes, refreshTimeout } from './flows.ts'
import * as saveSql from './save-sql.ts'
import type { Step } from './sql.ts'
import { listSteps, lockFlow, readFlow } from './sql.ts'
import type { CouponColumns } from './step-coupons.ts'
import { COUPON_MISSING, couponColumns } from './step-coupons.ts'
import { getDefaultText, loadVariants, type StoredVariant, type Text } from './variants.ts'
import * as wordsSql from './variants-sql.ts'

// Saves a flow as a whole (decision 53): one transaction stores steps, text and variants, and updates open messages.

export async function saveFlow(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'now' | 'renders'>,
  store: StoreDb<Db>,
  flowId: string,
  edit: SaveFlow,
): Promise<SaveEffect> {
  const known = await checkTexts(deps, store, flowId, edit)
  return transact(store, (tx) => save(deps, tx, { flowId, edit, ...known }))
}

/** Reports what saving would do: runs the same code and rolls back. */
export async function trySaveFlow(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'now' | 'renders'>,
  store: StoreDb<Db>,
  flowId: string,
  edit: SaveFlow,
): Promise<SaveEffect> {
  const known = await checkTexts(deps, store, flowId, edit)
  const rehearsal: { effect?: SaveEffect } = {}
  try {
    await transact(store, async (tx) => {
      rehearsal.effect = await save(deps, tx, { flowId, edit, ...known })
      throw new DryRun()
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  return rehearsal.effect!
}

/** Rolls back a dry run. */
class DryRun extends Error {
  override name = 'DryRun'
}

interface TextProblems {
  channels: FlowChannels
  hasRules: boolean
  /** Problems of texts, by path: `steps.0.variants.0.words.sms`. null: the text can be sent. */
  problems: ReadonlyMap<string, TextProblem | null>
}

const buildTextKey = ({ path, subject, body, design }: ResolvedText): string =>
  JSON.stringify([path, subject, body, design])

/** Runs before the transaction: rendering must not hold its locks. */
async function checkTexts(
  deps: Pick<Deps, 'channels' | 'db' | 'now' | 'renders'>,
  store: StoreDb<Db>,
  flowId: string,
  edit: SaveFlow,
): Promise<TextProblems> {
  const row = requireFound(await readStore(store), 'Store')
  const account = { accountId: row.account_id, db: store.db }
  requireFound(await readFlow(store, flowId), 'Flow')
  const entitlements = await loadEntitlements(account, deps.now())
  const channels = await findChannelProblems(deps, account, row)
  const { locale } = row
  const resolved = resolveSteps({ stored: await storedSteps(store, flowId), usedNames: [], locale }, edit, createId)
  const checks = resolved.flatMap(({ words }) =>
    words.map(async (text) => {
      const { channel, subject, body, design } = text
      const owner = { accountId: row.account_id, store }
      const problem =
        channel === 'whatsapp' ? null : await findTextProblem(deps, owner, { channel, subject, body, design })
      return [buildTextKey(text), problem] as const
    }),
  )
  return { channels, hasRules: hasFeature(entitlements, 'flow_rules'), problems: new Map(await Promise.all(checks)) }
}

async function storedSteps(store: StoreDb, flowId: string): Promise<StoredStep[]> {
  const steps = await listSteps(store, [flowId])
  const variants = await loadVariants(store, steps)
  return steps.map((step) => ({ ...step, variants: variants.get(step.id)! }))
}

interface SaveInput extends TextProblems {
  flowId: string
  edit: SaveFlow
}

async function save(
  deps: Pick<Deps, 'config' | 'now'>,
  tx: StoreTx,
  { flowId, edit, ...known }: SaveInput,
): Promise<SaveEffect> {
  const now = deps.now()
  const flow = requireFound(await lockFlow(tx, flowId), 'Flow')
  const row = requireFound(await readStore(tx), 'Store')
  const stored = await storedSteps(tx, flowId)
  // The member who saves has not seen that step and would remove it.
  if (edit.seenSteps && stored.some(({ id }) => !edit.seenSteps!.includes(id))) {
    throw new AppError('conflict', flowTexts.stepAdded)
  }
  const steps = resolveSteps({ stored, usedNames: await readStepNames(tx, flowId), locale: row.locale }, edit, createId)
  const conditions = edit.conditions === undefined ? flow.conditions : edit.conditions
  if (!known.hasRules && isRuleAdded({ flow, conditions, steps })) {
    throw new AppError('plan_required', flowTexts.rulesPlan)
  }
  checkSaved(steps, { minDelay: minDelayMinutes(deps, row), problemOfChannel: findChannelProblem(known.channels) })
  assertSendableText(steps, known.problems)
  await checkCoupons(tx, steps)
  await updateFlow(tx, flowId, { name: edit.name, conditions }, now)
  await saveStepTexts(tx, flowId, steps, now)
  const columns = steps.map((step) => toColumns(step, row.currency))
  await saveSql.saveSteps(tx, flowId, { steps: columns, addedAt: flow.is_on ? now : null, now })
  await refreshTimeout(tx)
  const effect = await applyEditedSteps(tx, { flowId, ...listChanges(stored, steps, columns) }, now)
  // Messages that wait for a code of the former coupon are decided again.
  if (steps.some(({ coupon }) => coupon !== undefined)) {
    await wakeStoreMessages(tx, ['coupon_pending', 'coupon_failed'], now)
  }
  await scheduleNextRun(tx)
  return effect
}

/** All further messages of the step use this variant; sent ones keep theirs. */
export async function chooseWinner(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  { flowId, stepId }: { flowId: string; stepId: string },
  variantId: string,
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    requireFound(await lockFlow(tx, flowId), 'Flow')
    const step = requireFound(
      (await storedSteps(tx, flowId)).find(({ id }) => id === stepId),
      'Step',
    )
    const { id } = requireFound(
      step.variants.find((variant) => variant.id === variantId),
      'Variant',
    )
    const variants = [{ stepId, id, place: 1, sharePercent: 100 }]
    await wordsSql.saveVariants(tx, flowId, { stepIds: [stepId], variants }, now)
    const { step: place, channel, fallback, template_id: templateId } = step
    const editedSteps = [{ stepId, step: place, channels: [channel, ...fallback], templateId, isChanged: true }]
    await applyEditedSteps(tx, { flowId, removed: [], added: [], changed: editedSteps }, now)
    await scheduleNextRun(tx)
  })
}

/** A step may keep a channel it already has. If its set-up is incomplete, its messages are held with a reason. */
const findChannelProblem =
  (channels: FlowChannels) =>
  (channel: 'sms' | 'whatsapp' | 'push'): { code: 'plan_required' | 'unprocessable'; sentence: string } | null => {
    const { problem } = channels[channel]
    const code = problem === explain('plan_required') ? 'plan_required' : 'unprocessable'
    return problem === null ? null : { code, sentence: problem }
  }

function assertSendableText(steps: readonly ResolvedStep[], problems: TextProblems['problems']): void {
  for (const { step, words } of steps) {
    for (const text of words) {
      const problem = problems.get(buildTextKey(text))
      if (problem === undefined) {
        throw new AppError('conflict', 'The flow has changed in the meantime. Please save again.')
      }
      if (problem) {
        const { message, field } = problem
        throw new AppError('unprocessable', `Step ${step}: ${message}`, {
          fields: { [`${text.path}.${field}`]: message },
        })
      }
    }
  }
}

async function checkCoupons(tx: StoreTx, steps: readonly ResolvedStep[]): Promise<void> {
  const ids = steps.flatMap(({ coupon }) => coupon?.couponId ?? [])
  const known = ids.length > 0 ? await selectExistingCoupons(tx, ids) : new Set<string>()
  for (const { step, coupon } of steps) {
    if (!coupon || known.has(coupon.couponId)) continue
    const fields = { [`steps.${step - 1}.coupon`]: COUPON_MISSING }
    throw new AppError('unprocessable', `Step ${step}: ${COUPON_MISSING}`, { fields })
  }
}

const NO_COUPON = {
  coupon_id: null,
  coupon_fallback: 'without' as const,
  coupon_first_order_only: false,
  coupon_pause_days: 90,
  coupon_above_minor: null,
}

function toColumns(resolved: ResolvedStep, currency: string): saveSql.StepColumns {
  const { id, step, delayMinutes, channels, conditions, coupon, from, templateId } = resolved
  const asStored = from ?? NO_COUPON
  const { coupon_fallback, coupon_first_order_only, coupon_pause_days, coupon_above_minor } = asStored
  const settings = { coupon_fallback, coupon_first_order_only, coupon_pause_days, coupon_above_minor }
  return {
    id,
    step,
    delay_minutes: delayMinutes,
    channel: channels[0]!,
    fallback: channels.slice(1),
    conditions,
    template_id: templateId,
    ...settings,
    coupon_id: coupon === undefined ? asStored.coupon_id : null,
    ...(coupon && couponColumns(coupon, currency)),
  }
}

/** Runs before the steps, which reference a template. A step that is not split has no variant row. */
async function saveStepTexts(tx: StoreTx, flowId: string, steps: readonly ResolvedStep[], now: Date): Promise<void> {
  const words = steps.flatMap((step) =>
    step.words.map(({ variantId, channel, templateId, subject, body, design }) => ({
      stepId: step.id,
      variantId,
      channel,
      templateId,
      name: step.name,
      subject,
      body,
      design,
    })),
  )
  if (words.length > 0) await wordsSql.saveTexts(tx, flowId, words, now)
  const named = steps.filter(({ hasNamedVariants }) => hasNamedVariants)
  if (named.length === 0) return
  const variants = named.flatMap((step) =>
    step.variants.map(({ id, sharePercent }, index) => ({ stepId: step.id, id, place: index + 1, sharePercent })),
  )
  await wordsSql.saveVariants(tx, flowId, { stepIds: named.map(({ id }) => id), variants }, now)
}

/** `columns`: the new values of the steps, in order. */
function listChanges(
  stored: readonly StoredStep[],
  steps: readonly ResolvedStep[],
  columns: readonly saveSql.StepColumns[],
) {
  const ids = new Set(steps.map(({ id }) => id))
  return {
    removed: stored.flatMap(({ id }) => (ids.has(id) ? [] : [id])),
    added: steps.flatMap(({ from, id }) => (from ? [] : [id])),
    changed: steps.flatMap(({ id: stepId, step, channels, templateId, isChanged, from }, index) =>
      from
        ? [{ stepId, step, channels, templateId, isChanged: isChanged || isCouponChanged(columns[index]!, from) }]
        : [],
    ),
  }
}

// Computes what a flow edit stores, and validates it. Pure.

type StoredStep = Step & { variants: StoredVariant[] }

interface ResolvedText extends Text {
  variantId: string
  channel: FlowChannel
  templateId: string
  /** Differs from the stored text. */
  isChanged: boolean
  /** Path of the text in the request. */
  path: string
}

interface ResolvedStep {
  id: string
  /** Position in the flow. */
  step: number
  name: string
  /** null: a new step. */
  from: StoredStep | null
  delayMinutes: number
  channels: FlowChannel[]
  conditions: FlowConditions | null
  /** undefined: unchanged. */
  coupon: StepCoupon | null | undefined
  variants: { id: string; sharePercent: number }[]
  /** The step is or was split, so its variants are stored. */
  hasNamedVariants: boolean
  /** Text to store, per variant and channel of the step. */
  words: ResolvedText[]
  /** Template of the first channel's text in the step's own variant. */
  templateId: string
  /** Channels, text or conditions differ; for the coupon see `isCouponChanged`. */
  isChanged: boolean
}

type SavedStep = SaveFlow['steps'][number]

interface KnownFlow {
  stored: readonly StoredStep[]
  /** Names of all steps of the flow, including removed ones. */
  usedNames: readonly string[]
  /** Of the store. */
  locale: string | null
}

function resolveSteps(
  { stored, usedNames, locale }: KnownFlow,
  { steps }: Pick<SaveFlow, 'steps'>,
  makeId: () => string,
): ResolvedStep[] {
  const named = steps.flatMap(({ id }) => id ?? [])
  if (new Set(named).size < named.length) throw new AppError('unprocessable', 'Each step may be listed only once.')
  const names = new Set(usedNames)
  return steps.map((saved, index) => {
    const from = stored.find(({ id }) => id === saved.id) ?? null
    if (saved.id && !from) {
      const sentence = 'This flow has no such step.'
      throw new AppError('unprocessable', `Step ${index + 1}: ${sentence}`, {
        fields: { [`steps.${index}.id`]: sentence },
      })
    }
    const name = from?.name ?? freshName(index, names)
    names.add(name)
    return resolveStep(saved, { from, name, index, locale, makeId })
  })
}

interface StepPosition {
  from: StoredStep | null
  name: string
  index: number
  locale: string | null
  makeId: () => string
}

function resolveStep(saved: SavedStep, place: StepPosition): ResolvedStep {
  const { from, name, index, locale, makeId } = place
  const id = from?.id ?? makeId()
  const channels: FlowChannel[] = saved.channels ?? (from ? [from.channel, ...from.fallback] : ['email'])
  const variants = variantsIn(saved, { id, ...place })
  const words = variants.flatMap((variant, at) =>
    channels.flatMap((channel) => changedTexts(saved, { variant, at, channel, variants, index, locale, makeId })),
  )
  const own = words.find(({ variantId, channel }) => variantId === id && channel === channels[0])
  const ownStored = from?.variants.find((variant) => variant.id === id)?.words.get(channels[0]!)
  const conditions = saved.conditions === undefined ? (from?.conditions ?? null) : saved.conditions
  const resolved = {
    id,
    step: index + 1,
    name,
    from,
    delayMinutes: saved.delayMinutes,
    channels,
    conditions,
    coupon: saved.coupon,
    words,
    variants: variants.map(({ id: variantId, sharePercent }) => ({ id: variantId, sharePercent })),
    hasNamedVariants: variants.length > 1 || (from?.variants.length ?? 1) > 1 || variants[0]!.id !== id,
    templateId: own?.templateId ?? ownStored?.templateId ?? from?.template_id ?? words[0]!.templateId,
  }
  return { ...resolved, isChanged: from !== null && isStepChanged(resolved, from) }
}

const NAMES = ['First', 'Second', 'Third', 'Fourth', 'Fifth']
const defaultName = (index: number) => (NAMES[index] ? `${NAMES[index]} reminder` : `Reminder ${index + 1}`)

/** Named after its position; numbered if another step has that name. */
function freshName(index: number, usedNames: ReadonlySet<string>): string {
  const name = defaultName(index)
  if (!usedNames.has(name)) return name
  for (let number = 2; ; number += 1) {
    const apart = `${name} (${number})`
    if (!usedNames.has(apart)) return apart
  }
}

interface VariantInput {
  id: string
  stored: StoredVariant | undefined
  sharePercent: number
}

/** The first variant of a new step has the step's id. */
function variantsIn(saved: SavedStep, { id, from, index, makeId }: StepPosition & { id: string }): VariantInput[] {
  const stored = from?.variants ?? []
  if (!saved.variants) {
    return from
      ? stored.map((each) => ({ id: each.id, stored: each, sharePercent: each.sharePercent }))
      : [{ id, stored: undefined, sharePercent: 100 }]
  }
  const named = saved.variants.flatMap((each) => each.id ?? [])
  if (new Set(named).size < named.length || named.some((each) => !stored.some((one) => one.id === each))) {
    rejectField(index, 'variants', 'This step has no such variant.')
  }
  if (saved.variants.reduce((sum, { sharePercent }) => sum + sharePercent, 0) !== 100) {
    rejectField(index, 'variants', 'The shares of the variants must add up to 100%.')
  }
  // Sorted, because variant names follow the ids.
  const fresh = saved.variants.map(makeId).toSorted()
  return saved.variants.map((each, at) => {
    const known = stored.find((one) => one.id === each.id)
    const freshId = from === null && at === 0 ? id : fresh[at]!
    return { id: known?.id ?? freshId, stored: known, sharePercent: each.sharePercent }
  })
}

interface TextContext {
  variant: VariantInput
  /** Index in the request. */
  at: number
  channel: FlowChannel
  variants: readonly VariantInput[]
  index: number
  locale: string | null
  makeId: () => string
}

/** Empty if the stored text is unchanged. */
function changedTexts(
  saved: SavedStep,
  { variant, at, channel, variants, index, locale, makeId }: TextContext,
): ResolvedText[] {
  const stored = variant.stored?.words.get(channel)
  const defaultText = getDefaultText(channel, locale)
  const provided = textIn(saved.variants?.[at]?.words, channel, { stored, defaultText })
  const isChanged = !stored || (provided !== null && !isSameText(provided, stored))
  if (!isChanged && stored.isRow) return []
  const ofFirst = variants[0]?.stored?.words.get(channel)
  const first = textIn(saved.variants?.[0]?.words, channel, { stored: ofFirst, defaultText }) ?? ofFirst
  const { subject, body, design } = provided ?? stored ?? first ?? defaultText
  return [
    {
      variantId: variant.id,
      channel,
      templateId: stored?.templateId ?? makeId(),
      isChanged,
      subject,
      body,
      design,
      path: `steps.${index}.variants.${at}.words.${channel}`,
    },
  ]
}

const isSameText = (a: Text, b: Text) => a.subject === b.subject && a.body === b.body && isSameJson(a.design, b.design)

type ResolvedFields = Omit<ResolvedStep, 'isChanged'>

function isStepChanged({ channels, conditions, words, variants }: ResolvedFields, from: StoredStep): boolean {
  const before = [from.channel, ...from.fallback]
  return (
    channels.join() !== before.join() ||
    !isSameJson(conditions, from.conditions) ||
    words.some((each) => each.isChanged) ||
    serializeShares(variants) !== serializeShares(from.variants)
  )
}

const serializeShares = (variants: readonly { id: string; sharePercent: number }[]): string =>
  variants.map(({ id, sharePercent }) => `${id} ${sharePercent}`).join()

/** Another coupon, or other rules for the same one. */
const isCouponChanged = (next: CouponColumns, before: CouponColumns): boolean =>
  next.coupon_id !== before.coupon_id ||
  (next.coupon_id !== null &&
    (next.coupon_fallback !== before.coupon_fallback ||
      next.coupon_first_order_only !== before.coupon_first_order_only ||
      next.coupon_pause_days !== before.coupon_pause_days ||
      next.coupon_above_minor !== before.coupon_above_minor))

/** Ignores key order: jsonb columns do not keep it. */
function isSameJson(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown) =>
    JSON.stringify(value, (_, each: unknown) =>
      each !== null && typeof each === 'object' && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([x], [y]) => (x < y ? -1 : 1)))
        : each,
    )
  return sorted(a) === sorted(b)
}

/** Whether the edit adds or changes a feature of a larger plan; stored features stay allowed. */
function isRuleAdded({
  flow,
  conditions,
  steps,
}: {
  flow: { conditions: FlowConditions | null }
  conditions: FlowConditions | null
  steps: readonly ResolvedStep[]
}): boolean {
  const isNewRule = (now: FlowConditions | null, was: FlowConditions | null) => now !== null && !isSameJson(now, was)
  return (
    isNewRule(conditions, flow.conditions) ||
    steps.some(({ conditions: ofStep, from }) => isNewRule(ofStep, from?.conditions ?? null)) ||
    steps.some(
      ({ variants, from }) =>
        variants.length > 1 && serializeShares(variants) !== serializeShares(from?.variants ?? []),
    )
  )
}

interface CheckedChannels {
  minDelay: number
  problemOfChannel: (
    channel: 'sms' | 'whatsapp' | 'push',
  ) => { code: 'plan_required' | 'unprocessable'; sentence: string } | null
}

function checkSaved(steps: readonly ResolvedStep[], { minDelay, problemOfChannel }: CheckedChannels): void {
  let before = 0
  for (const { step, delayMinutes, channels, from } of steps) {
    const index = step - 1
    if (delayMinutes < minDelay) {
      rejectField(index, 'delayMinutes', `The delay of a step must be at least ${minDelay} minutes.`)
    }
    if (delayMinutes <= before) {
      rejectField(index, 'delayMinutes', `The delay of step ${step} must be longer than that of the step before.`)
    }
    before = delayMinutes
    const isKnown = (channel: FlowChannel) => from?.channel === channel || from?.fallback.includes(channel)
    for (const channel of channels) {
      if (channel === 'email' || isKnown(channel)) continue
      const problem = problemOfChannel(channel)
      if (problem) throw new AppError(problem.code, `Step ${step}: ${problem.sentence}`)
    }
  }
}

function rejectField(index: number, field: string, sentence: string): never {
  const fields = { [`steps.${index}.${field}`]: sentence }
  throw new AppError('unprocessable', sentence, { fields })
}

async function updateFlow(
  { db, storeId }: StoreTx,
  flowId: string,
  { name, conditions }: FlowChange,
  now: Date,
): Promise<void> {
  await db
    .updateTable('flows')
    .set({ name, conditions, updated_at: now })
    .where('store_id', '=', storeId)
    .where('id', '=', flowId)
    .execute()
}

/** Includes removed steps. */
async function readStepNames({ db, storeId }: StoreTx, flowId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct t.name from flow_steps s join templates t on t.store_id = s.store_id and t.id = s.template_id
    where s.store_id = ${storeId} and s.flow_id = ${flowId}`.execute(db)
  return rows.map(({ name }) => name)
}

interface FlowChange {
  name: string
  conditions: FlowConditions | null
}

type PartialTexts = NonNullable<SavedStep['variants']>[number]['words']

/** Of a channel. */
interface KnownTexts {
  stored: Text | undefined
  defaultText: Text
}

const NO_TEXT: Text = { subject: '', body: '', design: null }

/** A step without an email shows the ready one, which a client may send back with another text. */
function emailIn(email: NonNullable<PartialTexts['email']>, { stored, defaultText }: KnownTexts): Text {
  const isReady = email.design && isDocumentOf(defaultText, email.design)
  return resolveContent(email, stored ?? (isReady ? defaultText : null))
}

/** The text in one shape for all channels; null: not in the request. */
function textIn(words: PartialTexts | undefined, channel: FlowChannel, known: KnownTexts): Text | null {
  if (channel === 'email') return words?.email ? emailIn(words.email, known) : null
  if (channel === 'sms') return words?.sms ? { ...NO_TEXT, body: words.sms.body } : null
  if (channel === 'push') return words?.push ? { ...NO_TEXT, subject: words.push.title, body: words.push.body } : null
  return null
}
