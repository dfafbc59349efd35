import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { billingTexts } from '../../shared/billing-texts.ts'
import { createCheckoutSession } from '../../shared/payments.ts'
import { subscriptionQuery } from '../access/queries.ts'
import { ApiError, call } from '../api.ts'
import type { Choice } from './change-words.ts'
import { failureOf } from './failure.ts'

/** Asks where the choice is paid, and goes there. `isBusy` from the press until this page is left, or shown again by the browser's back. */
export function useCheckout() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isLeaving, setLeaving] = useState(false)
  // The second press of a double click comes before the first one shows.
  const isAsking = useRef(false)
  const checkout = useMutation({
    mutationFn: ({ plan, cycle, extraStores }: Choice) =>
      call(createCheckoutSession, { body: { planKey: plan, cycle, addOns: { extraStores } } }),
    onSuccess: ({ url }) => {
      if (!url) return
      if (url.startsWith('/')) return navigate(url)
      setLeaving(true)
      location.assign(url)
    },
    onSettled: () => {
      isAsking.current = false
    },
    // Bought in another tab: what there is to do now depends on the subscription.
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
  const go = (choice: Choice) => {
    if (isAsking.current || isBusy) return
    isAsking.current = true
    checkout.mutate(choice)
  }
  return { isBusy, problem: problemOf(checkout), go }
}

const isConflict = (error: Error) => error instanceof ApiError && error.code === 'conflict'

/** A 8: it came back without an address, or was refused, or there was no answer. */
function problemOf({ data, error }: { data: { url: string } | undefined; error: Error | null }): string | null {
  if (data && !data.url) return billingTexts.failed.createCheckout
  return failureOf(error, billingTexts.failed.processCheckout)
}
