import type { CampaignReport } from '../../../shared/campaign-report.ts'
import { currencyExponent } from '../../../shared/money.ts'
import { explain } from '../../../shared/reasons.ts'
import { AppError } from '../../core/common/errors.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { clicksByTarget, peopleOf } from '../../delivery/engagement/responses.ts'
import type { Deps } from '../../deps.ts'
import { countParts } from '../../messages/messages/state-rules.ts'
import { MAX_RETRIED } from '../campaigns/retry.ts'
import * as sql from './sql.ts'

// The report of a campaign (area decision 48): message counts, engagement, and attributed orders.

const MAX_LINKS = 100

export async function readReport(deps: Deps, store: StoreDb, id: string): Promise<CampaignReport> {
  await assertCampaign(store, id)
  const [states, figures, people, earned, links, runs, held] = await Promise.all([
    sql.countStates(store, id),
    sql.readFigures(store, id, MAX_RETRIED),
    peopleOf(store, 'campaign', id),
    sql.readRevenue(store, id),
    clicksByTarget(store, 'campaign', id, MAX_LINKS),
    sql.readRuns(store, id),
    sql.readHeld(store, id),
  ])
  return {
    ...{ counts: countParts(states), ...figures },
    ...{ opened: people.opened, openedByMachines: people.opened_by_machines, clicked: people.clicked },
    ...presentRevenue(earned),
    ...presentHeld(held),
    links: links.map(({ target, ...clicked }) => ({ target: target ?? cartPage(deps), ...clicked })),
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
  if (!(await sql.hasCampaign(store, id))) throw new AppError('not_found', 'Campaign not found')
}

function presentHeld(held: readonly sql.HeldCount[]) {
  const [most] = held
  if (!most) return { held: null }
  const first = Math.min(...held.map(({ first_until }) => first_until.getTime()))
  return {
    held: {
      ...{ count: held.reduce((total, { count }) => total + count, 0), firstUntil: new Date(first).toISOString() },
      explanation: explain(most.reason, most.channel),
    },
  }
}

const cartPage = ({ config }: Deps) => `${config.publicUrl}/cart/recover`

/** One sum per currency, the largest first. */
function presentRevenue(earned: readonly sql.RevenueRow[]): Pick<CampaignReport, 'orders' | 'revenue'> {
  const sums = new Map<string, number>()
  for (const { currency, net_minor } of earned) sums.set(currency, (sums.get(currency) ?? 0) + net_minor)
  const sorted = [...sums].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return {
    orders: earned.reduce((total, { orders }) => total + orders, 0),
    revenue: sorted.map(([currency, minor]) => ({ amount: minor / 10 ** currencyExponent(currency), currency })),
  }
}
