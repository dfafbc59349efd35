import { type Db, type StoreDb, sql } from '../../core/db/db.ts'
import { isOpen, isSending } from '../../messages/messages/fragments.ts'

// Statements on codes to delete from a store.

/** Codes that we deleted (`attempts` is 0) are already gone from the store. */
const isToTidy = sql`(k.state <> 'deleted' or k.attempts > 0)`

export interface UnneededCode {
  message_id: string
  coupon_id: string
  code: string
  platform_id: string | null
  /** 0: the store was never asked for it. */
  attempts: number
  currency: string
}

/**
 * Unneeded codes: of finished or deleted messages sent without them, unused ones that expired before `expiredBefore`,
 * and those of erased shoppers. Also those found deleted in the store, which may have created them twice. A recent
 * request without an answer waits, because the store may still be working on it. Ordered by key, so that each is met
 * once.
 */
export async function selectUnneededCodes(
  { db, storeId }: StoreDb,
  {
    expiredBefore,
    askedBefore,
    after,
    limit,
  }: { expiredBefore: Date; askedBefore: Date; after: UnneededCode | null; limit: number },
): Promise<UnneededCode[]> {
  const behind = after ? sql`and (k.message_id, k.coupon_id) > (${after.message_id}, ${after.coupon_id})` : sql``
  const rows = await sql<UnneededCode>`
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

export async function markDeleted(
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

/**
 * Connected stores with codes and no cleanup within a day; sooner after a failure. Future times are from a clock put
 * back.
 */
export async function selectStoresToTidy(db: Db, due: { now: Date; daily: Date; retry: Date }): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select s.id as store_id from stores s
    left join sync_state y on y.store_id = s.id and y.stream = 'coupon_tidy'
    where s.is_active and not coalesce((select is_paused from instance), false)
      and coalesce(y.started_at > ${due.now}
        or y.started_at <= case when y.error_code is null then ${due.daily}::timestamptz else ${due.retry} end, true)
      and exists (select 1 from coupon_codes k where k.store_id = s.id and ${isToTidy})`.execute(db)
  return rows.rows.map((row) => row.store_id)
}
