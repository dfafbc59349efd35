import type { AccountDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { ownersOf } from '../../access/members/users.ts'
import { askStripe, readAnswer, stripeCodeOf } from '../payments/stripe.ts'
import { SeenCustomerState } from './answers.ts'
import { digestOf } from './digest.ts'
import * as sql from './sql.ts'

// Each account is one customer at Stripe, made when it first buys.

/** The account's customer. Asked for twice at once it is made once; one that is gone at Stripe is made anew. */
export async function customerOf(deps: Deps, account: AccountDb): Promise<string> {
  const known = (await sql.readCustomer(account))?.id ?? null
  if (known && (await isThere(deps, known))) return known
  const id = await makeCustomer(deps, account, known)
  await sql.saveCustomer(account, { id, gone: known, now: deps.now() })
  return (await sql.readCustomer(account))?.id ?? id
}

/** It was deleted there, or is of another key: of Stripe's test mode. */
async function isThere(deps: Deps, id: string): Promise<boolean> {
  try {
    const customer = await askStripe(deps, (stripe) => stripe.customers.retrieve(id))
    return readAnswer(SeenCustomerState, customer).deleted !== true
  } catch (error) {
    if (stripeCodeOf(error) === 'resource_missing') return false
    throw error
  }
}

async function makeCustomer(deps: Deps, account: AccountDb, gone: string | null): Promise<string> {
  const owner = (await ownersOf(account))[0]
  const params = {
    ...(owner && { email: owner.email, name: owner.accountName }),
    metadata: { account: account.accountId },
  }
  const key = digestOf([params, gone])
  const made = await askStripe(deps, (stripe) =>
    stripe.customers.create(params, { idempotencyKey: `recoup:customer:${account.accountId}:${key}` }),
  )
  return readAnswer(SeenCustomerState, made).id
}
