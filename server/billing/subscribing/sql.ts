import type { AccountDb, AccountTx } from '../../core/db/db.ts'
import type { CheckoutSessionsTable } from '../../core/schema/billing.ts'

// Statements on Stripe customers and checkout sessions.

export function readCustomer({ db, accountId }: AccountDb) {
  return db
    .selectFrom('billing_customers')
    .select('stripe_customer_id as id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

/** Of two concurrent ones the first stays, unless it was deleted at Stripe. */
export function saveCustomer(
  { db, accountId }: AccountDb,
  { id, gone, now }: { id: string; gone: string | null; now: Date },
) {
  return db
    .insertInto('billing_customers')
    .values({ account_id: accountId, stripe_customer_id: id, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ stripe_customer_id: id })
        .where('billing_customers.stripe_customer_id', '=', gone ?? ''),
    )
    .execute()
}

/** Serializes saving a session of an account. Returns undefined if the account is deleted or being deleted. */
export function lockCustomer({ db, accountId }: AccountTx) {
  return db
    .selectFrom('billing_customers')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('accounts').select('id').where('id', '=', accountId).where('deleted_at', 'is', null)),
    )
    .forUpdate()
    .executeTakeFirst()
}

const SESSION = ['stripe_session_id as id', 'plan', 'cycle', 'extra_stores as extraStores', 'created_at as at'] as const

/** Newest first; the order of sessions of the same moment is stable. */
export function selectOpenSessions({ db, accountId }: AccountDb) {
  return db
    .selectFrom('checkout_sessions')
    .select([...SESSION, 'url'])
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .orderBy('created_at', 'desc')
    .orderBy('stripe_session_id', 'desc')
    .execute()
}

export function readSession({ db, accountId }: AccountDb, id: string) {
  return db
    .selectFrom('checkout_sessions')
    .select([...SESSION, 'state'])
    .where('account_id', '=', accountId)
    .where('stripe_session_id', '=', id)
    .executeTakeFirst()
}

export async function countEndedSessions({ db, accountId }: AccountDb): Promise<number> {
  const { ended } = await db
    .selectFrom('checkout_sessions')
    .select(({ fn }) => fn.countAll<number>().as('ended'))
    .where('account_id', '=', accountId)
    .where('state', '<>', 'open')
    .executeTakeFirstOrThrow()
  return ended
}

export function insertSession(
  { db, accountId }: AccountTx,
  session: Pick<CheckoutSessionsTable, 'plan' | 'cycle' | 'extra_stores' | 'url' | 'created_at'> & { id: string },
) {
  const { id, ...rest } = session
  return db
    .insertInto('checkout_sessions')
    .values({ account_id: accountId, stripe_session_id: id, state: 'open', ...rest })
    .onConflict((conflict) => conflict.columns(['account_id', 'stripe_session_id']).doNothing())
    .execute()
}

export function endSession(
  { db, accountId }: AccountDb,
  { id, state, now }: { id: string; state: 'complete' | 'expired'; now: Date },
) {
  return db
    .updateTable('checkout_sessions')
    .set({ state, ended_at: now })
    .where('account_id', '=', accountId)
    .where('stripe_session_id', '=', id)
    .where('state', '=', 'open')
    .execute()
}
