import type { FlowChannel, FlowCondition, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import type { FlowChannels, StepTexts } from '../../../shared/marketing/flows.ts'
import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { formatSpan } from '../../kits/flows/elapsed.ts'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import { couponProblems } from '../../kits/message-editor/step-coupon.ts'
import { type FlowDraft, MOST_DELAY_MINUTES, type StepDraft, selectCoupon } from './draft.ts'

// Validation errors of an edited flow, local and from the server. Pure.

/** By field; content of a variant by its key and channel: `words a1 email subject`. */
export type StepProblems = Readonly<Partial<Record<string, string>>>

export interface Problems {
  name?: string
  conditions?: string
  /** By step key. */
  steps: ReadonlyMap<string, StepProblems>
}

interface FlowContext {
  minDelayMinutes: number
  stored: FlowDraft
  /** Why a channel cannot be used. */
  channels: FlowChannels
}

export const hasProblems = ({ name, conditions, steps }: Problems): boolean =>
  name !== undefined || conditions !== undefined || steps.size > 0

/** A step that already uses the channel may keep it. */
export function checkFlow(draft: FlowDraft, known: FlowContext): Problems {
  const steps = new Map<string, StepProblems>()
  draft.steps.forEach((step, index) => {
    const found: Record<string, string> = {
      ...checkDelay(step, draft.steps[index - 1], known.minDelayMinutes),
      ...checkChannels(step, known),
      ...(isUnfinished(step.conditions) && { conditions: UNFINISHED }),
      ...couponProblems(selectCoupon(step)),
      ...checkVariants(step),
    }
    if (Object.keys(found).length > 0) steps.set(step.key, found)
  })
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name' }),
    ...(isUnfinished(draft.conditions) && { conditions: UNFINISHED }),
    steps,
  }
}

/** Error of a message that is due before the one above it. */
export const NOT_LATER = 'Must be later than the message before it'

const UNFINISHED = 'A condition is not complete yet'

function checkDelay(step: StepDraft, before: StepDraft | undefined, least: number): { delayMinutes?: string } {
  const { delayMinutes } = step
  if (!(delayMinutes >= least)) return { delayMinutes: `At least ${formatSpan(least)}` }
  if (delayMinutes > MOST_DELAY_MINUTES) return { delayMinutes: 'At most 30 days' }
  if (before && delayMinutes <= before.delayMinutes) return { delayMinutes: NOT_LATER }
  return {}
}

function checkChannels(
  { id, channels }: StepDraft,
  { stored, channels: obstacles }: FlowContext,
): { channels?: string } {
  const before = stored.steps.find((other) => other.id === id && id !== null)?.channels ?? []
  for (const channel of channels) {
    const problem = findObstacle(channel, obstacles)
    if (problem && !before.includes(channel)) return { channels: problem }
  }
  return {}
}

/** Why a channel cannot be used; null if it can. */
export const findObstacle = (channel: FlowChannel, obstacles: FlowChannels): string | null =>
  channel === 'email' ? null : obstacles[channel].problem

function checkVariants({ variants, channels }: StepDraft): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { key, words } of variants) {
    for (const channel of channels) {
      for (const [field, text] of Object.entries(checkContent(words, channel)))
        found[buildContentField(key, channel, field)] = text
    }
  }
  const shares = variants.map(({ sharePercent }) => sharePercent)
  if (variants.length > 1 && !shares.every((share) => Number.isInteger(share) && share >= 1)) {
    found.shares = 'Each needs a share of at least 1%'
  } else if (variants.length > 1 && shares.reduce((sum, share) => sum + share, 0) !== 100) {
    found.shares = 'The shares must add up to 100%'
  }
  return found
}

/** `field` of the message editor: subject or body. */
export const buildContentField = (variantKey: string, channel: string, field: string) =>
  `words ${variantKey} ${channel} ${field}`

/** The first variant and channel with an error in its content; null without one. */
export function findFirstContentError(problems: StepProblems): readonly [variantKey: string, channel: string] | null {
  const [, variantKey, channel] =
    Object.keys(problems)
      .find((field) => field.startsWith('words '))
      ?.split(' ') ?? []
  return variantKey !== undefined && channel !== undefined ? [variantKey, channel] : null
}

function checkContent({ email, sms, push }: StepTexts, channel: FlowChannel): { subject?: string; body?: string } {
  const isEmpty = (text: string) => text.trim() === ''
  if (channel === 'email') {
    if (isDesigned(email.design)) {
      const [problem] = findMailProblems(email.design)
      return problem ? { body: `${problem.where}: ${problem.text}` } : {}
    }
    return {
      ...(isEmpty(email.subject) && { subject: 'An email needs a subject' }),
      ...(isEmpty(email.body) && { body: 'An email needs a text' }),
    }
  }
  if (channel === 'push') {
    return {
      ...(isEmpty(push.title) && { subject: 'A notification needs a title' }),
      ...(isEmpty(push.body) && { body: 'A notification needs a text' }),
    }
  }
  return channel === 'sms' && isEmpty(sms.body) ? { body: 'An SMS needs a text' } : {}
}

/** A part is missing. */
export const isUnfinished = (conditions: FlowConditions | null): boolean =>
  conditions?.groups.some((group) => group.conditions.some((condition) => checkCondition(condition) !== null)) ?? false

export function checkCondition(condition: FlowCondition): string | null {
  switch (condition.fact) {
    case 'value':
      return condition.amount >= 0 && condition.amount <= 1_000_000_000 ? null : 'Enter an amount'
    case 'items':
    case 'orders':
      return Number.isInteger(condition.count) && condition.count >= 0 && condition.count <= 1_000
        ? null
        : 'Enter a whole number up to 1,000'
    case 'product':
      return condition.productIds.length > 0 ? null : 'Choose a product'
    case 'category':
      return condition.categoryIds.length > 0 ? null : 'Choose a category'
    case 'country':
      return condition.countries.length > 0 ? null : 'Choose a country'
    case 'language':
      return condition.languages.length > 0 ? null : 'Choose a language'
    case 'day':
      return condition.days.length > 0 ? null : 'Choose a day'
    case 'hour':
      return condition.from !== condition.until ? null : 'The two times must differ'
    default:
      return null
  }
}

/** The server's field errors: `steps.1.variants.0.words.email.body`. */
export function mapRefusedFields(fields: Readonly<Record<string, string>>, draft: FlowDraft): Problems {
  const steps = new Map<string, StepProblems>()
  const rest: { name?: string; conditions?: string } = {}
  for (const [path, text] of Object.entries(fields)) {
    const [root, place, ...more] = path.split('.')
    if (root === 'name') rest.name = text
    if (root === 'conditions') rest.conditions = text
    const step = root === 'steps' ? draft.steps[Number(place)] : undefined
    if (step) steps.set(step.key, { ...steps.get(step.key), [mapField(more, step)]: text })
  }
  return { ...rest, steps }
}

function mapField([field = '', ...more]: string[], { variants }: StepDraft): string {
  if (field === 'coupon') return more[0] === 'pauseDays' || more[0] === 'aboveAmount' ? more[0] : 'coupon'
  if (field !== 'variants') return field
  const [place, part, channel = '', name = ''] = more
  const variant = variants[Number(place)]
  if (!variant || part !== 'words') return 'shares'
  return buildContentField(variant.key, channel, name === 'title' ? 'subject' : name)
}
