import type { FlowChannel, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { getVariantName, type StepTexts } from '../../../shared/marketing/flows.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { formatNames } from '../../core/ui/format.ts'
import { moveItem } from '../../core/ui/reorder.ts'
import { formatVariables } from '../../kits/flows/rules.ts'
import type { Words } from '../../kits/message-editor/rules.ts'
import type { CouponEdit } from '../../kits/message-editor/step-coupon.ts'

// The edited flow and the operations on it. Pure.

export interface VariantDraft {
  /** Its id, or a temporary key until saved. */
  key: string
  /** null: not saved yet. */
  id: string | null
  /** null: the server assigns the next one on saving. */
  name: string | null
  /** NaN while empty. */
  sharePercent: number
  words: StepTexts
}

export interface StepDraft extends CouponEdit {
  key: string
  id: string | null
  name: string
  /** Since the shopper's last activity. NaN while empty. */
  delayMinutes: number
  /** In order of preference: the first usable channel sends. */
  channels: readonly FlowChannel[]
  conditions: FlowConditions | null
  /** More than one: an A/B test. */
  variants: readonly VariantDraft[]
  /** Saved variants, including ended ones. */
  variantsSoFar: number
}

export interface FlowDraft {
  name: string
  conditions: FlowConditions | null
  steps: readonly StepDraft[]
}

export const MOST_DELAY_MINUTES = 43_200
const DAY_MINUTES = 1_440

export const isSameDraft = (a: FlowDraft, b: FlowDraft): boolean => serialize(a) === serialize(b)

/** Normalizes empty values and drops display-only fields, so they count as no change. */
export const serialize = (value: unknown): string =>
  JSON.stringify(value, (key, each: unknown) =>
    key === 'couponShown' ? undefined : Number.isNaN(each) ? 'empty' : each,
  )

export const changeStep = (draft: FlowDraft, key: string, next: Partial<StepDraft>): FlowDraft => ({
  ...draft,
  steps: draft.steps.map((step) => (step.key === key ? { ...step, ...next } : step)),
})

/** The times keep their places on the timeline: a moved message takes the time of its new position. */
export function moveStep(draft: FlowDraft, from: number, to: number): FlowDraft {
  const times = draft.steps.map(({ delayMinutes }) => delayMinutes)
  const steps = moveItem(draft.steps, from, to).map((step, index) => ({ ...step, delayMinutes: times[index]! }))
  return { ...draft, steps }
}

/** The position that fits the message's time, if above its current one. null: in order, a tie, or no time typed. */
export function findPlaceUp({ steps }: FlowDraft, key: string): number | null {
  const from = steps.findIndex((step) => step.key === key)
  const { delayMinutes } = steps[from]!
  const to = steps.findIndex((step) => step.delayMinutes > delayMinutes)
  const isAlone = steps.every((step) => step.key === key || step.delayMinutes !== delayMinutes)
  return isAlone && to >= 0 && to < from ? to : null
}

/** Each message keeps its time, unlike `moveStep`. */
export const moveStepUp = (draft: FlowDraft, from: number, to: number): FlowDraft => ({
  ...draft,
  steps: moveItem(draft.steps, from, to),
})

export const removeStep = (draft: FlowDraft, key: string): FlowDraft => ({
  ...draft,
  steps: draft.steps.filter((step) => step.key !== key),
})

/** After the step with this key; null: at the end. */
export function addStep(draft: FlowDraft, step: Omit<StepDraft, 'delayMinutes'>, after: string | null): FlowDraft {
  const index = after === null ? draft.steps.length : draft.steps.findIndex(({ key }) => key === after) + 1
  const added = { ...step, delayMinutes: findTimeBetween(draft.steps[index - 1], draft.steps[index]) }
  return { ...draft, steps: [...draft.steps.slice(0, index), added, ...draft.steps.slice(index)] }
}

/** A day after the previous message, or halfway to the next. NaN: there is no time between them. */
function findTimeBetween(before: StepDraft | undefined, next: StepDraft | undefined): number {
  const from = before?.delayMinutes ?? 0
  if (!next) return before ? Math.min(from + DAY_MINUTES, MOST_DELAY_MINUTES) : 60
  const until = next.delayMinutes
  const half = from + DAY_MINUTES < until ? from + DAY_MINUTES : roundTime((from + until) / 2)
  return half > from && half < until ? half : Number.NaN
}

/** Rounded to whole hours unless that gives zero. */
const roundTime = (minutes: number) => (minutes > 120 ? Math.round(minutes / 60) * 60 : Math.floor(minutes))

/** A copy with new keys. */
export const copyStep = (step: StepDraft, createKey: () => string): StepDraft => ({
  ...step,
  key: createKey(),
  id: null,
  variants: step.variants.map((variant) => ({ ...variant, key: createKey(), id: null, name: null })),
  variantsSoFar: 0,
})

/** Sets the first choice; if it was a fallback, both swap places. */
export function setFirstChannel(channels: readonly FlowChannel[], first: FlowChannel): FlowChannel[] {
  const before = channels[0]!
  if (!channels.includes(first)) return [first, ...channels.slice(1)]
  return channels.map((channel) => (channel === first ? before : channel === before ? first : channel))
}

/** A channel's content in the message editor's fields: a notification's title is the subject. */
export function getContent({ email, sms, push }: StepTexts, channel: FlowChannel): Words {
  if (channel === 'push') return { subject: push.title, body: push.body }
  return { subject: email.subject, body: channel === 'sms' ? sms.body : email.body }
}

export function setContent(texts: StepTexts, channel: FlowChannel, { subject, body }: Partial<Words>): StepTexts {
  const text = body === undefined ? {} : { body }
  if (channel === 'push') {
    return { ...texts, push: { ...texts.push, ...(subject !== undefined && { title: subject }), ...text } }
  }
  if (channel === 'sms') return { ...texts, sms: { ...texts.sms, ...text } }
  // The text replaces the document.
  const { design: _, ...email } = texts.email
  return { ...texts, email: { ...email, ...(subject !== undefined && { subject }), ...text } }
}

export const setDesign = (texts: StepTexts, design: MailDocument): StepTexts => ({
  ...texts,
  email: { ...texts.email, design },
})

export const changeVariant = (step: StepDraft, key: string, next: Partial<VariantDraft>): Partial<StepDraft> => ({
  variants: step.variants.map((variant) => (variant.key === key ? { ...variant, ...next } : variant)),
})

/** Adds a variant with the content of another; shares become equal. */
export function addVariant({ variants }: StepDraft, of: VariantDraft, key: string): Partial<StepDraft> {
  return { variants: shareEqually([...variants, { ...of, key, id: null, name: null }]) }
}

export function removeVariant({ variants }: StepDraft, key: string): Partial<StepDraft> {
  return { variants: shareEqually(variants.filter((variant) => variant.key !== key)) }
}

/** Equal shares that sum to 100; the first ones get the remainder. */
export function shareEqually(variants: readonly VariantDraft[]): VariantDraft[] {
  const each = Math.floor(100 / variants.length)
  const rest = 100 - each * variants.length
  return variants.map((variant, index) => ({ ...variant, sharePercent: each + (index < rest ? 1 : 0) }))
}

const MAX_PREVIEW_TEXT = 160

/** The beginning of a text, without headings, conditions and lines that are a variable only. */
export function buildPreviewText(body: string): string {
  const lines = body
    .split('\n')
    .map((line) => line.replace(/\{%[^%]*%\}/g, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !/^\{\{[^}]*\}\}$/.test(line))
  return formatVariables(lines.join(' ')).slice(0, MAX_PREVIEW_TEXT)
}

/** Variants with identical content in every channel of the step, which makes the test useless. null: none. */
export function findEqualVariants(step: Pick<StepDraft, 'variants' | 'variantsSoFar' | 'channels'>): string[] | null {
  const billedChannels = step.channels.filter((channel) => channel !== 'whatsapp')
  const formatNumber = ({ words }: VariantDraft) =>
    JSON.stringify(
      billedChannels.map((channel) => {
        const { subject, body } = getContent(words, channel)
        const { design } = words.email
        if (channel === 'email' && isDesigned(design)) return [JSON.stringify(design)]
        return [channel === 'sms' ? '' : subject.trim(), body.trim()]
      }),
    )
  const alike = [...Map.groupBy(step.variants, formatNumber).values()].find(({ length }) => length > 1)
  return alike ? alike.map(({ key }) => getVariantLetter(step, key)) : null
}

export const describeEqualVariants = (names: readonly string[]): string =>
  `${formatNames(names)} have the same text, so the test cannot show a difference`

/** A, B, C …: an unsaved variant shows the name it will get. */
export function getVariantLetter(
  { variants, variantsSoFar }: Pick<StepDraft, 'variants' | 'variantsSoFar'>,
  key: string,
): string {
  const fresh = variants.filter(({ name }) => name === null)
  const known = variants.find((variant) => variant.key === key)?.name
  return known ?? getVariantName(variantsSoFar + fresh.findIndex((variant) => variant.key === key))
}

/** Approved WhatsApp templates cannot contain a coupon, so a WhatsApp-only step has none. */
export const selectCoupon = ({ channels, coupon }: Pick<StepDraft, 'channels' | 'coupon'>) =>
  channels.every((channel) => channel === 'whatsapp') ? null : coupon

/** Creates keys that the draft does not use yet. */
export function createKeys({ steps }: FlowDraft): () => string {
  const usedKeys = new Set(steps.flatMap(({ key, variants }) => [key, ...variants.map((variant) => variant.key)]))
  let number = 0
  return () => {
    do number += 1
    while (usedKeys.has(`new-${number}`))
    return `new-${number}`
  }
}
