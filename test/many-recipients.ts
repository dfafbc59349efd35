import { sql } from '../server/core/db/db.ts'
import type { TestStore } from './factories.ts'
import type { World } from './world.ts'

/**
 * Test support: inserts messages of a campaign's newest run, without a cart, each to its own person, all in one state
 * (default: accepted). Returns their ids.
 */
export async function insertManyRecipients(
  world: World,
  { storeId }: Pick<TestStore, 'storeId'>,
  campaignId: string,
  { count, state = 'sent', reason = null }: { count: number; state?: string; reason?: string | null },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with people as (
      insert into shoppers (store_id, id, email, created_at, first_seen_at)
      select ${storeId}, id, id || '@shoppers.example', ${world.now}, ${world.now}
      from (select gen_random_uuid() as id from generate_series(1, ${count})) each returning id, email)
    insert into messages (store_id, id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, reason, due_at, expires_at, wake_at,
      to_address, sending_at, created_at, updated_at)
    select ${storeId}, gen_random_uuid(), people.id, 'campaign', g.id, r.id, r.run, g.type, ${state}, ${reason}, ${world.now}, ${world.now},
      ${world.now}, people.email, case when ${state} in ('sent', 'delivered', 'failed') then ${world.now}::timestamptz end, ${world.now}, ${world.now}
    from people, campaigns g join campaign_runs r on r.store_id = g.store_id and r.campaign_id = g.id and r.run = g.run
    where g.store_id = ${storeId} and g.id = ${campaignId} returning id`.execute(world.db)
  // Keeps the planner's statistics as on a running server.
  await sql`analyze shoppers, messages`.execute(world.db)
  return rows.map(({ id }) => id)
}
