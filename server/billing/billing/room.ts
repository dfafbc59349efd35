import { EXTRA_STORE_MONTHLY, MAX_EXTRA_STORES, plans } from '../../../shared/billing/billing.ts'
import { hasRoom } from '../../access/stores/public.ts'
import type { AccountPlan } from './billing.ts'

// Pure.

/** A sentence for the owner why no store can be added to this number; null if there is room. */
export function explainNoRoom(
  { entitlements, subscription }: Pick<AccountPlan, 'entitlements' | 'subscription'>,
  connected: number,
): string | null {
  const { plan, isSubscribed, whyNot, limits } = entitlements
  if (whyNot === 'payment_overdue') return 'The payment for your plan is overdue, so no store can be connected.'
  if (!plan || !isSubscribed) return 'Choose a plan before you connect a store. The free plan includes one store.'
  if (hasRoom(limits, connected)) return null
  const { maxStores } = limits
  const options = [
    ...(canAddStore({ entitlements, subscription })
      ? [`add an extra store for $${EXTRA_STORE_MONTHLY} a month under Billing`]
      : []),
    ...(plan === 'growth' ? [] : ['upgrade your plan']),
  ].join(', ')
  const first = options ? `${options[0]!.toUpperCase()}${options.slice(1)}, or` : 'To connect another one,'
  const included = `${maxStores} ${maxStores === 1 ? 'store' : 'stores'}`
  return `Your plan (${plans[plan].name}) includes ${included}. ${first} disconnect a store first.`
}

/** Whether an extra store can be bought now: only with a plan paid through Stripe. */
export const canAddStore = ({ entitlements, subscription }: Pick<AccountPlan, 'entitlements' | 'subscription'>) =>
  entitlements.isSubscribed &&
  entitlements.whyNot === null &&
  entitlements.plan !== 'free' &&
  subscription?.source === 'stripe' &&
  subscription.extraStores < MAX_EXTRA_STORES
