import type { FlowChannel, FlowConditions } from '../../shared/flow-conditions.ts'
import { type FlowStep, type FlowView, type StepWords, variantName } from '../../shared/flows.ts'
import { listed } from '../ui/format.ts'
import { moved } from '../ui/reorder.ts'
import type { Words } from '../words/rules.ts'
import type { CouponEdit } from '../words/step-coupon.ts'

// What is edited of a flow, and what editing does to it. Pure.

export interface VariantDraft {
  /** Its id, or a name of its own while it is not saved. */
  key: string
  /** null: not saved yet. */
  id: string | null
  /** null: it gets the next one when it is saved. */
  name: string | null
  /** NaN while nothing is typed. */
  sharePercent: number
  words: StepWords
}

export interface StepDraft extends CouponEdit {
  key: string
  id: string | null
  name: string
  /** From the shopper's last activity. NaN while nothing is typed. */
  delayMinutes: number
  /** The first that can go does. */
  channels: readonly FlowChannel[]
  conditions: FlowConditions | null
  /** More than one: a split test. */
  variants: readonly VariantDraft[]
  /** Saved, with those that are over. */
  variantsSoFar: number
}

export interface FlowDraft {
  name: string
  conditions: FlowConditions | null
  steps: readonly StepDraft[]
}

export const MOST_STEPS = 20
export const MOST_VARIANTS = 4
export const MOST_DELAY_MINUTES = 43_200
const DAY_MINUTES = 1_440

export const draftOf = ({ name, conditions, steps }: FlowView): FlowDraft => ({
  name,
  conditions,
  steps: steps.map(stepDraftOf),
})

const stepDraftOf = (step: FlowStep): StepDraft => {
  const { id, name, delayMinutes, channels, conditions, coupon, couponShown, variants, variantsSoFar } = step
  return {
    ...{ key: id, id, name, delayMinutes, channels, conditions, coupon, couponShown, variantsSoFar },
    variants: variants.map(({ id: variantId, name: letter, sharePercent, words }) => {
      return { key: variantId, id: variantId, name: letter, sharePercent, words }
    }),
  }
}

export const isSameDraft = (a: FlowDraft, b: FlowDraft): boolean => inText(a) === inText(b)

/** What is empty is not null, and what is only shown is no change. */
export const inText = (value: unknown): string =>
  JSON.stringify(value, (key, each: unknown) =>
    key === 'couponShown' ? undefined : Number.isNaN(each) ? 'empty' : each,
  )

export const withStep = (draft: FlowDraft, key: string, next: Partial<StepDraft>): FlowDraft => ({
  ...draft,
  steps: draft.steps.map((step) => (step.key === key ? { ...step, ...next } : step)),
})

/** The times stay where they are on the time line: what is moved goes at the time of its new place. */
export function withMoved(draft: FlowDraft, from: number, to: number): FlowDraft {
  const times = draft.steps.map(({ delayMinutes }) => delayMinutes)
  const steps = moved(draft.steps, from, to).map((step, index) => ({ ...step, delayMinutes: times[index]! }))
  return { ...draft, steps }
}

/**
 * The place at which a message is in order with those above it and keeps its time, above where it is. null: it is in order, another goes at the
 * same time, or no time is typed.
 */
export function placeUp({ steps }: FlowDraft, key: string): number | null {
  const from = steps.findIndex((step) => step.key === key)
  const { delayMinutes } = steps[from]!
  const to = steps.findIndex((step) => step.delayMinutes > delayMinutes)
  const isAlone = steps.every((step) => step.key === key || step.delayMinutes !== delayMinutes)
  return isAlone && to >= 0 && to < from ? to : null
}

/** Each message keeps its time, unlike `withMoved`. */
export const withMovedUp = (draft: FlowDraft, from: number, to: number): FlowDraft => ({
  ...draft,
  steps: moved(draft.steps, from, to),
})

export const withoutStep = (draft: FlowDraft, key: string): FlowDraft => ({
  ...draft,
  steps: draft.steps.filter((step) => step.key !== key),
})

/** Behind the step with this key; null: at the end. */
export function withAdded(draft: FlowDraft, step: Omit<StepDraft, 'delayMinutes'>, after: string | null): FlowDraft {
  const index = after === null ? draft.steps.length : draft.steps.findIndex(({ key }) => key === after) + 1
  const added = { ...step, delayMinutes: timeBetween(draft.steps[index - 1], draft.steps[index]) }
  return { ...draft, steps: [...draft.steps.slice(0, index), added, ...draft.steps.slice(index)] }
}

/** A day after the message before, or halfway to the one that follows. NaN: there is no time between them. */
function timeBetween(before: StepDraft | undefined, next: StepDraft | undefined): number {
  const from = before?.delayMinutes ?? 0
  if (!next) return before ? Math.min(from + DAY_MINUTES, MOST_DELAY_MINUTES) : 60
  const until = next.delayMinutes
  const half = from + DAY_MINUTES < until ? from + DAY_MINUTES : roundTime((from + until) / 2)
  return half > from && half < until ? half : Number.NaN
}

