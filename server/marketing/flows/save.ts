import { type FlowChannels, flowTexts, type SaveEffect, type SaveFlow } from '../../../shared/flows.ts'
import { explain } from '../../../shared/reasons.ts'
import { readStore } from '../../access/stores/store.ts'
import { loadEntitlements } from '../../billing/billing/entitlements.ts'
import { hasFeature } from '../../billing/billing/rules.ts'
import { selectExistingCoupons } from '../../carts/coupons/for-messages.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { findTextProblem } from '../../delivery/compose/own-text.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, wakeStoreMessages } from '../../messages/messages/messages.ts'
import { applyEditedSteps } from '../../messages/messages/steps.ts'
import { findChannelProblems, minDelayMinutes, refreshTimeout } from './flows.ts'
import {
  checkSaved,
  isCouponChanged,
  isRuleAdded,
  type ResolvedStep,
  resolveSteps,
  type StoredStep,
} from './save-rules.ts'
import * as saveSql from './save-sql.ts'
import * as sql from './sql.ts'
import { COUPON_GONE, couponColumns } from './step-coupons.ts'
import { variantsOf } from './variants.ts'
import * as wordsSql from './variants-sql.ts'

// Saves a flow as a whole (decision 53): one transaction stores steps, text and variants, and updates open messages.

export async function saveFlow(deps: Deps, store: StoreDb<Db>, flowId: string, edit: SaveFlow): Promise<SaveEffect> {
  const known = await checkTexts(deps, store, flowId, edit)
  return transact(store, (tx) => save(deps, tx, { flowId, edit, ...known }))
}

/** Reports what saving would do: runs the same code and rolls back. */
export async function trySaveFlow(deps: Deps, store: StoreDb<Db>, flowId: string, edit: SaveFlow): Promise<SaveEffect> {
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
  problems: ReadonlyMap<string, string | null>
}

/** Runs before the transaction: rendering must not hold its locks. */
async function checkTexts(deps: Deps, store: StoreDb<Db>, flowId: string, edit: SaveFlow): Promise<TextProblems> {
  const row = requireFound(await readStore(store), 'Store')
  const { account_id: accountId } = row
  requireFound(await sql.readFlow(store, flowId), 'Flow')
  const entitlements = await loadEntitlements({ accountId, db: store.db }, deps.now())
  const channels = await findChannelProblems(deps, row)
  const resolved = resolveSteps({ stored: await storedSteps(store, flowId), taken: [] }, edit, newId)
  const asked = resolved.flatMap(({ words }) =>
    words.map(async ({ path, channel, subject, body }) => {
      const problem = channel === 'whatsapp' ? null : await findTextProblem(deps, accountId, { channel, subject, body })
      return [`${path} ${subject}\0${body}`, problem?.message ?? null] as const
    }),
  )
  return { channels, hasRules: hasFeature(entitlements, 'flow_rules'), problems: new Map(await Promise.all(asked)) }
}

async function storedSteps(store: StoreDb, flowId: string): Promise<StoredStep[]> {
  const steps = await sql.stepsOf(store, [flowId])
  const variants = await variantsOf(store, steps)
  return steps.map((step) => ({ ...step, variants: variants.get(step.id)! }))
}

interface SaveInput extends TextProblems {
  flowId: string
  edit: SaveFlow
}

async function save(deps: Deps, tx: StoreTx, { flowId, edit, ...known }: SaveInput): Promise<SaveEffect> {
  const now = deps.now()
  const flow = requireFound(await sql.lockFlow(tx, flowId), 'Flow')
  const row = requireFound(await readStore(tx), 'Store')
  const stored = await storedSteps(tx, flowId)
  // The member who saves has not seen that step and would remove it.
  if (edit.seenSteps && stored.some(({ id }) => !edit.seenSteps!.includes(id))) {
    throw new AppError('conflict', flowTexts.stepAdded)
  }
  const steps = resolveSteps({ stored, taken: await saveSql.readStepNames(tx, flowId) }, edit, newId)
  const conditions = edit.conditions === undefined ? flow.conditions : edit.conditions
  if (!known.hasRules && isRuleAdded({ flow, conditions, steps })) {
    throw new AppError('plan_required', flowTexts.rulesPlan)
  }
  checkSaved(steps, { minDelay: minDelayMinutes(deps, row), problemOfChannel: findChannelProblem(known.channels) })
  assertSendableText(steps, known.problems)
  await checkCoupons(tx, steps)
  await saveSql.updateFlow(tx, flowId, { name: edit.name, conditions }, now)
  await saveWords(tx, flowId, steps, now)
  const columns = steps.map((step) => toColumns(step, row.currency))
  await saveSql.saveSteps(tx, flowId, { steps: columns, addedAt: flow.is_on ? now : null, now })
  await refreshTimeout(tx)
  const effect = await applyEditedSteps(tx, { flowId, ...listChanges(stored, steps, columns) }, now)
  // Messages that wait for a code of the former coupon are decided again.
  if (steps.some(({ coupon }) => coupon !== undefined)) {
    await wakeStoreMessages(tx, ['coupon_pending', 'coupon_failed'], now)
  }
  await scheduleNextLook(tx)
  return effect
}

