import { notify } from '../../access/notifications/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { hasBounced, isOpen, isRunningCampaign, isSending, wasAccepted } from '../../messages/messages/public.ts'
import { type CampaignRow, lockCampaign, updateCampaign } from './campaigns-sql.ts'
import { findPauseCause, GUARD_LIMITS, type GuardLimits, getStatusAfter, isRunning } from './rules.ts'
import type { CampaignKey } from './runs-sql.ts'

// Pauses a running campaign with too many bounces or complaints and notifies the owner (decision 50). Its open
// messages stay; a member resumes or cancels it.
// After a resume only later messages count; otherwise the campaign would be paused again at once.

const MAX_CAMPAIGNS = 100
const WATCHED_MS = 30 * 86_400_000

export async function guardCampaigns(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  limits: GuardLimits = GUARD_LIMITS,
): Promise<void> {
  const since = new Date(deps.now().getTime() - WATCHED_MS)
  const thresholds = { bounced: limits.bounces.min, complained: limits.complaints.min, since, limit: MAX_CAMPAIGNS }
  for (const { store_id: storeId, id } of await findReturnedCampaigns(deps.db, thresholds)) {
    const store = { storeId, db: deps.db }
    const checked = await countsToCheck(store, id, { since, enough: limits.minAccepted })
    const counts = checked.find((each) => findPauseCause(each, limits) !== null)
    const cause = counts && findPauseCause(counts, limits)
    if (!cause) continue
    const { accepted } = counts
    const count = cause === 'bounces' ? counts.bounced : counts.complained
    await pause(deps, store, id, { cause, count, accepted })
    deps.log.warn({ storeId, campaignId: id, cause, count, accepted }, 'campaigns.guard')
  }
}

/** The newest runs until they have enough messages in total, plus each older run that is still sending. */
async function countsToCheck(
  store: StoreDb<Db>,
  id: string,
  { since, enough }: { since: Date; enough: number },
): Promise<RunCounts[]> {
  const newest = { accepted: 0, bounced: 0, complained: 0 }
  const older: RunCounts[] = []
  for (const { run, is_sending } of await runsSince(store, id, since)) {
    const isNewest = newest.accepted < enough
    if (!isNewest && !is_sending) continue
    const counts = await countsOfRun(store, id, { run, since })
    if (isNewest) add(newest, counts)
    else older.push(counts)
  }
  return [newest, ...older]
}

function add(sum: RunCounts, { accepted, bounced, complained }: RunCounts): void {
  sum.accepted += accepted
  sum.bounced += bounced
  sum.complained += complained
}

type Cause =
  | { cause: 'bounces' | 'complaints'; count: number; accepted: number }
  /** The plan or an overdue payment does not allow a due run. */
  | { cause: 'plan' | 'payment' }
  /** A due run to chosen customers mentions a cart. */
  | { cause: 'cart_words' }

async function pause(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, id: string, found: Cause): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    const campaign = await lockCampaign(tx, id)
    // Another process changed it first.
    if (!campaign || !isRunning(campaign)) return
    await pauseAutomatically(tx, campaign, found, now)
    await updateCampaign(tx, id, { watched_from: now })
  })
}

/** Pauses without a member and notifies the owner. Only Play resumes the campaign. */
export async function pauseAutomatically(
  tx: StoreTx,
  { id, name, status }: CampaignRow,
  found: Cause,
  now: Date,
): Promise<void> {
  const paused = { status: getStatusAfter(status, 'pause')!, paused_by: found.cause, put_off_by: null, updated_at: now }
  await updateCampaign(tx, id, paused)
  await notify(tx, { type: 'campaign_paused', data: { campaignId: id, name, ...found }, at: now })
}

// SQL that counts bounces and complaints of running campaigns. Those are few and have their own index; accepted
// messages are counted only where there are enough of them.

interface ReturnCounts {
  bounced: number
  complained: number
}

/** Messages of campaign `g` sent since then and since the guard last paused it. */
const isWatched = (since: Date) => sql`m.store_id = g.store_id and m.origin_kind = 'campaign' and m.origin_id = g.id
  and m.sending_at > greatest(${since}, g.watched_from)`

const complaints = (since: Date) => sql`select count(*)::int as count from mail_reports c
  join messages m on m.store_id = c.store_id and m.id = c.message_id
  where c.store_id = g.store_id and c.kind = 'complaint' and ${isWatched(since)}`

async function findReturnedCampaigns(
  db: Db,
  { bounced, complained, since, limit }: ReturnCounts & { since: Date; limit: number },
): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g
    cross join lateral (select count(*)::int as count from messages m where ${isWatched(since)} and ${hasBounced('m')}) b
    cross join lateral (${complaints(since)}) r
    where ${isRunningCampaign} and g.run > 0 and (b.count >= ${bounced} or r.count >= ${complained}) limit ${limit}`.execute(
    db,
  )
  return rows
}

interface WatchedRun {
  run: number
  /** The run has unsent messages. */
  is_sending: boolean
}

/** Newest first. */
async function runsSince({ db, storeId }: StoreDb, id: string, since: Date): Promise<WatchedRun[]> {
  const ofRun = sql`m.store_id = r.store_id and m.origin_kind = 'campaign' and m.origin_id = r.campaign_id and m.step = r.run`
  const { rows } = await sql<WatchedRun>`
    select r.run, r.planned_at is null or exists (select 1 from messages m where ${ofRun} and ${isOpen('m')})
      or exists (select 1 from messages m where ${ofRun} and ${isSending('m')}) as is_sending
    from campaign_runs r where r.store_id = ${storeId} and r.campaign_id = ${id} and r.started_at > ${since}
    order by r.run desc`.execute(db)
  return rows
}

interface RunCounts extends ReturnCounts {
  accepted: number
}

async function countsOfRun(
  { db, storeId }: StoreDb,
  id: string,
  { run, since }: { run: number; since: Date },
): Promise<RunCounts> {
  const { rows } = await sql<RunCounts>`
    select count(*) filter (where ${wasAccepted('m')})::int as accepted, count(*) filter (where ${hasBounced('m')})::int as bounced,
      (select count from campaigns g cross join lateral (${complaints(since)} and m.step = ${run}) r
        where g.store_id = ${storeId} and g.id = ${id}) as complained
    from campaigns g join messages m on ${isWatched(since)} and m.step = ${run}
    where g.store_id = ${storeId} and g.id = ${id}`.execute(db)
  return rows[0]!
}
