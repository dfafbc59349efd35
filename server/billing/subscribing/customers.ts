import { listOwners } from '../../access/members/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { askStripe, parseAnswer, readStripeCode } from '../payments/public.ts'
import { computeDigest } from './digest.ts'
import * as sql from './sql.ts'
import { CustomerState } from './stripe-schemas.ts'

// Each account is one Stripe customer, created with its first purchase.

/** The account's customer id. Concurrent calls create one customer. A deleted one is created again. */
export async function ensureCustomer(deps: Pick<Deps, 'log' | 'now' | 'stripe'>, account: AccountDb): Promise<string> {
  const known = (await sql.readCustomer(account))?.id ?? null
  if (known && (await existsAtStripe(deps, known))) return known
  const id = await createCustomer(deps, account, known)
  await saveCustomer(account, { id, deletedId: known, now: deps.now() })
  return (await sql.readCustomer(account))?.id ?? id
}

/** False if it was deleted, or belongs to another key, such as Stripe's test mode. */
async function existsAtStripe(deps: Pick<Deps, 'log' | 'stripe'>, id: string): Promise<boolean> {
  try {
    const customer = await askStripe(deps, (stripe) => stripe.customers.retrieve(id))
    return parseAnswer(CustomerState, customer).deleted !== true
  } catch (error) {
    if (readStripeCode(error) === 'resource_missing') return false
    throw error
  }
}

async function createCustomer(
  deps: Pick<Deps, 'log' | 'stripe'>,
  account: AccountDb,
  deletedId: string | null,
): Promise<string> {
  const owner = (await listOwners(account))[0]
  const params = {
    ...(owner && { email: owner.email, name: owner.accountName }),
    metadata: { account: account.accountId },
  }
  const key = computeDigest([params, deletedId])
  const created = await askStripe(deps, (stripe) =>
    stripe.customers.create(params, { idempotencyKey: `recoup:customer:${account.accountId}:${key}` }),
  )
  return parseAnswer(CustomerState, created).id
}

/** Of two concurrent ones the first stays, unless it was deleted at Stripe. */
function saveCustomer(
  { db, accountId }: AccountDb,
  { id, deletedId, now }: { id: string; deletedId: string | null; now: Date },
) {
  return db
    .insertInto('billing_customers')
    .values({ account_id: accountId, stripe_customer_id: id, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ stripe_customer_id: id })
        .where('billing_customers.stripe_customer_id', '=', deletedId ?? ''),
    )
    .execute()
}
