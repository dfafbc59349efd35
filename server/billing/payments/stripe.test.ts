import { expect, it } from 'vitest'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { AppError } from '../../core/common/errors.ts'
import { askStripe, openStripe, readStripeCode } from './stripe.ts'

const world = createStripeWorld()

const respondWithError = (status: number, error: object) => () => ({ status, body: { error } })
const list = () => askStripe(world.deps, (stripe) => stripe.customers.list({ limit: 1 }))

async function catchFailure(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`not in words: ${error}`)
  return error
}

it('uses the library’s API version and sends Stripe nothing else about us', async () => {
  world.stripe.intercept = () => undefined
  expect((await list()).data).toEqual([])
  const { headers } = world.stripe.seen.at(-1)!
  expect(headers['stripe-version']).toBe('2026-10-28.endive')
  expect(headers['x-stripe-client-telemetry']).toBeUndefined()
})

it.each([
  [
    402,
    { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' },
    'unprocessable',
    /^The card was declined\. /,
  ],
  [
    402,
    { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
    'unprocessable',
    /insufficient funds/,
  ],
  [402, { type: 'card_error', code: 'expired_card' }, 'unprocessable', /^The card has expired/],
  [429, { type: 'invalid_request_error', code: 'rate_limit' }, 'unavailable', /^Stripe is busy/],
  [500, { type: 'api_error' }, 'unavailable', /not responding/],
  [401, { type: 'invalid_request_error' }, 'unavailable', /not set up correctly/],
  [403, { type: 'invalid_request_error' }, 'unavailable', /not set up correctly/],
  [400, { type: 'idempotency_error' }, 'conflict', /already in progress/],
  [400, { type: 'invalid_request_error', code: 'resource_missing' }, 'unavailable', /^Stripe refused this/],
] as const)('describes a failure in plain words: %i %o', async (status, error, code, message) => {
  world.stripe.intercept = respondWithError(status, { ...error, message: 'sk_test_contractserver of ann@shop.test' })
  const failure = await catchFailure(list())
  expect(failure.code).toBe(code)
  expect(failure.message).toMatch(message)
  expect(failure.message).not.toMatch(/sk_test|ann@/)
  expect(readStripeCode(failure)).toEqual('code' in error ? error.code : expect.stringMatching(/^Stripe\w+Error$/))
})

it('reports that Stripe does not respond after a cut connection or a timeout', async () => {
  world.stripe.intercept = () => 'cut'
  expect((await catchFailure(list())).message).toMatch(/not responding/)
  world.stripe.intercept = () => 'hang'
  const impatient = await openStripe(world.deps.config.stripe!, { retries: 0, timeoutMs: 50 })
  const failure = await catchFailure(
    askStripe({ ...world.deps, stripe: impatient }, (stripe) => stripe.customers.list()),
  )
  expect(failure.message).toMatch(/not responding/)
})

it('throws not found where nothing is sold by card', async () => {
  expect(await catchFailure(askStripe({ log: world.deps.log }, (stripe) => stripe.customers.list()))).toMatchObject({
    code: 'not_found',
    message: 'Not found',
  })
})

it('leaves errors that are not Stripe’s unchanged', async () => {
  const mistake = new Error('our own')
  await expect(askStripe(world.deps, () => Promise.reject(mistake))).rejects.toBe(mistake)
  expect(readStripeCode(mistake)).toBeNull()
})
