import { deriveId } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, type Db, sql, type Tx } from '../../core/db/public.ts'
import type { DerivedRow } from './derive-rules.ts'
import type { Payment } from './payment-rules.ts'

// SQL for our copy of Stripe's data.

/** A copy of an installation has the live one's key (D7), so it reads from Stripe but changes nothing there. */
export function isPaused(db: Db | Tx) {
  return db.selectFrom('instance').select('is_paused').where('is_paused', '=', true).executeTakeFirst()
}

/** Takes the next version number before the fetch. Returns undefined if the account never bought anything. */
export function takeNextVersion({ db, accountId }: AccountDb) {
  return db
    .updateTable('billing_customers')
    .set({ begun: sql`begun + 1` })
    .where('account_id', '=', accountId)
    .returning(['begun', 'stripe_customer_id as customer'])
    .executeTakeFirst()
}

/** Whether no later version was saved. Locks until the transaction ends. False for an account that is being deleted. */
export async function claimVersion({ db, accountId }: AccountTx, begun: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from billing_customers c join accounts a on a.id = c.account_id and a.deleted_at is null
    where c.account_id = ${accountId} and c.applied < ${begun}::bigint for update of c`.execute(db)
  return rows.length > 0
}

export function finishVersion({ db, accountId }: AccountTx, begun: number, now: Date, failure: string | null) {
  return db
    .updateTable('billing_customers')
    .set({ applied: begun, refreshed_at: now, failed_at: failure === null ? null : now, failure })
    .where('account_id', '=', accountId)
    .execute()
}

export function recordFailure({ db, accountId }: AccountDb, failure: string, now: Date) {
  return db
    .updateTable('billing_customers')
    .set({ failed_at: now, failure })
    .where('account_id', '=', accountId)
    .execute()
}

/** Locks until the transaction ends. */
export function lockSubscription({ db, accountId }: AccountTx) {
  return db
    .selectFrom('subscriptions')
    .select(['source', 'plan', 'status', 'past_due_since as pastDueSince', 'cycle', 'extra_stores as extraStores'])
    .select(['amount_minor as amountMinor', 'currency', 'current_period_end as currentPeriodEnd'])
    .select(['trial_ends_at as trialEndsAt', 'cancel_at_period_end as cancelAtPeriodEnd'])
    .select(['next_plan as nextPlan', 'next_cycle as nextCycle', 'next_extra_stores as nextExtraStores'])
    .select(['changes_at as changesAt', 'stripe_subscription_id as stripeSubscriptionId'])
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()
}
export type StoredSubscription = NonNullable<Awaited<ReturnType<typeof lockSubscription>>>

export function saveRow({ db, accountId }: AccountTx, row: DerivedRow, now: Date) {
  const copied = {
    source: 'stripe' as const,
    is_unlimited: false,
    updated_at: now,
    plan: row.plan,
    status: row.status,
    past_due_since: row.pastDueSince,
    cycle: row.cycle,
    extra_stores: row.extraStores,
    amount_minor: row.amountMinor,
    currency: row.currency,
    current_period_end: row.currentPeriodEnd,
    next_billing_at: row.nextBillingAt,
    trial_ends_at: row.trialEndsAt,
    last_payment_at: row.lastPaymentAt,
    has_card: row.hasCard,
    cancel_at_period_end: row.cancelAtPeriodEnd,
    next_plan: row.next?.plan ?? null,
    next_cycle: row.next?.cycle ?? null,
    next_extra_stores: row.next?.extraStores ?? null,
    changes_at: row.next?.at ?? null,
    stripe_subscription_id: row.stripeSubscriptionId,
    stripe_schedule_id: row.stripeScheduleId,
  }
  return db
    .insertInto('subscriptions')
    .values({ account_id: accountId, ...copied })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(copied))
    .execute()
}

/** An invoice stays the same payment in all its states. */
export async function savePayments({ db, accountId }: AccountTx, payments: readonly Payment[]): Promise<void> {
  if (payments.length === 0) return
  const rows = payments.map((payment) => ({
    ...payment,
    id: deriveId(`${accountId} payment ${payment.stripeInvoiceId}`),
  }))
  await sql`
    insert into payments as had (account_id, id, stripe_invoice_id, number, created_at, description, amount_minor, currency,
      refund_minor, failure_reason, status, invoice_url)
    select ${accountId}, p.id, p."stripeInvoiceId", p.number, p."createdAt", p.description, p."amountMinor", p.currency,
      p."refundMinor", p."failureReason", p.status, p."invoiceUrl"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as p(id uuid, "stripeInvoiceId" text, number text,
      "createdAt" timestamptz, description text, "amountMinor" int, currency text, "refundMinor" int, "failureReason" text,
      status text, "invoiceUrl" text)
    on conflict (account_id, stripe_invoice_id) do update set number = excluded.number, description = excluded.description,
      amount_minor = excluded.amount_minor, currency = excluded.currency, refund_minor = excluded.refund_minor,
      failure_reason = excluded.failure_reason, status = excluded.status, invoice_url = excluded.invoice_url
    where (had.number, had.description, had.amount_minor, had.refund_minor, had.failure_reason, had.status, had.invoice_url)
      is distinct from (excluded.number, excluded.description, excluded.amount_minor, excluded.refund_minor,
        excluded.failure_reason, excluded.status, excluded.invoice_url)`.execute(db)
}
