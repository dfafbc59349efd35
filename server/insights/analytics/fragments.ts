import { type RawBuilder, sql } from '../../core/db/public.ts'
import { hasBounced, isSending, mayArrive } from '../../messages/messages/public.ts'
import type { DayBounds } from './days.ts'

/** The days to be counted, as rows of `days` (day, since, until). */
export const selectDays = (bounds: readonly DayBounds[]) =>
  sql`days as materialized (
    select * from jsonb_to_recordset(${JSON.stringify(bounds)}::jsonb) as d (day date, since timestamptz, until timestamptz))`

/**
 * Whether a shopper is (or was before erasure) identified by an account, a phone or an email that few share. Anonymous
 * in-store buyers are not customers.
 */
export const isCustomer = (storeId: string, shopperId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(exists (select 1 from shopper_keys k where k.store_id = ${storeId} and k.shopper_id = ${shopperId}
    and k.kind in ('email', 'phone', 'customer'))
    or exists (select 1 from shoppers h where h.store_id = ${storeId} and h.id = ${shopperId} and h.had_contact))`

/** Whether message `m` was sent, with an outcome other than refusal. */
export const wasSent: RawBuilder<boolean> = sql`(${mayArrive('m')} and not ${isSending('m')} or ${hasBounced('m')})`
