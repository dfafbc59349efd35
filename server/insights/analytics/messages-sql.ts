import type { OriginKind } from '../../../shared/carts/carts.ts'
import type { AnalyticsChannel } from '../../../shared/carts/reach.ts'
import { type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'

import type { RangeDays } from './ranges.ts'

// Sums messages from daily figures (decisions 94, 99, 154). A row with an empty currency holds counts, other rows
// amounts.

export interface MessageSums {
  currency: string
  accepted: number
  opened: number
  machine_opened: number
  clicked: number
  credited: number
  bounced: number
  unsubscribed: number
  complained: number
  attributed_minor: number
  discount_minor: number
  cost_micros: number
}

const SUMS = sql`btrim(currency) as currency, sum(accepted)::bigint as accepted, sum(opened)::bigint as opened,
  sum(machine_opened)::bigint as machine_opened, sum(clicked)::bigint as clicked, sum(credited)::bigint as credited, sum(bounced)::bigint as bounced,
  sum(unsubscribed)::bigint as unsubscribed, sum(complained)::bigint as complained, sum(attributed_minor)::bigint as attributed_minor,
  sum(discount_minor)::bigint as discount_minor, sum(cost_micros)::bigint as cost_micros`

const within = (storeId: string, { first, last }: Pick<RangeDays, 'first' | 'last'>) =>
  sql`store_id = ${storeId} and day >= ${first}::date and day <= ${last}::date`

async function sumBy<K>(
  { db, storeId }: StoreDb,
  range: Pick<RangeDays, 'first' | 'last'>,
  keys: RawBuilder<unknown>,
  groups: RawBuilder<unknown>,
) {
  const { rows } = await sql<MessageSums & K>`
    select ${keys}, ${SUMS} from message_figures where ${within(storeId, range)} group by ${groups}, currency`.execute(
    db,
  )
  return rows
}

export type ChannelSums = MessageSums & { channel: AnalyticsChannel; from_hour: number }

export const sumMessages = (store: StoreDb, range: RangeDays): Promise<ChannelSums[]> =>
  sumBy<{ channel: AnalyticsChannel; from_hour: number }>(
    store,
    range,
    sql`channel, from_hour`,
    sql`channel, from_hour`,
  )

export interface OriginKey {
  origin_kind: OriginKind
  origin_id: string
  step_id: string
  channel: AnalyticsChannel
  name: string | null
  /** Position of the flow's step; null: removed or deleted. */
  step: number | null
  /** Former name of a removed step; null: not removed, or deleted. */
  removed_step: string | null
}

/** Sums per flow step, per campaign and for manual messages. */
export async function sumOrigins({ db, storeId }: StoreDb, range: RangeDays) {
  const { rows } = await sql<MessageSums & OriginKey>`
    with sums as (
      select origin_kind, origin_id, step_id, channel, ${SUMS} from message_figures where ${within(storeId, range)}
      group by origin_kind, origin_id, step_id, channel, currency)
    select s.*, coalesce(f.name, g.name) as name,
      case when t.removed_at is null then t.step end as step, case when t.removed_at is not null then w.name end as removed_step
    from sums s
    left join flows f on s.origin_kind in ('flow', 'push') and f.store_id = ${storeId} and f.id = s.origin_id
    left join flow_steps t on s.origin_kind in ('flow', 'push') and t.store_id = ${storeId} and t.flow_id = s.origin_id and t.id = s.step_id
    left join templates w on w.store_id = ${storeId} and w.id = t.template_id
    left join campaigns g on s.origin_kind = 'campaign' and g.store_id = ${storeId} and g.id = s.origin_id`.execute(db)
  return rows
}

/** Sums per calendar month, given by its first day. */
export const sumMonths = (store: StoreDb, range: Pick<RangeDays, 'first' | 'last'>) =>
  sumBy<{ month: string }>(store, range, sql`to_char(day, 'YYYY-MM') as month`, sql`to_char(day, 'YYYY-MM')`)
