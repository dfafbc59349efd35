import Stripe from 'stripe'
import { openClient, type StripeOptions, startStripe } from './server.ts'

// Shared by the tests of this folder: a server, the real client, and two plans by month and year.

export const START = new Date('2026-03-02T10:00:00Z')

export async function openScene(options: StripeOptions = {}) {
  const server = await startStripe({ now: START, ...options })
  const stripe = openClient(server)
  const price = async (product: string, lookup_key: string, unit_amount: number, interval: 'month' | 'year') =>
    (await stripe.prices.create({ product, lookup_key, unit_amount, currency: 'usd', recurring: { interval } })).id
  const starter = (await stripe.products.create({ name: 'Starter' })).id
  const growth = (await stripe.products.create({ name: 'Growth' })).id
  const stores = (await stripe.products.create({ name: 'Extra store' })).id
  const prices = {
    starterMonth: await price(starter, 'starter_month', 1_900, 'month'),
    starterYear: await price(starter, 'starter_year', 18_000, 'year'),
    growthMonth: await price(growth, 'growth_month', 4_900, 'month'),
    storeMonth: await price(stores, 'store_month', 1_000, 'month'),
  }
  return { server, stripe, prices }
}
export type Scene = Awaited<ReturnType<typeof openScene>>

/** Returns the client's error message for a refused call. */
export async function readRefusal(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Stripe.errors.StripeError)) throw new Error(`It was not refused: ${error}`)
  const { type, statusCode, code, param, message } = error
  return { type, statusCode, code, param, message }
}

export const toUnixSeconds = (date: Date) => Math.floor(date.getTime() / 1000)
