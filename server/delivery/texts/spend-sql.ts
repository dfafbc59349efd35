import { type AccountDb, type AccountTx, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { Cost } from '../../messages/channels/public.ts'

// SQL for an account's monthly spend on SMS and WhatsApp and its budget.

/** Locks the account's spend of the month and returns the rest of the budget; null: no budget. */
export async function lockBudget(
  { db }: StoreTx,
  accountId: string,
  month: string,
): Promise<{ micros: number; currency: string } | null> {
  const budget = await db
    .selectFrom('sending_budgets')
    .select(['monthly_micros', 'currency'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!budget) return null
  const { currency } = budget
  await sql`insert into sending_spend (account_id, month, currency) values (${accountId}, ${month}::date, ${currency})
    on conflict do nothing`.execute(db)
  const rows = await sql<{ micros: number }>`select micros from sending_spend
    where account_id = ${accountId} and month = ${month}::date and currency = ${currency} for update`.execute(db)
  return { micros: budget.monthly_micros - rows.rows[0]!.micros, currency }
}

/** Adds costs to the month, or subtracts negative ones; per currency (decision 21). */
export async function bookSpend(
  { db }: StoreDb,
  accountId: string,
  month: string,
  costs: readonly Cost[],
): Promise<void> {
  const moved = costs.filter(({ amountMicros }) => amountMicros !== 0)
  if (moved.length === 0) return
  await sql`
    insert into sending_spend as s (account_id, month, currency, micros)
    select ${accountId}, ${month}::date, c.currency, sum(c."amountMicros")
    from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as c(currency text, "amountMicros" bigint)
    group by c.currency order by c.currency
    on conflict (account_id, month, currency) do update set micros = greatest(0, s.micros + excluded.micros)`.execute(
    db,
  )
}

/** Replaces list prices by the provider's final prices. */
export async function correctCosts(
  { db, storeId }: StoreDb,
  costs: readonly { id: string; segments: number | null; cost: Cost | null }[],
): Promise<void> {
  if (costs.length === 0) return
  const rows = costs.map(({ id, segments, cost }) => ({
    id,
    segments,
    micros: cost?.amountMicros ?? null,
    currency: cost?.currency ?? null,
  }))
  await sql`
    update messages m set segments = coalesce(c.segments, m.segments), cost_micros = coalesce(c.micros, m.cost_micros),
      cost_currency = coalesce(c.currency, m.cost_currency)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c(id uuid, segments int, micros bigint, currency text)
    where m.store_id = ${storeId} and m.id = any(${costs.map(({ id }) => id)}::uuid[]) and m.id = c.id`.execute(db)
}

export interface BudgetRow {
  monthlyMicros: number
  currency: string
  spentMicros: number
}

/** The budget of the store's account; undefined: none. */
export async function readBudgetRow({ db, storeId }: StoreDb, month: string): Promise<BudgetRow | undefined> {
  const rows = await sql<BudgetRow>`
    select g.monthly_micros as "monthlyMicros", g.currency, coalesce(p.micros, 0) as "spentMicros"
    from stores s join sending_budgets g on g.account_id = s.account_id
    left join sending_spend p on p.account_id = g.account_id and p.month = ${month}::date and p.currency = g.currency
    where s.id = ${storeId}`.execute(db)
  return rows.rows[0]
}

/** The account's budget, if any, with the month's spend in its currency, or in `currency` without a budget. */
export async function readMonthBudget({ db, accountId }: AccountDb, month: string, currency: string) {
  const rows = await sql<{ monthlyMicros: number | null; currency: string; spentMicros: number }>`
    select g.monthly_micros as "monthlyMicros", coalesce(g.currency, ${currency}) as currency, coalesce(p.micros, 0) as "spentMicros"
    from accounts a left join sending_budgets g on g.account_id = a.id
    left join sending_spend p on p.account_id = a.id and p.month = ${month}::date and p.currency = coalesce(g.currency, ${currency})
    where a.id = ${accountId}`.execute(db)
  return rows.rows[0]
}

export async function saveBudget(
  { db, accountId }: AccountDb | AccountTx,
  budget: { monthlyMicros: number; currency: string; now: Date },
): Promise<void> {
  const { monthlyMicros: monthly_micros, currency, now: updated_at } = budget
  await db
    .insertInto('sending_budgets')
    .values({ account_id: accountId, monthly_micros, currency, updated_at })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ monthly_micros, currency, updated_at }))
    .execute()
}

export async function dropBudget({ db, accountId }: AccountDb): Promise<void> {
  await db.deleteFrom('sending_budgets').where('account_id', '=', accountId).execute()
}
