import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { CartView } from '../../shared/carts.ts'
import { cartReach } from '../../shared/reach.ts'
import {
  type BulkSendItem,
  cartEligibility,
  lastMessage,
  readBulkSend,
  retryBulkSend,
  type SendChannel,
  scheduleReminder,
  sendEmail,
  sendSms,
  sendToCarts,
  sendWhatsapp,
  sendWhatsappBulk,
  smsStatus,
} from '../../shared/reminders.ts'
import { useStore } from '../access/queries.ts'
import { ApiError, call } from '../api.ts'
import { buildReasonBadges, type ReasonBadge } from './reason-badges.ts'
import { type ListFilter, toFilterParams } from './rules.ts'
import type { Selection } from './sending.ts'

// Queries and mutations of manual sends.

const JOB_REFRESH_MS = 2_000
const MINUTE_MS = 60_000

export type Eligibility = z.output<typeof cartEligibility.reply>

/**
 * Which of these would get a message now, and why the others not. Never cached, because it depends on the moment.
 * `body`: custom SMS text, which changes the price.
 */
export function useEligibility(channel: SendChannel, selection: Selection, body?: string) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['eligibility', storeId, channel, keyOf(selection), body],
    queryFn: ({ signal }) =>
      call(cartEligibility, { body: { channel, ...buildRecipients(selection), ...(body && { body }) }, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
}

/** Which of a page's carts can get WhatsApp (B 2): only they show its button. */
export function useWhatsappEligible(cartIds: string[], isAsked: boolean): ReadonlySet<string> {
  const storeId = useStore()?.id
  const { data } = useQuery({
    queryKey: ['carts', storeId, 'whatsapp-eligible', cartIds],
    queryFn: ({ signal }) => call(cartEligibility, { body: { channel: 'whatsapp', cartIds }, signal }),
    enabled: isAsked && cartIds.length > 0,
    staleTime: MINUTE_MS,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    select: ({ eligible }) => new Set(eligible),
  })
  return data ?? nobody
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
export function useReach(filter: Omit<ListFilter, 'reach'>, isAsked = true) {
  const storeId = useStore()?.id
  const { reach: _, ...body } = toFilterParams(filter)
  return useQuery({
    queryKey: ['reach', storeId, body],
    queryFn: ({ signal }) => call(cartReach, { body, signal }),
    enabled: isAsked,
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

const noBadges: ReadonlyMap<string, ReasonBadge> = new Map()

const nobody: ReadonlySet<string> = new Set()

export const keyOf = (selection: Selection) =>
  selection.kind === 'carts' ? selection.carts.map(({ id }) => id) : [selection.filter]

const buildRecipients = (selection: Selection) =>
  selection.kind === 'carts' ? { cartIds: selection.carts.map(({ id }) => id) } : selection.filter

type Given<E extends { body: z.ZodType }> = z.input<E['body']>

export type SingleMessage =
  | { kind: 'email'; body: Given<typeof sendEmail> }
  | { kind: 'schedule'; body: Given<typeof scheduleReminder> }
  | { kind: 'sms'; body: Given<typeof sendSms> }
  | { kind: 'whatsapp'; body: Given<typeof sendWhatsapp> }

/** Sends one message to one cart. After any single send the list is refetched (B 4). */
export function useSendOne() {
  const refresh = useRefresh()
  const once = useOnce()
  return useMutation({
    mutationFn: (message: SingleMessage) =>
      once(message, (how) => {
        if (message.kind === 'email') return call(sendEmail, { body: message.body, ...how })
        if (message.kind === 'schedule') return call(scheduleReminder, { body: message.body, ...how })
        if (message.kind === 'sms') return call(sendSms, { body: message.body, ...how })
        return call(sendWhatsapp, { body: message.body, ...how })
      }),
    onSettled: refresh,
  })
}

/** Sends to many carts as a job. WhatsApp uses the specification's own endpoint with the same result. */
export function useSendMany() {
  const refresh = useRefresh()
  const once = useOnce()
  return useMutation({
    mutationFn: ({ storeUrl, ...body }: Given<typeof sendToCarts> & { storeUrl?: string }) =>
      once<{ jobId: string }>(body, (how) => {
        if (body.channel !== 'whatsapp' || body.sendAt) return call(sendToCarts, { body, ...how })
        return call(sendWhatsappBulk, { body: { cartIds: body.cartIds, ...(storeUrl && { storeUrl }) }, ...how })
      }),
    onSettled: refresh,
  })
}

export function useBulkSend(jobId: string, page: number, outcome: BulkSendItem['outcome'] | null) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['send-job', storeId, jobId, page, outcome],
    queryFn: ({ signal }) =>
      call(readBulkSend, {
        params: { jobId },
        query: { page, limit: 10, ...(outcome && { outcome }) },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : JOB_REFRESH_MS),
    placeholderData: keepPreviousData,
  })
}

export function useRetryJob(jobId: string) {
  const queries = useQueryClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call(retryBulkSend, { params: { jobId } }),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['send-job'] })
      await refresh()
    },
  })
}

export const useSmsStatus = (cartId: string) =>
  useQuery({
    queryKey: ['sms-status', cartId],
    queryFn: ({ signal }) => call(smsStatus, { params: { cartId }, signal }),
    gcTime: 0,
    staleTime: 0,
  })

export function useLastMessage(cartId: string) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['last-message', storeId, cartId],
    queryFn: ({ signal }) => call(lastMessage, { params: { id: cartId }, signal }),
    gcTime: 0,
    staleTime: 0,
  })
}

function useRefresh() {
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
