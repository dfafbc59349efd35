import { plans } from '../../shared/billing.ts'
import { hasRoom } from '../stores/rules.ts'
import type { Entitlements } from './rules.ts'

// Pure.

/** Why no further store can be connected beside so many, in a sentence for the owner; null: there is room. */
export function noRoom({ plan, isSubscribed, whyNot, limits }: Entitlements, connected: number): string | null {
  if (whyNot === 'payment_overdue') return 'The payment for your plan is overdue, so no store can be connected.'
  if (!plan || !isSubscribed) return 'Choose a plan before you connect a store. The free plan includes one store.'
  if (hasRoom(limits, connected)) return null
  const { maxStores } = limits
  const upgrade = plan === 'growth' ? 'To connect another one,' : 'Upgrade your plan, or'
  const included = `${maxStores} ${maxStores === 1 ? 'store' : 'stores'}`
  return `Your plan (${plans[plan].name}) includes ${included}. ${upgrade} disconnect a store first.`
}
