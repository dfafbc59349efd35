import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { billingTexts } from '../../shared/billing-texts.ts'
import { createCheckoutSession } from '../../shared/payments.ts'
import { subscriptionQuery } from '../access/queries.ts'
import { ApiError, call } from '../api.ts'
import { useOnce } from '../ui/useOnce.ts'
import type { Choice } from './change-copy.ts'
import { getFailureText } from './failure.ts'

/**
 * Creates the checkout and goes to it. `isBusy` from the press until the page is left or restored by the browser's
 * Back.
 */
export function useCheckout() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isLeaving, setLeaving] = useState(false)
  const checkout = useOnce({
    mutationFn: async ({ plan, cycle, extraStores }: Choice) => {
      const { url } = await call(createCheckoutSession, { body: { planKey: plan, cycle, addOns: { extraStores } } })
      if (!url) throw new ApiError(502, { error: billingTexts.failed.createCheckout, code: 'unavailable' })
      return url
    },
    onSuccess: (url) => {
      if (url.startsWith('/')) return navigate(url)
      setLeaving(true)
      location.assign(url)
    },
    // Bought in another tab: the subscription decides the next step.
    onError: (error) => isConflict(error) && queries.refetchQueries({ queryKey: subscriptionQuery.queryKey }),
  })
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => {
      if (!event.persisted) return
      setLeaving(false)
      void queries.refetchQueries({ queryKey: subscriptionQuery.queryKey })
    }
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [queries])
  const isBusy = checkout.isPending || isLeaving
  // A 8: no address came back, the request was refused, or there was no answer.
  return {
    isBusy,
    problem: getFailureText(checkout.error, billingTexts.failed.processCheckout),
    go: (choice: Choice) => checkout.mutate(choice),
  }
}

const isConflict = (error: Error) => error instanceof ApiError && error.code === 'conflict'
