import type { ConditionFact, FlowCondition, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { parseMinor } from '../../../shared/core/money.ts'

// Evaluates conditions of flows and steps (decision 52). Pure.

/** Values of a cart and its shopper that conditions use. */
export interface ConditionValues {
  valueMinor: number
  currency: string
  /** Currency of amounts in conditions. */
  storeCurrency: string
  /** Sum of the quantities. */
  items: number
  productIds: readonly string[]
  /** Of products with known categories. */
  categoryIds: readonly string[]
  /** ISO 3166 alpha-2; null: unknown. */
  country: string | null
  /** Number of orders placed before the cart. */
  orders: number
  /** True also by the store's own order count. */
  hasBoughtBefore: boolean
  hasCoupon: boolean
  hasPhone: boolean
  /** Channels with a consent of the shopper. */
  consents: readonly string[]
  language: string | null
  /** Of the shopper. */
  timeZone: string
  /** Day 1 to 7 from Monday, and hour, in that time zone. */
  day: number
  hour: number
}

/** Values that conditions read, for the record: without address or name. */
export type EvaluatedValues = Partial<Record<ConditionFact, unknown>>

export interface ConditionFinding {
  holds: boolean
  /** The conditions that do not match, if the result is negative. */
  unmet: FlowCondition[]
  values: EvaluatedValues
}

/** null: no conditions, which always match. All values are recorded, even after the result is certain. */
export function evaluateConditions(conditions: FlowConditions | null, facts: ConditionValues): ConditionFinding {
  if (!conditions) return { holds: true, unmet: [], values: {} }
  const { match, groups } = conditions
  const found = groups.map((group) =>
    combine(
      group.match,
      group.conditions.map((each) => matchesCondition(each, facts)),
    ),
  )
  const evaluatedValues = Object.fromEntries(
    groups.flatMap((group) => group.conditions.map((each) => [each.fact, readValue(each.fact, facts)])),
  )
  const holds = combine(match, found)
  const failing = holds ? [] : groups.filter((_, index) => !found[index])
  const unmet = failing.flatMap((group) => group.conditions.filter((each) => !matchesCondition(each, facts)))
  return { holds, unmet, values: evaluatedValues }
}

const combine = (match: 'all' | 'any', parts: readonly boolean[]) =>
  match === 'all' ? parts.every(Boolean) : parts.some(Boolean)

export function matchesCondition(condition: FlowCondition, facts: ConditionValues): boolean {
  switch (condition.fact) {
    case 'value':
      return matchesValue(condition, facts)
    case 'items':
      return matchesCount(condition, facts.items)
    case 'orders':
      return matchesCount(condition, facts.orders)
    case 'product':
      return hasAny(condition.productIds, facts.productIds) === (condition.is === 'contains')
    case 'category':
      return hasAny(condition.categoryIds, facts.categoryIds) === (condition.is === 'contains')
    case 'country':
      return isAmong(condition.countries, facts.country) === (condition.is === 'one_of')
    case 'language':
      return isAmong(condition.languages, facts.language) === (condition.is === 'one_of')
    case 'buyer':
      return facts.hasBoughtBefore === (condition.is === 'returning')
    case 'coupon':
      return facts.hasCoupon === (condition.is === 'present')
    case 'phone':
      return facts.hasPhone === (condition.is === 'present')
    case 'consent':
      return facts.consents.includes(condition.channel) === (condition.is === 'given')
    case 'day':
      return condition.days.includes(facts.day)
    case 'hour':
      return isWithin(condition, facts.hour)
  }
}

function matchesValue(
  { is, amount }: Extract<FlowCondition, { fact: 'value' }>,
  { valueMinor, currency, storeCurrency }: ConditionValues,
): boolean {
  const boundMinor = currency === storeCurrency ? parseMinor(amount, storeCurrency) : null
  if (boundMinor === null) return false
  switch (is) {
    case 'above':
      return valueMinor > boundMinor
    case 'at_least':
      return valueMinor >= boundMinor
    case 'at_most':
      return valueMinor <= boundMinor
    case 'below':
      return valueMinor < boundMinor
  }
}

const matchesCount = ({ is, count }: { is: 'at_least' | 'at_most'; count: number }, known: number) =>
  is === 'at_least' ? known >= count : known <= count

const hasAny = (allowed: readonly string[], known: readonly string[]) => allowed.some((each) => known.includes(each))
const isAmong = (allowed: readonly string[], known: string | null) => known !== null && allowed.includes(known)

const isWithin = ({ from, until }: { from: number; until: number }, hour: number) =>
  from < until ? hour >= from && hour < until : hour >= from || hour < until

function readValue(fact: ConditionFact, facts: ConditionValues): unknown {
  switch (fact) {
    case 'value':
      return { minor: facts.valueMinor, currency: facts.currency }
    case 'product':
      return facts.productIds
    case 'category':
      return facts.categoryIds
    case 'buyer':
      return facts.hasBoughtBefore ? 'returning' : 'first_time'
    case 'coupon':
      return facts.hasCoupon
    case 'phone':
      return facts.hasPhone
    case 'consent':
      return facts.consents
    default:
      return facts[fact]
  }
}
