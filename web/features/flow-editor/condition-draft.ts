import type { ConditionGroup, FlowCondition, FlowConditions } from '../../../shared/carts/flow-conditions.ts'

// Conditions while they are edited. null: there are none. Pure.

export type Fact = FlowCondition['fact']

/** In display order, by subject. */
export const offeredFacts: readonly { about: string; facts: readonly Fact[] }[] = [
  { about: 'The cart', facts: ['value', 'items', 'product', 'category', 'coupon'] },
  { about: 'The shopper', facts: ['buyer', 'orders', 'country', 'language', 'phone', 'consent'] },
  { about: 'The time', facts: ['day', 'hour'] },
]

export const factNames: Record<Fact, string> = {
  value: 'Cart value',
  items: 'Number of items',
  product: 'Product in the cart',
  category: 'Category in the cart',
  coupon: 'Coupon in the cart',
  buyer: 'First-time or returning buyer',
  orders: 'Orders so far',
  country: 'Country',
  language: 'Language',
  phone: 'Phone number',
  consent: 'Consent for a channel',
  day: 'Day of the week',
  hour: 'Time of day',
}

/** Initial values: choices are empty, numbers are NaN until typed. */
export function createCondition(fact: Fact): FlowCondition {
  switch (fact) {
    case 'value':
      return { fact, is: 'above', amount: Number.NaN }
    case 'items':
      return { fact, is: 'at_least', count: 2 }
    case 'product':
      return { fact, is: 'contains', productIds: [] }
    case 'category':
      return { fact, is: 'contains', categoryIds: [] }
    case 'country':
      return { fact, is: 'one_of', countries: [] }
    case 'buyer':
      return { fact, is: 'first_time' }
    case 'orders':
      return { fact, is: 'at_least', count: 1 }
    case 'coupon':
      return { fact, is: 'absent' }
    case 'phone':
      return { fact, is: 'present' }
    case 'consent':
      return { fact, is: 'given', channel: 'email' }
    case 'language':
      return { fact, is: 'one_of', languages: [] }
    case 'day':
      return { fact, is: 'one_of', days: [1, 2, 3, 4, 5] }
    case 'hour':
      return { fact, is: 'between', from: 9, until: 18 }
  }
}

export const countConditions = (conditions: FlowConditions | null): number =>
  conditions?.groups.reduce((sum, group) => sum + group.conditions.length, 0) ?? 0

/** `group` null: in a new group. */
export function addCondition(
  conditions: FlowConditions | null,
  condition: FlowCondition,
  group: number | null,
): FlowConditions {
  const { match, groups } = conditions ?? { match: 'all', groups: [] }
  const alone: ConditionGroup = { match: 'all', conditions: [condition] }
  if (group === null || !groups[group]) return { match, groups: [...groups, alone] }
  return { match, groups: groups.map((each, index) => (index === group ? added(each, condition) : each)) }
}

const added = (group: ConditionGroup, condition: FlowCondition): ConditionGroup => ({
  ...group,
  conditions: [...group.conditions, condition],
})

/** `next` null: remove; an empty group is removed too. */
export function changeCondition(
  { match, groups }: FlowConditions,
  [group, place]: readonly [group: number, place: number],
  next: FlowCondition | null,
): FlowConditions | null {
  const validGroups = groups
    .map((each, index) => (index === group ? changeGroup(each, place, next) : each))
    .filter(({ conditions }) => conditions.length > 0)
  return validGroups.length === 0 ? null : { match, groups: validGroups }
}

const changeGroup = (group: ConditionGroup, place: number, next: FlowCondition | null): ConditionGroup => ({
  ...group,
  conditions: group.conditions.flatMap((each, index) => (index === place ? (next ?? []) : each)),
})

/** Joins a group's conditions by all or any; `group` null joins the groups. */
export function setMatch(conditions: FlowConditions, match: 'all' | 'any', group: number | null): FlowConditions {
  if (group === null) return { ...conditions, match }
  return {
    ...conditions,
    groups: conditions.groups.map((each, index) => (index === group ? { ...each, match } : each)),
  }
}