/** To whole hours where that leaves something of it. */
const roundTime = (minutes: number) => (minutes > 120 ? Math.round(minutes / 60) * 60 : Math.floor(minutes))

/** The same under keys of its own. */
export const copyOf = (step: StepDraft, keyOf: () => string): StepDraft => ({
  ...step,
  key: keyOf(),
  id: null,
  variants: step.variants.map((variant) => ({ ...variant, key: keyOf(), id: null, name: null })),
  variantsSoFar: 0,
})

/** A first choice; one that was a fallback changes places with it. */
export function withFirstChannel(channels: readonly FlowChannel[], first: FlowChannel): FlowChannel[] {
  const before = channels[0]!
  if (!channels.includes(first)) return [first, ...channels.slice(1)]
  return channels.map((channel) => (channel === first ? before : channel === before ? first : channel))
}

/** The words a channel has, in the fields of the word editor: a notification's title stands where a mail has its subject. */
export function wordsOf({ email, sms, push }: StepWords, channel: FlowChannel): Words {
  if (channel === 'push') return { subject: push.title, body: push.body }
  return { subject: email.subject, body: channel === 'sms' ? sms.body : email.body }
}

export function withWords(words: StepWords, channel: FlowChannel, { subject, body }: Partial<Words>): StepWords {
  const text = body === undefined ? {} : { body }
  if (channel === 'push') {
    return { ...words, push: { ...words.push, ...(subject !== undefined && { title: subject }), ...text } }
  }
  if (channel === 'sms') return { ...words, sms: { ...words.sms, ...text } }
  return { ...words, email: { ...words.email, ...(subject !== undefined && { subject }), ...text } }
}

export const withVariant = (step: StepDraft, key: string, next: Partial<VariantDraft>): Partial<StepDraft> => ({
  variants: step.variants.map((variant) => (variant.key === key ? { ...variant, ...next } : variant)),
})

/** One more, with the words of another; all get the same share. */
export function withNewVariant({ variants }: StepDraft, of: VariantDraft, key: string): Partial<StepDraft> {
  return { variants: shared([...variants, { ...of, key, id: null, name: null }]) }
}

export function withoutVariant({ variants }: StepDraft, key: string): Partial<StepDraft> {
  return { variants: shared(variants.filter((variant) => variant.key !== key)) }
}

/** Equal shares that make 100; the first ones get what is left over. */
export function shared(variants: readonly VariantDraft[]): VariantDraft[] {
  const each = Math.floor(100 / variants.length)
  const rest = 100 - each * variants.length
  return variants.map((variant, index) => ({ ...variant, sharePercent: each + (index < rest ? 1 : 0) }))
}

/** Variants with the same words in each channel of the step: a test of them shows nothing. null: there are none. */
export function sameWords(step: Pick<StepDraft, 'variants' | 'variantsSoFar' | 'channels'>): string[] | null {
  const told = step.channels.filter((channel) => channel !== 'whatsapp')
  const textOf = ({ words }: VariantDraft) =>
    JSON.stringify(
      told.map((channel) => {
        const { subject, body } = wordsOf(words, channel)
        return [channel === 'sms' ? '' : subject.trim(), body.trim()]
      }),
    )
  const alike = [...Map.groupBy(step.variants, textOf).values()].find(({ length }) => length > 1)
  return alike ? alike.map(({ key }) => letterOf(step, key)) : null
}

export const sameText = (names: readonly string[]): string =>
  `${listed(names)} have the same text, so the test cannot show a difference`

/** A, B, C …: one that is not saved yet has the name that saving gives it. */
export function letterOf(
  { variants, variantsSoFar }: Pick<StepDraft, 'variants' | 'variantsSoFar'>,
  key: string,
): string {
  const fresh = variants.filter(({ name }) => name === null)
  const known = variants.find((variant) => variant.key === key)?.name
  return known ?? variantName(variantsSoFar + fresh.findIndex((variant) => variant.key === key))
}

/** The approved words of WhatsApp cannot name one: without another channel the step has none. */
export const couponOf = ({ channels, coupon }: Pick<StepDraft, 'channels' | 'coupon'>) =>
  channels.every((channel) => channel === 'whatsapp') ? null : coupon

/** Keys that nothing in the draft has. */
export function freshKeys({ steps }: FlowDraft): () => string {
  const taken = new Set(steps.flatMap(({ key, variants }) => [key, ...variants.map((variant) => variant.key)]))
  let number = 0
  return () => {
    do number += 1
    while (taken.has(`new-${number}`))
    return `new-${number}`
  }
}
