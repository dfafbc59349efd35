import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { z } from 'zod'
import type { BillingCycle, PlanKey, subscriptionStatus } from '../../shared/billing.ts'
import { buildChoiceAddress, findPaidPlan, isAtStripe } from './pricing-rules.ts'
import { useCreateFree } from './queries.ts'

export type Choosing = ReturnType<typeof useChoosePlan>

/**
 * A paid plan leads to the checkout step. The free plan is chosen here, after a confirmation if a paid plan would end.
 */
export function useChoosePlan(subscription: z.output<typeof subscriptionStatus.reply>) {
  const free = useCreateFree()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<PlanKey | null>(null)
  const paid = findPaidPlan(subscription)
  const toStores = () => navigate('/store-setup')
  return {
    choose(key: PlanKey, cycle: BillingCycle = 'month') {
      if (key !== 'free') return navigate(buildChoiceAddress({ plan: key, cycle, extraStores: 0 }))
      if (!paid) return free.mutate(undefined, { onSettled: toStores }) // If this failed, the store set-up shows what is missing (A 4.3).
      free.reset()
      setLeaving(paid)
    },
    /** On failure an existing plan stays and the reason is shown. A paid plan continues; Billing shows it. */
    leave: () =>
      free.mutate(undefined, { onSuccess: isAtStripe(subscription) ? () => navigate('/billing') : toStores }),
    stay: () => setLeaving(null),
    leaving,
    isBusy: free.isPending,
    problem: free.error?.message,
  }
}
