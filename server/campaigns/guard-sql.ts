import { type Db, type StoreDb, sql } from '../core/db.ts'
import { hasBounced, isRunningCampaign, wasAccepted } from '../messages/fragments.ts'
import type { CampaignKey } from './runs-sql.ts'

// What came back of campaigns that are running: SQL and nothing else. Bounces and complaints are few and have an index of their own; what was
// accepted is counted only where there are enough of them.

export interface Returned extends CampaignKey {
  bounced: number
  complained: number
}

/** Of the newest run of campaign `g`, since it was paused for such last. */
const ofNewestRun = sql`m.store_id = g.store_id and m.origin_kind = 'campaign' and m.origin_id = g.id and m.step = g.run
  and (g.watched_from is null or m.handed_over_at > g.watched_from)`

export async function campaignsWithReturns(
  db: Db,
  { bounced, complained, limit }: { bounced: number; complained: number; limit: number },
): Promise<Returned[]> {
  const { rows } = await sql<Returned>`
    select g.store_id, g.id, b.count as bounced, r.count as complained from campaigns g
    cross join lateral (select count(*)::int as count from messages m where ${ofNewestRun} and ${hasBounced('m')}) b
    cross join lateral (select count(*)::int as count from mail_reports c
      join messages m on m.store_id = c.store_id and m.id = c.message_id
      where c.store_id = g.store_id and c.kind = 'complaint' and ${ofNewestRun}) r
    where ${isRunningCampaign} and g.run > 0 and (b.count >= ${bounced} or r.count >= ${complained}) limit ${limit}`.execute(
    db,
  )
  return rows
}

export async function countAccepted({ db, storeId }: StoreDb, id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from campaigns g join messages m on ${ofNewestRun} and ${wasAccepted('m')}
    where g.store_id = ${storeId} and g.id = ${id}`.execute(db)
  return rows[0]!.count
}
