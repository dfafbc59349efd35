import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'

// Credits: prepaid SMS through the operator's provider account, beyond those included in the plan (decision 85).

/** Dollars. A pack's value equals its price. */
export const creditPacks = [10, 25, 50, 100] as const
export const CreditPack = z.literal(creditPacks)
export type CreditPack = (typeof creditPacks)[number]

export const CREDIT_CURRENCY = 'USD'
export const MICROS = 1_000_000

export const CreditKind = z.enum(['purchase', 'use', 'give_back', 'refund', 'adjustment', 'test'])
export type CreditKind = z.infer<typeof CreditKind>

/** The price of a text in credits: list price times the operator's factor, rounded up to a millionth. */
export const computeCreditPrice = (micros: number, perMille: number): number => Math.ceil((micros * perMille) / 1_000)

export const creditTexts = {
  notHere: 'Credits are not sold here.',
  planNeeded: 'Credits are used after the SMS of a plan, and this plan includes none. Choose Starter or Growth first.',
  ownProvider: 'Your own provider carries your SMS and bills you for them, so there is nothing to buy here.',
} as const

/**
 * Who sends the account's SMS: `operator`: this server's provider account; `sandbox`: built-in phones; `own`: the
 * account's provider.
 */
export const TextCarrier = z.enum(['operator', 'sandbox', 'own', 'none'])
export type TextCarrier = z.infer<typeof TextCarrier>

export const readCredits = endpoint({
  method: 'GET',
  path: '/api/subscribe/credits',
  permission: 'session',
  scope: 'account',
  summary: 'Who carries the account’s SMS, the credits it has left, and what an SMS costs in credits',
  reply: z.object({
    carrier: TextCarrier,
    /** How credits are bought here; null: not available. */
    offer: z.enum(['stripe', 'test']).nullable(),
    /** Whether the plan includes SMS, which credits then extend. */
    isUsable: z.boolean(),
    balanceMicros: z.number(),
    /** Used in the last seven days. */
    weekMicros: z.number(),
    /** Price of an SMS with one segment for some countries; the last entry is for all others. */
    prices: z.array(z.object({ country: z.string().nullable(), micros: z.number() })),
  }),
})
export type Credits = z.infer<typeof readCredits.reply>

export const CreditEntry = z.object({
  seq: z.number(),
  at: z.string(),
  kind: CreditKind,
  micros: z.number(),
  balanceMicros: z.number(),
  /** For a refund: the part that had already been used. */
  owedMicros: z.number(),
  note: z.string().nullable(),
})
export type CreditEntry = z.infer<typeof CreditEntry>

export const listCreditEntries = endpoint({
  method: 'GET',
  path: '/api/subscribe/credit-entries',
  permission: 'billing:read',
  scope: 'account',
  summary: 'The ledger of credits, the newest entry first',
  query: z.object(buildPageFields({ limit: 10, max: 100 })),
  reply: z.object({ entries: z.array(CreditEntry), pagination: Pagination }),
})

export const buyCredits = endpoint({
  method: 'POST',
  path: '/api/subscribe/credits',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Where a pack of credits is paid',
  body: z.strictObject({ pack: CreditPack }),
  reply: z.object({ url: z.string() }),
})

export const checkCredits = endpoint({
  method: 'GET',
  path: '/api/subscribe/check-credits',
  permission: 'billing:read',
  scope: 'account',
  summary: 'What became of a payment for credits, and what the account has now',
  query: z.object({ session_id: z.string().min(1).max(255) }),
  reply: z.object({ isPaid: z.boolean(), balanceMicros: z.number() }),
})

export const addTestCredits = endpoint({
  method: 'POST',
  path: '/api/subscribe/manual-credits',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Add a pack of credits without paying; exists only in billing test mode',
  body: z.strictObject({ pack: CreditPack }),
  reply: z.object({ balanceMicros: z.number() }),
})
