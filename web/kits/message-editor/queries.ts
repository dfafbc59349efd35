import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { CartView } from '../../../shared/carts/carts.ts'
import { cartEligibility, SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import { testDiscount } from '../../../shared/marketing/discount-mail.ts'
import type { FlowStep } from '../../../shared/marketing/flows.ts'
import { previewMessage, testSend } from '../../../shared/marketing/message-preview.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { useNewestCarts } from '../carts/queries.ts'
import { isAboutCart } from '../manual-sends/reason-badges.ts'
import { hasWindow } from '../manual-sends/sending.ts'

const MINUTE_MS = 60_000

type Given<E extends { body: z.ZodType }> = z.input<E['body']>
export type PreviewOf = Given<typeof previewMessage>

/** Cancels outdated requests, on the server too. The last preview stays visible until the next one arrives. */
export const useMessagePreview = (body: PreviewOf | null) =>
  useQuery({
    queryKey: ['message-preview', body],
    queryFn: ({ signal }) => call(previewMessage, { body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MS,
    gcTime: 0,
  })

/** For a message about a cart, or a discount mail to a customer. */
export type TestOf = Given<typeof testSend> | Given<typeof testDiscount>

/** The same for every message that can be previewed. */
export type MadeOf = TestOf | PreviewOf

export const useTestSend = () =>
  useMutation({
    mutationFn: (body: TestOf) => ('customer' in body ? call(testDiscount, { body }) : call(testSend, { body })),
  })

/** Finds the cart to preview until the user chooses one: a cart that could get the message, or the sample cart. Found once. */
export function usePreviewCart(step: FlowStep['channel']): string | null {
  const channel = step === 'push' ? 'email' : step
  const storeId = useStore()?.id
  const [kept, keep] = useState<Partial<Record<string, string>>>({})
  const listed = useNewestCarts()
  const carts = listed.data?.carts
  const cartIds = carts?.map(({ id }) => id) ?? []
  const eligibility = useQuery({
    queryKey: ['carts', storeId, 'preview', channel, cartIds],
    queryFn: ({ signal }) => call(cartEligibility, { body: { channel, cartIds }, signal }),
    enabled: cartIds.length > 0 && !kept[channel],
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
  const isNone = carts?.length === 0 || listed.error || eligibility.error
  const found = carts && eligibility.data ? cartToShow(carts, channel, eligibility.data) : isNone ? SAMPLE_CART : null
  if (found && !kept[channel]) keep({ ...kept, [channel]: found })
  return kept[channel] ?? found
}

// The first cart to preview. Pure.

type Reasons = readonly { reason: string; cartIds: readonly string[] }[]

/**
 * Selects the first cart to preview from the newest ones: one that would get the message now, else one that only waits or is
 * blocked with the whole store, else the sample cart.
 */
export function cartToShow(
  carts: readonly CartView[],
  channel: string,
  { eligible, reasons }: { eligible: readonly string[]; reasons: Reasons },
): string {
  const against = new Set(reasons.filter(({ reason }) => isAboutCart(reason)).flatMap(({ cartIds }) => cartIds))
  const isOpen = (cart: CartView) => hasWindow(cart.state) && addressOf(cart, channel) !== null
  const first = carts.find(({ id }) => eligible.includes(id))
  return (first ?? carts.find((cart) => isOpen(cart) && !against.has(cart.id)))?.id ?? SAMPLE_CART
}

const addressOf = (cart: CartView, channel: string) => (channel === 'email' ? cart.customer_email : cart.phone)
