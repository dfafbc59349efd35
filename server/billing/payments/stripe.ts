import type Stripe from 'stripe'
import type { z } from 'zod'
import type { Config } from '../../core/config/config.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'

// The way to Stripe, and its failures in words. The library is loaded where something is sold and nowhere else.

/** The library's own: a new version of it stands here too, or the types do not fit. */
export const API_VERSION: Stripe.LatestApiVersion = '2026-10-28.endive'

/** `retries` of what did not get through or failed on Stripe's side; the library gives them an idempotency key. */
export async function openStripe(
  { secretKey, apiUrl }: Pick<NonNullable<Config['stripe']>, 'secretKey' | 'apiUrl'>,
  { retries = 2, timeoutMs = 20_000 } = {},
): Promise<Stripe> {
  const { default: Client } = await import('stripe')
  return new Client(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: retries,
    timeout: timeoutMs,
    telemetry: false,
    ...(apiUrl && hostOf(new URL(apiUrl))),
  })
}

function hostOf({ protocol, hostname, port }: URL) {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: port || (isSecure ? 443 : 80), protocol: isSecure ? ('https' as const) : ('http' as const) }
}

/** Calls Stripe; never inside a transaction. A failure is thrown in words for people and logged with Stripe's codes. */
export async function askStripe<T>(
  { stripe, log }: Pick<Deps, 'stripe' | 'log'>,
  call: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  if (!stripe) throw new AppError('not_found', 'Not found')
  try {
    return await call(stripe)
  } catch (error) {
    if (!isStripeError(error)) throw error
    const { type, code, param, statusCode, requestId } = error
    // Not its message, which repeats what was sent.
    log.warn({ type, code, param, statusCode, requestId }, 'stripe.failed')
    throw inWords(error)
  }
}

/** What is read of an answer; everything of Stripe is parsed before it is used. */
export function readAnswer<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const read = schema.safeParse(answer)
  if (read.success) return read.data
  throw new AppError('unavailable', 'Stripe answered something that Recoup cannot read. Please write to support.', {
    cause: read.error,
  })
}

/** A page at Stripe that somebody is sent to: https, or http where a stand-in on this machine is set. */
export function readPage({ stripe }: Pick<Config, 'stripe'>, url: string | null | undefined): string {
  const page = url && url.length <= 4_000 && URL.canParse(url) ? new URL(url) : null
  const isStandIn = stripe?.apiUrl?.startsWith('http:') && page?.hostname === new URL(stripe.apiUrl).hostname
  if (page?.protocol === 'https:' || (page?.protocol === 'http:' && isStandIn)) return page.href
  throw new AppError('unavailable', 'Stripe answered with an address that is none. Please write to support.')
}

/** Stripe's code of a failure that `askStripe` threw, such as resource_missing; null: it is none of Stripe's. */
export function stripeCodeOf(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : error
  return isStripeError(cause) ? (cause.code ?? cause.type) : null
}

/** By its shape: the library's class would load it everywhere. */
export const isStripeError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')

const CARD: Readonly<Record<string, string>> = {
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: 'The security code of the card is wrong.',
  insufficient_funds: 'The card was declined, as it has too little money. Use another card.',
}
const DECLINED = 'The card was declined. Use another card, or ask your bank.'

export const declineWords = (said: { code?: string | undefined; decline_code?: string | undefined }): string =>
  CARD[said.decline_code ?? ''] ?? CARD[said.code ?? ''] ?? DECLINED

function inWords(error: Stripe.errors.StripeError): AppError {
  const options = { cause: error }
  switch (error.type) {
    case 'StripeCardError':
      return new AppError('unprocessable', declineWords(error), options)
    case 'StripeRateLimitError':
      return new AppError('unavailable', 'Stripe is busy right now. Please try again in a minute.', options)
    case 'StripeConnectionError':
    case 'StripeAPIError':
      return new AppError('unavailable', 'Stripe is not responding right now. Please try again in a minute.', options)
    case 'StripeIdempotencyError':
      return new AppError('conflict', 'This is being done already. Please try again in a minute.', options)
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return new AppError(
        'unavailable',
        'Payments are not set up rightly on this server. Please write to support.',
        options,
      )
    default:
      return new AppError('unavailable', 'Stripe refused this. Please try again, or write to support.', options)
  }
}
