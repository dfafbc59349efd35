import type { CartStage, StageFilter } from '../../../shared/reach.ts'
import { type RawBuilder, type StoreDb, sql } from '../../core/db/db.ts'
import { wasSent } from '../../insights/analytics/fragments.ts'

// Conditions for carts at a stage of the conversion funnel, counted as the funnel does (decision 93).

const proofs: Record<Exclude<CartStage, 'converted'>, (storeId: string) => RawBuilder<unknown>> = {
  sent: () => sql`true`,
  opened: (storeId) => sql`exists (select 1 from engagement_events e
    where e.store_id = ${storeId} and e.message_id = m.id and e.kind = 'open' and e.class = 'human')`,
  clicked: (storeId) => sql`exists (select 1 from touchpoints t
    where t.store_id = ${storeId} and t.message_id = m.id and t.is_human and t.kind in ('click', 'restore'))`,
}

export async function idsAtStage({ db, storeId }: StoreDb, ids: readonly string[], filter: StageFilter) {
  const { stage, channel } = filter
  const isAt =
    stage === 'converted' ? isConverted(storeId, channel) : isReached(storeId, proofs[stage](storeId), channel)
  const { rows } = await sql<{ id: string }>`
    select c.id from carts c where c.store_id = ${storeId} and c.id = any(${[...ids]}::uuid[]) and ${isAt}`.execute(db)
  return rows.map(({ id }) => id)
}

const ofChannel = (channel: StageFilter['channel']) => (channel ? sql`and m.channel = ${channel}` : sql``)

/** A message about a merged cart counts for the surviving cart (S6). */
const isReached = (storeId: string, proof: RawBuilder<unknown>, channel: StageFilter['channel']) => sql`exists (
  select 1 from (
    select c.id union all
    select j.id from carts j where j.store_id = ${storeId} and j.shopper_id = c.shopper_id and j.merged_into = c.id) own
  join messages m on m.store_id = ${storeId} and m.cart_id = own.id
  where m.sending_at is not null and ${wasSent} ${ofChannel(channel)} and ${proof})`

const isConverted = (storeId: string, channel: StageFilter['channel']) =>
  channel === null
    ? sql`c.status = 'recovered' and not c.is_void`
    : sql`c.status = 'recovered' and not c.is_void and exists (
        select 1 from orders o join messages m on m.store_id = ${storeId} and m.id = o.message_id
        where o.store_id = ${storeId} and o.cart_id = c.id and o.touchpoint_id is not null ${ofChannel(channel)})`
