import type { FlowChannel, FlowConditions } from '../../../shared/flow-conditions.ts'
import type { SaveFlow, StepCoupon } from '../../../shared/flows.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Step } from './sql.ts'
import type { CouponColumns } from './step-coupons.ts'
import { defaultText, type StoredVariant, type Text, textIn } from './variants.ts'

// Computes what a flow edit stores, and validates it. Pure.

export type StoredStep = Step & { variants: StoredVariant[] }

export interface ResolvedText extends Text {
  variantId: string
  channel: FlowChannel
  templateId: string
  /** Differs from the stored text. */
  isChanged: boolean
  /** Path of the text in the request. */
  path: string
}

export interface ResolvedStep {
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
  areVariantsTold: boolean
  /** Text to store, per variant and channel of the step. */
  words: ResolvedText[]
  /** Template of the first channel's text in the step's own variant. */
  templateId: string
  /** Channels, text or conditions differ; for the coupon see `isCouponChanged`. */
  isChanged: boolean
}

type SavedStep = SaveFlow['steps'][number]

/** `taken`: names of all steps of the flow, including removed ones. */
export function resolveSteps(
  { stored, taken }: { stored: readonly StoredStep[]; taken: readonly string[] },
  { steps }: Pick<SaveFlow, 'steps'>,
  makeId: () => string,
): ResolvedStep[] {
  const named = steps.flatMap(({ id }) => id ?? [])
  if (new Set(named).size < named.length) throw new AppError('unprocessable', 'A step may be named once.')
  const names = new Set(taken)
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
    return resolveStep(saved, { from, name, index, makeId })
  })
}

interface StepPosition {
  from: StoredStep | null
  name: string
  index: number
  makeId: () => string
}

function resolveStep(saved: SavedStep, place: StepPosition): ResolvedStep {
  const { from, name, index, makeId } = place
  const id = from?.id ?? makeId()
  const channels: FlowChannel[] = saved.channels ?? (from ? [from.channel, ...from.fallback] : ['email'])
  const variants = variantsIn(saved, { id, ...place })
  const words = variants.flatMap((variant, at) =>
    channels.flatMap((channel) => changedTexts(saved, { variant, at, channel, variants, index, makeId })),
  )
  const own = words.find(({ variantId, channel }) => variantId === id && channel === channels[0])
  const ownStored = from?.variants.find((variant) => variant.id === id)?.words.get(channels[0]!)
  const conditions = saved.conditions === undefined ? (from?.conditions ?? null) : saved.conditions
  const resolved = {
    ...{ id, step: index + 1, name, from, delayMinutes: saved.delayMinutes },
    ...{ channels, conditions, coupon: saved.coupon, words },
    variants: variants.map(({ id: variantId, sharePercent }) => ({ id: variantId, sharePercent })),
    areVariantsTold: variants.length > 1 || (from?.variants.length ?? 1) > 1 || variants[0]!.id !== id,
    templateId: own?.templateId ?? ownStored?.templateId ?? from?.template_id ?? words[0]!.templateId,
  }
  return { ...resolved, isChanged: from !== null && isStepChanged(resolved, from) }
}

const NAMES = ['First', 'Second', 'Third', 'Fourth', 'Fifth']
const defaultName = (index: number) => (NAMES[index] ? `${NAMES[index]} reminder` : `Reminder ${index + 1}`)

/** Named after its position; numbered if another step has that name. */
function freshName(index: number, taken: ReadonlySet<string>): string {
  const name = defaultName(index)
  if (!taken.has(name)) return name
  for (let number = 2; ; number += 1) {
    const apart = `${name} (${number})`
    if (!taken.has(apart)) return apart
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
    rejectField(index, 'variants', 'The shares of the variants must add up to 100 %.')
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
  makeId: () => string
}

/** Empty if the stored text is unchanged. */
function changedTexts(
  saved: SavedStep,
  { variant, at, channel, variants, index, makeId }: TextContext,
): ResolvedText[] {
  const given = textIn(saved.variants?.[at]?.words, channel)
  const stored = variant.stored?.words.get(channel)
  const isChanged = !stored || (given !== null && !isSameText(given, stored))
  if (!isChanged && stored.isRow) return []
  const first = textIn(saved.variants?.[0]?.words, channel) ?? variants[0]?.stored?.words.get(channel)
  const { subject, body } = given ?? stored ?? first ?? defaultText[channel]
  return [
    {
      ...{ variantId: variant.id, channel, templateId: stored?.templateId ?? makeId(), isChanged, subject, body },
      path: `steps.${index}.variants.${at}.words.${channel}`,
    },
  ]
}

const isSameText = (a: Text, b: Text) => a.subject === b.subject && a.body === b.body

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
export const isCouponChanged = (next: CouponColumns, before: CouponColumns): boolean =>
  next.coupon_id !== before.coupon_id ||
  (next.coupon_id !== null &&
    (next.coupon_fallback !== before.coupon_fallback ||
      next.coupon_first_order_only !== before.coupon_first_order_only ||
      next.coupon_pause_days !== before.coupon_pause_days ||
      next.coupon_above_minor !== before.coupon_above_minor))

/** Ignores key order: jsonb columns do not keep it. */
export function isSameJson(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown) =>
    JSON.stringify(value, (_, each: unknown) =>
      each !== null && typeof each === 'object' && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([x], [y]) => (x < y ? -1 : 1)))
        : each,
    )
  return sorted(a) === sorted(b)
}

/** Whether the edit adds or changes a feature of a larger plan; stored features stay allowed. */
export function isRuleAdded({
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

interface Checked {
  minDelay: number
  problemOfChannel: (
    channel: 'sms' | 'whatsapp' | 'push',
  ) => { code: 'plan_required' | 'unprocessable'; sentence: string } | null
}

export function checkSaved(steps: readonly ResolvedStep[], { minDelay, problemOfChannel }: Checked): void {
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
