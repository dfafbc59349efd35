import { z } from 'zod'

// Conditions of flows and steps as data (decision 52). server/carts/flow-choice/conditions.ts evaluates them.

/** Maximum in one set of conditions, over all groups. */
export const MAX_CONDITIONS = 20

export const FlowChannel = z.enum(['email', 'sms', 'whatsapp', 'push'])
export type FlowChannel = z.infer<typeof FlowChannel>

/** Push has no consent of its own: the browser's subscription is the consent, and the channel choice checks it. */
const ConsentChannel = FlowChannel.exclude(['push'])
type ConsentChannel = z.infer<typeof ConsentChannel>

export const CONDITION_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'] as const
export type ConditionLanguage = (typeof CONDITION_LANGUAGES)[number]

const isUnique = (values: readonly (string | number)[]) => new Set(values).size === values.length
const createList = <Item extends z.ZodType<string | number>>(item: Item, max: number) =>
  z.array(item).min(1).max(max).refine(isUnique, 'Each may be named once.')
const recordId = z.string().trim().min(1).max(200)
const count = z.number().int().min(0).max(1_000)
const among = z.enum(['one_of', 'not_one_of'])
const presence = z.enum(['present', 'absent'])

export const FlowCondition = z.discriminatedUnion('fact', [
  /** Value of the cart in the store's currency. False for a cart in another currency. */
  z.object({
    fact: z.literal('value'),
    is: z.enum(['above', 'at_least', 'at_most', 'below']),
    amount: z.number().min(0).max(1_000_000_000),
  }),
  /** Number of items in the cart. */
  z.object({ fact: z.literal('items'), is: z.enum(['at_least', 'at_most']), count }),
  /** Any of them, or none of them. */
  z.object({ fact: z.literal('product'), is: z.enum(['contains', 'lacks']), productIds: createList(recordId, 20) }),
  /** As in the store: a WooCommerce category or a Shopify product type. */
  z.object({ fact: z.literal('category'), is: z.enum(['contains', 'lacks']), categoryIds: createList(recordId, 20) }),
  /** An unknown country is not one of any. */
  z.object({ fact: z.literal('country'), is: among, countries: createList(z.string().regex(/^[A-Z]{2}$/), 50) }),
  z.object({ fact: z.literal('buyer'), is: z.enum(['first_time', 'returning']) }),
  /** Orders placed before this cart. */
  z.object({ fact: z.literal('orders'), is: z.enum(['at_least', 'at_most']), count }),
  /** Entered in the cart. */
  z.object({ fact: z.literal('coupon'), is: presence }),
  z.object({ fact: z.literal('phone'), is: presence }),
  /** Given by the shopper and not withdrawn. */
  z.object({ fact: z.literal('consent'), is: z.enum(['given', 'missing']), channel: ConsentChannel }),
  /** Chosen on one of our pages, else as the shop reports it; an unknown language is not one of any. */
  z.object({
    fact: z.literal('language'),
    is: among,
    languages: createList(z.enum(CONDITION_LANGUAGES), CONDITION_LANGUAGES.length),
  }),
  /** Weekday at the shopper's place, 1 is Monday. */
  z.object({ fact: z.literal('day'), is: z.literal('one_of'), days: createList(z.number().int().min(1).max(7), 7) }),
  /** From one full hour to another at the shopper's place; across midnight if the first is later. */
  z.object({
    fact: z.literal('hour'),
    is: z.literal('between'),
    from: z.number().int().min(0).max(23),
    until: z.number().int().min(1).max(24),
  }),
])
export type FlowCondition = z.infer<typeof FlowCondition>
export type ConditionFact = FlowCondition['fact']

const match = z.enum(['all', 'any'])

export const ConditionGroup = z.object({ match, conditions: z.array(FlowCondition).min(1).max(MAX_CONDITIONS) })
export type ConditionGroup = z.infer<typeof ConditionGroup>

/** Groups of conditions, one level deep. */
export const FlowConditions = z
  .object({ match, groups: z.array(ConditionGroup).min(1).max(MAX_CONDITIONS) })
  .refine(
    ({ groups }) => groups.reduce((sum, { conditions }) => sum + conditions.length, 0) <= MAX_CONDITIONS,
    `At most ${MAX_CONDITIONS} conditions together.`,
  )
export type FlowConditions = z.infer<typeof FlowConditions>

/** Whether two conditions are equal apart from their order. null: matches all carts. */
export const isSameConditions = (a: FlowConditions | null, b: FlowConditions | null): boolean =>
  joinConditions(a) === joinConditions(b)

