import type { Insertable, Selectable, Updateable } from 'kysely'
import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { PageWindow } from '../../core/db/paging.ts'
import type { CampaignsTable } from '../../core/schema/campaigns.ts'
import { countedByState } from '../../messages/messages/fragments.ts'

// Statements for campaigns. Those of runs are in runs-sql.ts and plan-sql.ts.

/** A campaign with its template's subject and body. */
export interface CampaignRow extends Selectable<CampaignsTable> {
  subject: string
  body: string
}

const withWords = ({ db, storeId }: StoreDb) =>
  db
    .selectFrom('campaigns as g')
    .innerJoin('templates as t', (on) => on.onRef('t.store_id', '=', 'g.store_id').onRef('t.id', '=', 'g.template_id'))
    .selectAll('g')
    .select(['t.subject', 't.body'])
    .where('g.store_id', '=', storeId)
    .where('g.deleted_at', 'is', null)

export function readCampaign(store: StoreDb, id: string): Promise<CampaignRow | undefined> {
  return withWords(store).where('g.id', '=', id).executeTakeFirst()
}

/** Serializes steps with each other and with the planning of a run. */
export async function lockCampaign(tx: StoreTx, id: string): Promise<CampaignRow | undefined> {
  await sql`select 1 from campaigns where store_id = ${tx.storeId} and id = ${id} for no key update`.execute(tx.db)
  return readCampaign(tx, id)
}

/** undefined: another transaction holds the campaign, for a step or for planning. */
export async function lockForPlanning(tx: StoreTx, id: string): Promise<CampaignRow | undefined> {
  const { rows } = await sql`select 1 from campaigns where store_id = ${tx.storeId} and id = ${id}
    for no key update skip locked`.execute(tx.db)
  return rows.length > 0 ? readCampaign(tx, id) : undefined
}

export interface ListFilter {
  search: string
  status: CampaignsTable['status'] | null
}

const listed = (store: StoreDb, { search, status }: ListFilter) =>
  withWords(store)
    .$if(search !== '', (query) => query.where('g.name', 'ilike', `%${search.replace(/[\\%_]/g, '\\$&')}%`))
    .$if(status !== null, (query) => query.where('g.status', '=', status!))

export async function countCampaigns(store: StoreDb, filter: ListFilter): Promise<number> {
  const { total } = await listed(store, filter)
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Newest first. */
export function pageOfCampaigns(
  store: StoreDb,
  filter: ListFilter,
  { limit, offset }: Pick<PageWindow, 'limit' | 'offset'>,
): Promise<CampaignRow[]> {
  return listed(store, filter)
    .orderBy('g.created_at', 'desc')
    .orderBy('g.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function insertCampaign(
  { db, storeId }: StoreTx,
  values: Omit<Insertable<CampaignsTable>, 'store_id'>,
): Promise<void> {
  await db
    .insertInto('campaigns')
    .values({ store_id: storeId, ...values })
    .execute()
}

export async function updateCampaign(
  { db, storeId }: StoreTx,
  id: string,
  values: Updateable<CampaignsTable>,
): Promise<void> {
  await db.updateTable('campaigns').set(values).where('store_id', '=', storeId).where('id', '=', id).execute()
}

/** Replaces the chosen people. */
export async function setPeople({ db, storeId }: StoreTx, id: string, addresses: readonly string[]): Promise<void> {
  await sql`
    with gone as (delete from campaign_people
      where store_id = ${storeId} and campaign_id = ${id} and address <> all(${[...addresses]}::text[]))
    insert into campaign_people (store_id, campaign_id, address)
    select ${storeId}, ${id}, address from unnest(${[...addresses]}::text[]) as address on conflict do nothing`.execute(
    db,
  )
}

export async function readPeople(
  { db, storeId }: StoreDb,
  ids: readonly string[],
): Promise<{ campaign_id: string; address: string }[]> {
  return db
    .selectFrom('campaign_people')
    .select(['campaign_id', 'address'])
    .where('store_id', '=', storeId)
    .where('campaign_id', 'in', [...ids])
    .orderBy('address')
    .execute()
}

/** Counts of all runs together (D6). */
export async function readCounts({ db, storeId }: StoreDb, ids: readonly string[]) {
  const { rows } = await sql<{ campaign_id: string; state: string; count: number }>`
    select c.of as campaign_id, c.state, c.count from (${countedByState(
      'origin_id',
      sql`m.store_id = ${storeId} and m.origin_kind = 'campaign' and m.origin_id = any(${[...ids]}::uuid[])`,
    )}) c`.execute(db)
  return rows
}

/** Attributed revenue, net of refunds. */
export async function readRevenue({ db, storeId }: StoreDb, ids: readonly string[]) {
  const { rows } = await sql<{ campaign_id: string; currency: string; minor: number }>`
    select m.origin_id as campaign_id, o.currency, sum(o.net_minor)::bigint as minor
    from orders o join messages m on m.store_id = o.store_id and m.id = o.message_id
    where o.store_id = ${storeId} and o.message_id is not null and m.origin_kind = 'campaign'
      and m.origin_id = any(${[...ids]}::uuid[])
    group by m.origin_id, o.currency order by 3 desc, 2`.execute(db)
  return rows
}
