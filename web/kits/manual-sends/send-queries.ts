import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { CartView } from '../../../shared/carts/carts.ts'
import { cartReach } from '../../../shared/carts/reach.ts'
import { cartEligibility, type SendChannel } from '../../../shared/delivery/reminders.ts'
import { useStore } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { type ListFilter, toFilterParams } from '../carts/rules.ts'
import { buildReasonBadges, type ReasonBadge } from './reason-badges.ts'
import type { Selection } from './sending.ts'

// Queries and mutations of manual sends.

const MINUTE_MS = 60_000

export type Eligibility = z.output<typeof cartEligibility.reply>

/**
 * Which of these would get a message now, and why the others not. Never cached, because it depends on the moment.
 * `body`: custom SMS text, which changes the price.
 */
export function useEligibility(channel: SendChannel, selection: Selection, body?: string) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['eligibility', storeId, channel, buildSelectionKey(selection), body],
    queryFn: ({ signal }) =>
      call(cartEligibility, { body: { channel, ...buildRecipients(selection), ...(body && { body }) }, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
}

/** Which of a page's carts can get WhatsApp (B 2): only they show its button. */
export function useWhatsappEligible(cartIds: string[], isEnabled: boolean): ReadonlySet<string> {
  const storeId = useStore()?.id
  const { data } = useQuery({
    queryKey: ['carts', storeId, 'whatsapp-eligible', cartIds],
    queryFn: ({ signal }) => call(cartEligibility, { body: { channel: 'whatsapp', cartIds }, signal }),
    enabled: isEnabled && cartIds.length > 0,
    staleTime: MINUTE_MS,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    select: ({ eligible }) => new Set(eligible),
  })
  return data ?? NONE
}

/** Why carts of a page would get no email now, in one request. Without an answer nothing is shown. */
export function useReasonBadges(carts: CartView[]): ReadonlyMap<string, ReasonBadge> {
  const storeId = useStore()?.id
  const cartIds = carts.map(({ id }) => id)
  const { data } = useQuery({
    queryKey: ['carts', storeId, 'email-reasons', cartIds],
    queryFn: ({ signal }) => call(cartReach, { body: { cartIds }, signal }),
    enabled: cartIds.length > 0,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
  return data ? buildReasonBadges(data.reasons) : noBadges
}

/** Counts by reachability and reason: the choices of the list's filter. */
export function useReach(filter: Omit<ListFilter, 'reach'>, isEnabled = true) {
  const storeId = useStore()?.id
  const { reach: _, ...body } = toFilterParams(filter)
  return useQuery({
    queryKey: ['reach', storeId, body],
    queryFn: ({ signal }) => call(cartReach, { body, signal }),
    enabled: isEnabled,
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

const noBadges: ReadonlyMap<string, ReasonBadge> = new Map()

const NONE: ReadonlySet<string> = new Set()

export const buildSelectionKey = (selection: Selection) =>
  selection.kind === 'carts' ? selection.carts.map(({ id }) => id) : [selection.filter]

const buildRecipients = (selection: Selection) =>
  selection.kind === 'carts' ? { cartIds: selection.carts.map(({ id }) => id) } : selection.filter

export function useRefresh() {
  const queries = useQueryClient()
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['carts'] }),
      queries.invalidateQueries({ queryKey: ['cart'] }),
    ])
  }
}

/**
 * One idempotency key per dialog, so a retry after a lost answer sends nothing twice (D9). After a refusal the next
 * press is a new request.
 */
export function useOnce() {
  const [keys] = useState(() => new Map<string, string>())
  return async <T>(request: object, send: (how: { idempotencyKey: string }) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(request)
    const idempotencyKey = keys.get(text) ?? createKey()
    keys.set(text, idempotencyKey)
    try {
      return await send({ idempotencyKey })
    } catch (error) {
      if (error instanceof ApiError && !error.isOutage) keys.delete(text)
      throw error
    }
  }
}

/** `crypto.randomUUID` is missing on pages served over plain HTTP. */
const createKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
