import type Stripe from 'stripe'
import type { z } from 'zod'
import { AppError } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import type { Deps } from '../../deps.ts'

// Client for Stripe, and its failures as sentences. The library is loaded only where plans are sold.

/** The library's API version. After an upgrade the types require the new one here. */
export const API_VERSION: Stripe.LatestApiVersion = '2026-10-28.endive'

/** `retries`: for connection failures and errors of Stripe. The library adds an idempotency key. */
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
    ...(apiUrl && buildHost(new URL(apiUrl))),
  })
}

function buildHost({ protocol, hostname, port }: URL) {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: port || (isSecure ? 443 : 80), protocol: isSecure ? ('https' as const) : ('http' as const) }
}

/** Calls Stripe; never inside a transaction. Throws a sentence for people and logs Stripe's codes. */
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
    // The message is not logged, because it repeats the request.
    log.warn({ type, code, param, statusCode, requestId }, 'stripe.failed')
    throw toAppError(error)
  }
}

/** Parses an answer: all of Stripe's data is validated before use. */
export function parseAnswer<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const read = schema.safeParse(answer)
  if (read.success) return read.data
  throw new AppError('unavailable', 'Recoup could not read Stripe’s answer. Please contact support.', {
    cause: read.error,
  })
}

/** URL of a Stripe page to redirect to: https, or http for a test server on this machine. */
export function parsePageUrl({ stripe }: Pick<Config, 'stripe'>, url: string | null | undefined): string {
  const page = url && url.length <= 4_000 && URL.canParse(url) ? new URL(url) : null
  const isTestServer = stripe?.apiUrl?.startsWith('http:') && page?.hostname === new URL(stripe.apiUrl).hostname
  if (page?.protocol === 'https:' || (page?.protocol === 'http:' && isTestServer)) return page.href
  throw new AppError('unavailable', 'Stripe returned an invalid address. Please contact support.')
}

/** Stripe's code of a failure thrown by `askStripe`, such as resource_missing; null if it is not Stripe's. */
export function readStripeCode(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : error
  return isStripeError(cause) ? (cause.code ?? cause.type) : null
}

/** By shape, because the library's class would load it everywhere. */
export const isStripeError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')

const CARD: Readonly<Record<string, string>> = {
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: 'The security code of the card is wrong. Enter the card again.',
  insufficient_funds: 'The card was declined for insufficient funds. Use another card.',
}
const DECLINED = 'The card was declined. Use another card, or ask your bank.'

export const describeDecline = (error: { code?: string | undefined; decline_code?: string | undefined }): string =>
  CARD[error.decline_code ?? ''] ?? CARD[error.code ?? ''] ?? DECLINED

function toAppError(error: Stripe.errors.StripeError): AppError {
  const options = { cause: error }
  switch (error.type) {
    case 'StripeCardError':
      return new AppError('unprocessable', describeDecline(error), options)
    case 'StripeRateLimitError':
      return new AppError('unavailable', 'Stripe is busy right now. Please try again in a minute.', options)
    case 'StripeConnectionError':
    case 'StripeAPIError':
      return new AppError('unavailable', 'Stripe is not responding right now. Please try again in a minute.', options)
    case 'StripeIdempotencyError':
      return new AppError('conflict', 'This is already in progress. Please try again in a minute.', options)
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return new AppError(
        'unavailable',
        'Payments are not set up correctly on this server. Please contact support.',
        options,
      )
    default:
      return new AppError('unavailable', 'Stripe refused this. Please try again, or contact support.', options)
  }
}