function joinConditions(conditions: FlowConditions | null): string {
  const groupText = ({ match, conditions: each }: ConditionGroup) => joinTexts(match, each.map(getConditionText))
  return conditions === null ? '' : joinTexts(conditions.match, conditions.groups.map(groupText))
}

const getConditionText = (condition: FlowCondition): string =>
  Object.entries(condition)
    .map(([part, value]) => `${part} ${JSON.stringify(Array.isArray(value) ? value.toSorted() : value)}`)
    .toSorted()
    .join()

/** A single condition needs no "all" or "any". */
const joinTexts = (match: 'all' | 'any', texts: readonly string[]): string =>
  texts.length === 1 ? texts[0]! : `${match}(${texts.toSorted().join()})`

/** Display names for the ids in conditions. */
export interface ConditionNames {
  money: (amount: number) => string
  product: (id: string) => string
  category: (id: string) => string
  country: (code: string) => string
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
export const conditionLanguageNames: Record<ConditionLanguage, string> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  nl: 'Dutch',
  pt: 'Portuguese',
  pl: 'Polish',
}
const CHANNELS: Record<ConsentChannel, string> = { email: 'email', sms: 'SMS', whatsapp: 'WhatsApp' }

const joinWithOr = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`

const formatPieces = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/** 1 is Monday. */
export const getDayText = (day: number): string => DAYS[day - 1]!

/** Format of all screens, "9:00 AM"; 24 is the end of a day. */
export function getHourText(hour: number): string {
  return hour === 24 ? 'midnight' : `${hour % 12 || 12}:00 ${hour < 12 ? 'AM' : 'PM'}`
}

const WORTH = { above: 'more than', at_least: 'at least', at_most: 'at most', below: 'less than' }

/** Part of an English sentence: “the cart is worth more than $100”. */
export function describeCondition(condition: FlowCondition, names: ConditionNames): string {
  switch (condition.fact) {
    case 'value':
      return `the cart is worth ${WORTH[condition.is]} ${names.money(condition.amount)}`
    case 'items':
      return `the cart has ${condition.is === 'at_least' ? 'at least' : 'at most'} ${formatPieces(condition.count, 'item')}`
    case 'product':
      return `the cart ${condition.is === 'contains' ? 'contains' : 'does not contain'} ${joinWithOr(condition.productIds.map(names.product))}`
    case 'category':
      return `the cart ${condition.is === 'contains' ? 'contains' : 'does not contain'} something from ${joinWithOr(condition.categoryIds.map(names.category))}`
    case 'country':
      return `the shopper ${condition.is === 'one_of' ? 'lives' : 'does not live'} in ${joinWithOr(condition.countries.map(names.country))}`
    case 'buyer':
      return condition.is === 'returning' ? 'the shopper has bought before' : 'the shopper has not bought before'
    case 'orders':
      return `the shopper has placed ${condition.is === 'at_least' ? 'at least' : 'at most'} ${formatPieces(condition.count, 'order')} before`
    default:
      return describeShopper(condition)
  }
}

function describeShopper(
  condition: Exclude<
    FlowCondition,
    { fact: 'value' | 'items' | 'product' | 'category' | 'country' | 'buyer' | 'orders' }
  >,
): string {
  switch (condition.fact) {
    case 'coupon':
      return condition.is === 'present' ? 'a coupon is in the cart' : 'no coupon is in the cart'
    case 'phone':
      return condition.is === 'present' ? 'a phone number is known' : 'no phone number is known'
    case 'consent':
      return `the shopper has ${condition.is === 'given' ? '' : 'not '}consented to ${CHANNELS[condition.channel]}`
    case 'language':
      return `the shopper ${condition.is === 'one_of' ? 'reads' : 'does not read'} ${joinWithOr(condition.languages.map((each) => conditionLanguageNames[each]))}`
    case 'day':
      return `it is ${joinWithOr(condition.days.map(getDayText))} where the shopper is`
    case 'hour':
      return `it is between ${getHourText(condition.from)} and ${getHourText(condition.until)} where the shopper is`
  }
}

/** All conditions as text; several groups are put in brackets. */
export function describeConditions({ match: ofGroups, groups }: FlowConditions, names: ConditionNames): string {
  const parts = groups.map(({ match: inGroup, conditions }) => {
    const text = conditions.map((each) => describeCondition(each, names)).join(inGroup === 'all' ? ' and ' : ' or ')
    return groups.length > 1 && conditions.length > 1 ? `(${text})` : text
  })
  return parts.join(ofGroups === 'all' ? ' and ' : ' or ')
}
