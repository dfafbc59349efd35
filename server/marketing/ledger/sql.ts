import type {
  ConsentEvidence,
  ImportStanding,
  LedgerChannel,
  LedgerFilter,
  LedgerStatus,
} from '../../../shared/marketing/ledger.ts'
import { ledgerChannels, ledgerStatuses } from '../../../shared/marketing/ledger.ts'
import { type StoreDb, sql, toSqlZone } from '../../core/db/public.ts'
import { doesConsentCount } from '../../shoppers/consent/public.ts'

// SQL for the ledger search. Every order and filter has an index that serves it at a million rows.

export interface LedgerRow {
  id: string
  hash: string
  channel: LedgerChannel
  status: LedgerStatus
  is_confirmed: boolean
  source: string
  wording: string | null
  at: Date
  who: string | null
  evidence: ConsentEvidence | null
  standing: ImportStanding
}

export interface LedgerQuery extends Pick<LedgerFilter, 'channel' | 'status' | 'source' | 'from' | 'to'> {
  hash: Buffer | null
  /** Continues after this row, in list order. */
  after: { at: Date; id: string } | null
  limit: number
}

const SELECT = sql`c.id, encode(c.address_hash, 'hex') as hash, c.channel, c.status, c.is_confirmed, c.source, c.wording, c.at,
  c.who, c.evidence, case when ${doesConsentCount('c')} then 'stands'
    when exists (select 1 from consent_imports i where i.store_id = c.store_id and i.id = any(c.import_ids) and i.standing = 'doubted')
    then 'doubted' else 'undone' end as standing`

/**
 * Newest first. A search matches one person with few rows; without a filter, rows come from the index of all entries.
 */
export async function ledgerPage(store: StoreDb, filter: LedgerQuery): Promise<LedgerRow[]> {
  const { db, storeId } = store
  const { hash, channel, status, source, limit } = filter
  const order = sql`order by c.at desc, c.id desc limit ${limit}`
  const bounds = selectBounds(storeId, filter)
  if (hash) {
    const rows = await sql<LedgerRow>`
      select ${SELECT} from consents c where c.store_id = ${storeId} and c.address_hash = ${hash} ${bounds}
        and c.channel = coalesce(${channel ?? null}, c.channel) and c.status = coalesce(${status ?? null}, c.status)
        and c.source = coalesce(${source ?? null}, c.source) ${order}`.execute(db)
    return rows.rows
  }
  if (!channel && !status && !source) {
    const rows = await sql<LedgerRow>`
      select ${SELECT} from consents c where c.store_id = ${storeId} ${bounds} ${order}`.execute(db)
    return rows.rows
  }
  return selectFiltered(store, filter, bounds)
}

/** Each combination of the filter is one index range, read from its newest end; there are few combinations. */
async function selectFiltered({ db, storeId }: StoreDb, filter: LedgerQuery, bounds: ReturnType<typeof selectBounds>) {
  const sources = filter.source ? [filter.source] : await listSources({ db, storeId })
  const channels = filter.channel ? [filter.channel] : [...ledgerChannels]
  const statuses = filter.status ? [filter.status] : [...ledgerStatuses]
  const rows = await sql<LedgerRow>`
    select c.* from unnest(${sources}::text[]) as s(source) cross join unnest(${channels}::text[]) as h(channel)
      cross join unnest(${statuses}::text[]) as t(status) cross join lateral (
        select ${SELECT} from consents c where c.store_id = ${storeId} and c.source = s.source and c.channel = h.channel
          and c.status = t.status ${bounds} order by c.at desc, c.id desc limit ${filter.limit}) c
    order by c.at desc, c.id desc limit ${filter.limit}`.execute(db)
  return rows.rows
}

/** Days are in the store's time zone. */
function selectBounds(storeId: string, { from, to, after }: LedgerQuery) {
  const zone = sql`(select ${toSqlZone(sql`time_zone`)} from stores where id = ${storeId})`
  return sql`
    ${from ? sql`and c.at >= (${from}::date)::timestamp at time zone ${zone}` : sql``}
    ${to ? sql`and c.at < (${to}::date + 1)::timestamp at time zone ${zone}` : sql``}
    ${after ? sql`and (c.at, c.id) < (${after.at}, ${after.id}::uuid)` : sql``}`
}

/**
 * The filter offers at most this many sources. Stores with custom sources may have more, which are found without the
 * filter.
 */
const MAX_SOURCES = 60

/** One index lookup per source instead of one per row. */
export async function listSources({ db, storeId }: StoreDb): Promise<string[]> {
  const rows = await sql<{ source: string }>`
    with recursive found as (
      (select source from consents where store_id = ${storeId} order by source limit 1)
      union all
      select (select c.source from consents c where c.store_id = ${storeId} and c.source > found.source order by c.source limit 1)
      from found where found.source is not null)
    select source from found where source is not null limit ${MAX_SOURCES}`.execute(db)
  return rows.rows.map(({ source }) => source)
}

/** Country and time zone of the store: the format of phone numbers, and the zone of times. */
export async function readPlace({ db, storeId }: StoreDb): Promise<{ country: string | null; zone: string }> {
  const row = await db
    .selectFrom('stores')
    .select(['base_country as country', 'time_zone as zone'])
    .where('id', '=', storeId)
    .executeTakeFirstOrThrow()
  return row
}
