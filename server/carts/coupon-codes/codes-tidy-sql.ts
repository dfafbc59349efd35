import { type Db, type StoreDb, sql } from '../../core/db/db.ts'
import { isOpen, isSending } from '../../messages/messages/fragments.ts'

// Which codes a store is to be rid of: SQL and nothing else.

/** Of what was taken out here the store knows nothing any more (`attempts` is 0). */
const isToTidy = sql`(k.state <> 'deleted' or k.attempts > 0)`

export interface SpareCode {
  message_id: string
  coupon_id: string
  code: string
  platform_id: string | null
  /** 0: the store was never asked for it. */
  attempts: number
  currency: string
}

/**
 * Codes of messages that are over, or gone, and did not leave with them; unused ones that expired before `expiredBefore`; those of people
 * who were erased; those that were found to be deleted in the store, which may have made them twice. One whose answer never came waits: the
 * store may still be at it. In the order of their keys, so that each is met once.
 */
export async function spareCodes(
  { db, storeId }: StoreDb,
  {
    expiredBefore,
    askedBefore,
    after,
    limit,
  }: { expiredBefore: Date; askedBefore: Date; after: SpareCode | null; limit: number },
): Promise<SpareCode[]> {
  const behind = after ? sql`and (k.message_id, k.coupon_id) > (${after.message_id}, ${after.coupon_id})` : sql``
  const rows = await sql<SpareCode>`
    select k.message_id, k.coupon_id, k.code, k.platform_id, k.attempts, s.currency
    from coupon_codes k join stores s on s.id = k.store_id
    left join messages m on m.store_id = k.store_id and m.id = k.message_id
    where k.store_id = ${storeId} and ${isToTidy} ${behind} and not coalesce((select is_paused from instance), false)
      and (k.attempts = 0 or (k.attempts = 1 and k.platform_id is not null) or k.asked_at <= ${askedBefore})
      and (k.state = 'deleted' or k.is_unwanted or (k.used_at is null and (k.expires_at <= ${expiredBefore} or m.id is null
        or (not (${isOpen('m')}) and not (${isSending('m')})
          and (m.sending_at is null or upper(m.coupon_code) is distinct from k.code)))))
    order by k.message_id, k.coupon_id limit ${limit}`.execute(db)
  return rows.rows
}

export async function noteDeleted(
  { db, storeId }: StoreDb,
  codes: readonly { message_id: string; coupon_id: string }[],
  now: Date,
): Promise<void> {
  if (codes.length === 0) return
  await sql`update coupon_codes k set state = 'deleted', deleted_at = coalesce(k.deleted_at, ${now}), refusal = null, attempts = 0
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid)
    where k.store_id = ${storeId} and k.message_id = any(${codes.map((code) => code.message_id)}::uuid[])
      and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** Connected stores that have codes and were not tidied since; after a failure sooner. A time in the future is from before a step back of the clock. */
export async function storesToTidy(db: Db, due: { now: Date; daily: Date; retry: Date }): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select s.id as store_id from stores s
    left join sync_state y on y.store_id = s.id and y.stream = 'coupon_tidy'
    where s.is_active and not coalesce((select is_paused from instance), false)
      and coalesce(y.started_at > ${due.now}
        or y.started_at <= case when y.error_code is null then ${due.daily}::timestamptz else ${due.retry} end, true)
      and exists (select 1 from coupon_codes k where k.store_id = s.id and ${isToTidy})`.execute(db)
  return rows.rows.map((row) => row.store_id)
}
