import { type Db, type StoreDb, sql } from '../../core/db/db.ts'
import { hasBounced, isOpen, isRunningCampaign, isSending, wasAccepted } from '../../messages/messages/fragments.ts'
import type { CampaignKey } from './runs-sql.ts'

// Statements that count bounces and complaints of running campaigns. Those are few and have their own index; accepted
// messages are counted only where there are enough of them.

export interface ReturnCounts {
  bounced: number
  complained: number
}

/** Messages of campaign `g` sent since then and since the guard last paused it. */
const isWatched = (since: Date) => sql`m.store_id = g.store_id and m.origin_kind = 'campaign' and m.origin_id = g.id
  and m.sending_at > greatest(${since}, g.watched_from)`

const complaints = (since: Date) => sql`select count(*)::int as count from mail_reports c
  join messages m on m.store_id = c.store_id and m.id = c.message_id
  where c.store_id = g.store_id and c.kind = 'complaint' and ${isWatched(since)}`

export async function findReturnedCampaigns(
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

export interface WatchedRun {
  run: number
  /** The run has unsent messages. */
  is_sending: boolean
}

/** Newest first. */
export async function runsSince({ db, storeId }: StoreDb, id: string, since: Date): Promise<WatchedRun[]> {
  const ofRun = sql`m.store_id = r.store_id and m.origin_kind = 'campaign' and m.origin_id = r.campaign_id and m.step = r.run`
  const { rows } = await sql<WatchedRun>`
    select r.run, r.planned_at is null or exists (select 1 from messages m where ${ofRun} and ${isOpen('m')})
      or exists (select 1 from messages m where ${ofRun} and ${isSending('m')}) as is_sending
    from campaign_runs r where r.store_id = ${storeId} and r.campaign_id = ${id} and r.started_at > ${since}
    order by r.run desc`.execute(db)
  return rows
}

export interface RunCounts extends ReturnCounts {
  accepted: number
}

export async function countsOfRun(
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
