import type { Cost } from '../channels/channel.ts'
import { type StoreDb, type StoreTx, sql } from '../db.ts'

// What SMS and WhatsApp of an account cost in a month, and what they may: SQL and nothing else.

/** Locks the account's counter of the month and answers what its budget leaves; null: no budget. */
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

/** Adds to the month, or takes back with negative amounts; each currency by itself (decision 21). */
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

/** What the provider took in the end instead of what the price list said. */
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