/** All further messages of the step use this variant; sent ones keep theirs. */
export async function chooseWinner(
  deps: Deps,
  store: StoreDb<Db>,
  { flowId, stepId }: { flowId: string; stepId: string },
  variantId: string,
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    requireFound(await sql.lockFlow(tx, flowId), 'Flow')
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
    const kept = [{ stepId, step: place, channels: [channel, ...fallback], templateId, isChanged: true }]
    await applyEditedSteps(tx, { flowId, removed: [], added: [], kept }, now)
    await scheduleNextLook(tx)
  })
}

/** A step may keep a channel it already has: whatever is missing holds its messages with a reason. */
const findChannelProblem =
  (channels: FlowChannels) =>
  (channel: 'sms' | 'whatsapp' | 'push'): { code: 'plan_required' | 'unprocessable'; sentence: string } | null => {
    const { problem } = channels[channel]
    const code = problem === explain('plan_required') ? 'plan_required' : 'unprocessable'
    return problem === null ? null : { code, sentence: problem }
  }

function assertSendableText(steps: readonly ResolvedStep[], problems: TextProblems['problems']): void {
  for (const { step, words } of steps) {
    for (const { path, subject, body } of words) {
      const problem = problems.get(`${path} ${subject}\0${body}`)
      if (problem === undefined) {
        throw new AppError('conflict', 'The flow has changed in the meantime. Please save again.')
      }
      if (problem) {
        throw new AppError('unprocessable', `Step ${step}: ${problem}`, { fields: { [`${path}.body`]: problem } })
      }
    }
  }
}

async function checkCoupons(tx: StoreTx, steps: readonly ResolvedStep[]): Promise<void> {
  const ids = steps.flatMap(({ coupon }) => coupon?.couponId ?? [])
  const known = ids.length > 0 ? await selectExistingCoupons(tx, ids) : new Set<string>()
  for (const { step, coupon } of steps) {
    if (!coupon || known.has(coupon.couponId)) continue
    const fields = { [`steps.${step - 1}.coupon`]: COUPON_GONE }
    throw new AppError('unprocessable', `Step ${step}: ${COUPON_GONE}`, { fields })
  }
}

const NO_COUPON = {
  ...{ coupon_id: null, coupon_fallback: 'without' as const, coupon_first_order_only: false },
  ...{ coupon_pause_days: 90, coupon_above_minor: null },
}

function toColumns(resolved: ResolvedStep, currency: string): saveSql.StepColumns {
  const { id, step, delayMinutes, channels, conditions, coupon, from, templateId } = resolved
  const asStored = from ?? NO_COUPON
  const { coupon_fallback, coupon_first_order_only, coupon_pause_days, coupon_above_minor } = asStored
  const kept = { coupon_fallback, coupon_first_order_only, coupon_pause_days, coupon_above_minor }
  return {
    ...{ id, step, delay_minutes: delayMinutes, channel: channels[0]!, fallback: channels.slice(1), conditions },
    template_id: templateId,
    ...kept,
    coupon_id: coupon === undefined ? asStored.coupon_id : null,
    ...(coupon && couponColumns(coupon, currency)),
  }
}

/** Runs before the steps, which reference a template. A step that is not split has no variant row. */
async function saveWords(tx: StoreTx, flowId: string, steps: readonly ResolvedStep[], now: Date): Promise<void> {
  const words = steps.flatMap((step) =>
    step.words.map(({ variantId, channel, templateId, subject, body }) => ({
      ...{ stepId: step.id, variantId, channel, templateId, name: step.name, subject, body },
    })),
  )
  if (words.length > 0) await wordsSql.saveWords(tx, flowId, words, now)
  const told = steps.filter(({ areVariantsTold }) => areVariantsTold)
  if (told.length === 0) return
  const variants = told.flatMap((step) =>
    step.variants.map(({ id, sharePercent }, index) => ({ stepId: step.id, id, place: index + 1, sharePercent })),
  )
  await wordsSql.saveVariants(tx, flowId, { stepIds: told.map(({ id }) => id), variants }, now)
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
    kept: steps.flatMap(({ id: stepId, step, channels, templateId, isChanged, from }, index) =>
      from
        ? [{ stepId, step, channels, templateId, isChanged: isChanged || isCouponChanged(columns[index]!, from) }]
        : [],
    ),
  }
}
