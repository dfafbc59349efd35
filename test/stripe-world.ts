import { afterAll, beforeAll, expect } from 'vitest'
import { type StripeOptions, type StripeServer, startStripe } from '../providers/contracts/stripe/server.ts'
import { setUpBilling } from '../server/billing/payments/setup.ts'
import { openStripe } from '../server/billing/payments/stripe.ts'
import { createWorld, START, type World } from './world.ts'

// Test support: an app with billing, through the real client and the contract server, set up as by `npm run
// billing:setup`.

export interface StripeWorld extends World {
  stripe: StripeServer
  /** Advances Stripe's clock and ours. */
  passTime(ms: number): void
}

export function createStripeWorld(env: Record<string, string> = {}, options: StripeOptions = {}): StripeWorld {
  const settings: Record<string, string> = {
    STRIPE_SECRET_KEY: 'sk_test_contractserver',
    STRIPE_WEBHOOK_SECRET: 'whsec_contractserver',
    ...env,
  }
  let stripe: StripeServer
  beforeAll(async () => {
    stripe = await startStripe({ now: START, signedAt: () => world.now, ...options })
    settings.STRIPE_API_URL = stripe.url
  })
  const world = createWorld(settings) as StripeWorld
  beforeAll(async () => {
    world.stripe = stripe
    world.deps.stripe = await openStripe(world.deps.config.stripe!, { retries: 0 })
    await setUpBilling(world.deps.stripe, world.deps.config)
    world.passTime = (ms) => stripe.clock.advance(world.advance(ms))
  })
  afterAll(async () => {
    await stripe?.close()
    expect(stripe?.faults).toEqual([])
  })
  return world
}
