import { type Owner, registerOwner } from './connected-store.ts'
import type { StripeWorld } from './stripe-world.ts'

// Test support: an owner who buys a plan through Checkout.

export const VISA = '4242424242424242'

export interface Payer extends Owner {
  customer: string
  subscription: string
}

export const choosePlan = (world: StripeWorld, token: string, body: object) =>
  world.request('POST', '/api/subscribe/create-checkout-session', { token, body })

/** Finds the session of a checkout URL. */
export const findSession = (world: StripeWorld, url: string) =>
  world.stripe.all('checkout.session').find((session) => session.url === url)!

/** `isTrial` false: the account has used its trial, and pays by `card`. */
export async function createPayer(
  world: StripeWorld,
  options: { planKey?: string; cycle?: string; addOns?: object } = {},
  { isTrial = false, card = VISA }: { isTrial?: boolean; card?: string } = {},
): Promise<Payer> {
  const owner = await registerOwner(world, null)
  const claim = {
    kind: 'account' as const,
    key_hash: hashTrialKey(world, owner.accountId),
    account_id: owner.accountId,
  }
  if (!isTrial) {
    await world.db
      .insertInto('trial_claims')
      .values({ ...claim, claimed_at: world.now })
      .execute()
  }
  const { body } = await choosePlan(world, owner.token, { planKey: 'starter', ...options })
  const { id } = findSession(world, body.url)
  world.stripe.buy(id, { name: 'Ada', ...(isTrial ? {} : { card }) })
  await world.request('GET', `/api/subscribe/check-session?session_id=${id}`, { token: owner.token })
  const session = world.stripe.all('checkout.session').find((one) => one.id === id)!
  return { ...owner, customer: session.customer as string, subscription: session.subscription as string }
}

const hashTrialKey = (world: StripeWorld, accountId: string) =>
  Buffer.from(world.deps.secrets.token('trial-account', accountId), 'base64url')
