import {
  type ConditionNames,
  describeCondition,
  type FlowCondition,
  getDayText,
  getHourText,
} from '../../../shared/carts/flow-conditions.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { formatCount, formatMoney } from '../../core/ui/format.ts'

// Finds the conditions of a step that failed, from its decision's recorded inputs
// (server/delivery/decide/decision-inputs.ts). Pure.

type Inputs = Record<string, unknown>

interface UnmetConditions {
  /** Currency of amounts in conditions. */
  currency: string
  conditions: FlowCondition[]
}

/** null: older decisions recorded the values only. */
export function findUnmet({ conditionsUnmet }: Inputs): UnmetConditions | null {
  const unmet = conditionsUnmet as UnmetConditions | undefined
  return unmet && Array.isArray(unmet.conditions) ? unmet : null
}

/** Whose conditions: the message's or its flow's. */
const THEN = { step: 'message is sent', flow: 'flow handles a cart' }

/** “Cart worth: $14.50; this message is sent only if the cart is worth more than $50.00.” */
export function describeUnmet(inputs: Inputs, names: ConditionNames, of: keyof typeof THEN = 'step'): string[] {
  const values = (inputs.conditionValues ?? {}) as Inputs
  const unmet = findUnmet(inputs)
  if (!unmet) return Object.keys(values).flatMap((fact) => formatFact(fact, values[fact], names)?.concat('.') ?? [])
  const lines = unmet.conditions.map((condition) => {
    const value = formatFact(condition.fact, values[condition.fact], names)
    return `${value ? `${value}; this` : 'This'} ${THEN[of]} only if ${describeCondition(condition, names)}.`
  })
  return [...new Set(lines)]
}

/** null: the condition's text already includes it. */
function formatFact(fact: string, value: unknown, names: ConditionNames): string | null {
  if (fact === 'value') {
    const { minor, currency } = value as { minor: number; currency: string }
    return `Cart worth: ${formatMoney(minor / 10 ** getCurrencyExponent(currency), currency)}`
  }
  if (fact === 'country') return `Country: ${typeof value === 'string' ? names.country(value) : 'not known'}`
  if (typeof value !== 'number') return null
  if (fact === 'items') return `Items in the cart: ${formatCount(value)}`
  if (fact === 'orders') return `Orders before this cart: ${formatCount(value)}`
  if (fact === 'hour') return `Hour where the shopper was: ${getHourText(value)}`
  return fact === 'day' ? `Day where the shopper was: ${getDayText(value)}` : null
}
