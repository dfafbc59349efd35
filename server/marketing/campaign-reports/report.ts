import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { CampaignReport } from '../../../shared/marketing/campaign-report.ts'
import { AppError } from '../../core/common/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { countClicksByTarget, countPeople } from '../../delivery/engagement/public.ts'
import type { Deps } from '../../deps.ts'
import { countParts, isHeld } from '../../messages/messages/public.ts'
import { MAX_RETRIED } from '../campaigns/public.ts'
import type { RecipientRow } from './sql.ts'
import { countStates, isOfCampaign, readFigures } from './sql.ts'

// The report of a campaign (decision 48): message counts, engagement, and attributed orders.

const MAX_LINKS = 100

export async function readReport(deps: Pick<Deps, 'config'>, store: StoreDb, id: string): Promise<CampaignReport> {
  await assertCampaign(store, id)
  const [states, figures, people, earned, links, runs, held] = await Promise.all([
    countStates(store, id),
    readFigures(store, id, MAX_RETRIED),
    countPeople(store, 'campaign', id),
    readRevenue(store, id),
    countClicksByTarget(store, 'campaign', id, MAX_LINKS),
    readRuns(store, id),
    readHeld(store, id),
  ])
  return {
    counts: countParts(states),
    ...figures,
    opened: people.opened,
    openedByMachines: people.opened_by_machines,
    clicked: people.clicked,
    ...presentRevenue(earned),
    ...presentHeld(held),
    links: links.map(({ target, ...clicked }) => ({ target: target ?? getCartPage(deps), ...clicked })),
    runs: runs.map(({ run, started_at, planned_at }) => ({
      run,
      startedAt: started_at.toISOString(),
      plannedAt: planned_at?.toISOString() ?? null,
      counts: countParts(states.filter((each) => each.run === run)),
      ...presentRevenue(earned.filter((each) => each.run === run)),
    })),
  }
}

export async function assertCampaign(store: StoreDb, id: string): Promise<void> {
  if (!(await hasCampaign(store, id))) throw new AppError('not_found', 'Campaign not found')
}

function presentHeld(held: readonly HeldCount[]) {
  const [mostFrequent] = held
  if (!mostFrequent) return { held: null }
  const first = Math.min(...held.map(({ first_until }) => first_until.getTime()))
  return {
    held: {
      count: held.reduce((total, { count }) => total + count, 0),
      firstUntil: new Date(first).toISOString(),
      explanation: explain(mostFrequent.reason, mostFrequent.channel),
    },
  }
}

const getCartPage = ({ config }: Pick<Deps, 'config'>) => `${config.publicUrl}/cart/recover`

/** One sum per currency, the largest first. */
function presentRevenue(earned: readonly RevenueRow[]): Pick<CampaignReport, 'orders' | 'revenue'> {
  const sums = new Map<string, number>()
  for (const { currency, net_minor } of earned) sums.set(currency, (sums.get(currency) ?? 0) + net_minor)
  const sorted = [...sums].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return {
    orders: earned.reduce((total, { orders }) => total + orders, 0),
    revenue: sorted.map(([currency, minor]) => ({ amount: minor / 10 ** getCurrencyExponent(currency), currency })),
  }
}

/** True for a deleted campaign as well: its report stays. */
async function hasCampaign({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from campaigns where store_id = ${storeId} and id = ${id}`.execute(db)
  return rows.length > 0
}

interface HeldCount {
  reason: string | null
  channel: RecipientRow['channel']
  count: number
  first_until: Date
}

/** HeldCount messages by reason, the most frequent reason first. */
async function readHeld({ db, storeId }: StoreDb, id: string): Promise<HeldCount[]> {
  const { rows } = await sql<HeldCount>`
    select m.reason, m.channel, count(*)::int as count, min(m.wake_at) as first_until from messages m
    where ${isOfCampaign(storeId, id)} and ${isHeld('m')} group by m.reason, m.channel order by 3 desc, 1`.execute(db)
  return rows
}

interface RevenueRow {
  run: number
  currency: string
  orders: number
  net_minor: number
}

/** Revenue by run and currency, net of refunds (A2). */
async function readRevenue({ db, storeId }: StoreDb, id: string): Promise<RevenueRow[]> {
  const { rows } = await sql<RevenueRow>`
    select m.step as run, o.currency, count(*)::int as orders, sum(o.net_minor)::bigint as net_minor
    from messages m join orders o on o.store_id = m.store_id and o.message_id = m.id
    where ${isOfCampaign(storeId, id)} group by m.step, o.currency order by 4 desc, 2`.execute(db)
  return rows
}

/** Newest first. */
function readRuns({ db, storeId }: StoreDb, id: string) {
  return db
    .selectFrom('campaign_runs')
    .select(['run', 'started_at', 'planned_at'])
    .where('store_id', '=', storeId)
    .where('campaign_id', '=', id)
    .orderBy('run', 'desc')
    .execute()
}
