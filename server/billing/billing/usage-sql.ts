import { type AccountDb, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for an account's monthly message counts.

/** Locks the account's counter of the month and returns its value. */
export async function lockUsage({ db }: StoreTx, accountId: string, month: string, channel: string): Promise<number> {
  const read = () =>
    sql<{ used: number }>`select used from plan_usage
    where account_id = ${accountId} and month = ${month}::date and channel = ${channel} for update`.execute(db)
  const known = await read()
  if (known.rows[0]) return known.rows[0].used
  await sql`insert into plan_usage (account_id, month, channel) values (${accountId}, ${month}::date, ${channel})
    on conflict do nothing`.execute(db)
  return (await read()).rows[0]!.used
}

export async function addUsage({ db }: StoreDb, accountId: string, month: string, channel: string, count: number) {
  await sql`update plan_usage set used = greatest(0, used + ${count}::int)
    where account_id = ${accountId} and month = ${month}::date and channel = ${channel}`.execute(db)
}

/** Usage of the month by channel. */
export async function readUsed({ db, accountId }: AccountDb, month: string) {
  const { rows } = await sql<{ channel: string; used: number }>`
    select channel, used from plan_usage where account_id = ${accountId} and month = ${month}::date`.execute(db)
  return rows
}
