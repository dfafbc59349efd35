import type { FlowStepCoupon } from '../../../shared/carts/coupons.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { type CampaignInput, CampaignView } from '../../../shared/marketing/campaigns.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { loadStepCoupons } from '../../carts/coupons/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { countByState, countParts } from '../../messages/messages/public.ts'
import { openDesign } from '../../messages/templates/public.ts'
import { presentFilters } from '../audiences/public.ts'
import { presentCoupon } from '../flows/public.ts'
import { isEmail } from './campaign-input.ts'
import { type CampaignRow, readCampaign, readPeople } from './campaigns-sql.ts'

// Builds the API view of campaigns.

export async function viewCampaign(store: StoreDb, id: string): Promise<CampaignView> {
  const row = requireFound(await readCampaign(store, id), 'Campaign')
  return (await viewCampaigns(store, [row]))[0]!
}

export async function viewCampaigns(store: StoreDb, rows: readonly CampaignRow[]): Promise<CampaignView[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const chosen = rows.filter((row) => row.audience_mode === 'selected').map(({ id }) => id)
  const shop = requireFound(await readStore(store), 'Store')
  const [counts, revenue, people, coupons] = await Promise.all([
    readCounts(store, ids),
    readRevenue(store, ids),
    chosen.length > 0 ? readPeople(store, chosen) : [],
    loadStepCoupons(
      store,
      rows.flatMap((row) => row.coupon_id ?? []),
    ),
  ])
  const of = <Each extends { campaign_id: string }>(each: readonly Each[], id: string) =>
    each.filter(({ campaign_id }) => campaign_id === id)
  return rows.map((row) =>
    presentCampaign(row, {
      shop,
      coupon: (row.coupon_id && coupons.get(row.coupon_id)) || null,
      people: of(people, row.id).map(({ address }) => address),
      counts: countParts(of(counts, row.id)),
      revenue: of(revenue, row.id).map(({ minor, currency }) => ({ amount: major(minor, currency), currency })),
    }),
  )
}

const major = (minor: number, currency: string) => minor / 10 ** getCurrencyExponent(currency)

interface ViewExtras extends Pick<CampaignView, 'counts' | 'revenue'> {
  shop: StoreRow
  coupon: FlowStepCoupon | null
  people: string[]
}

const presentChosen = (people: readonly string[]) => ({
  customerEmails: people.filter(isEmail),
  customerPhones: people.filter((address) => !isEmail(address)),
})

function presentCampaign(
  row: CampaignRow,
  { shop, coupon, people: chosen, counts, revenue }: ViewExtras,
): CampaignView {
  return {
    _id: row.id,
    id: row.id,
    name: row.name,
    description: row.description,
    type: row.type,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    platform: shop.platform,
    storeId: shop.url,
    targetAudience: {
      type: row.audience_type,
      mode: row.audience_mode,
      filters: presentFilters(row.filters, shop.currency),
      ...presentChosen(chosen),
    },
    content: {
      subject: row.subject,
      body: row.body,
      design: row.type === 'email' ? openDesign(row) : null,
      template: parseTemplate(row.template_key),
      coupon: presentCoupon(row, shop.currency),
    },
    couponShown: coupon,
    schedule: {
      startDate: row.start_date,
      timeOfDay: row.time_of_day,
      frequency: row.frequency,
      delay: row.delay_hours,
      spreadHours: row.spread_hours,
    },
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    counts,
    revenue,
    pausedBy: row.paused_by,
    putOffBy: row.put_off_by,
  }
}

type Template = CampaignInput['content']['template']

/** Safe to parse: the column only holds validated choices. */
const parseTemplate = (key: string): Template => CampaignView.shape.content.shape.template.parse(key)

/** Counts of all runs together (D6). */
async function readCounts({ db, storeId }: StoreDb, ids: readonly string[]) {
  const { rows } = await sql<{ campaign_id: string; state: string; count: number }>`
    select c.of as campaign_id, c.state, c.count from (${countByState(
      'origin_id',
      sql`m.store_id = ${storeId} and m.origin_kind = 'campaign' and m.origin_id = any(${[...ids]}::uuid[])`,
    )}) c`.execute(db)
  return rows
}

/** Attributed revenue, net of refunds. */
async function readRevenue({ db, storeId }: StoreDb, ids: readonly string[]) {
  const { rows } = await sql<{ campaign_id: string; currency: string; minor: number }>`
    select m.origin_id as campaign_id, o.currency, sum(o.net_minor)::bigint as minor
    from orders o join messages m on m.store_id = o.store_id and m.id = o.message_id
    where o.store_id = ${storeId} and o.message_id is not null and m.origin_kind = 'campaign'
      and m.origin_id = any(${[...ids]}::uuid[])
    group by m.origin_id, o.currency order by 3 desc, 2`.execute(db)
  return rows
}
