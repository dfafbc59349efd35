import { createId } from '../server/core/common/ids.ts'
import type { World } from './world.ts'

// Test support: a store with a control group, and shoppers assigned to an arm without a message.

const DAY = 86_400_000

type Arm = 'treated' | 'control'

/** Inserts an experiment that starts now. */
export async function insertExperiment(
  world: World,
  storeId: string,
  controlBps: number,
  more: { days?: number; windowDays?: number; capMinor?: number | null } = {},
): Promise<string> {
  const id = createId()
  const { days = 90, windowDays = 8, capMinor = 100_000 } = more
  await world.db
    .insertInto('experiments')
    .values({
      store_id: storeId,
      id,
      salt: `salt of ${id}`,
      control_bps: controlBps,
      started_at: world.now,
      planned_end_at: new Date(world.now.getTime() + days * DAY),
      window_days: windowDays,
      currency: 'USD',
      cap_minor: capMinor,
      cap_orders: 300,
    })
    .execute()
  return id
}

/**
 * Assigns shoppers (default: all of the store) to an arm of the running experiment, or of a new one with equal arms.
 */
export async function assignArm(
  world: World,
  storeId: string,
  arm: Arm,
  who: { email?: string; phone?: string; ids?: readonly string[] } = {},
): Promise<void> {
  const running = await world.db
    .selectFrom('experiments')
    .select(['id', 'window_days'])
    .where('store_id', '=', storeId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  const { id, window_days } = running ?? { id: await insertExperiment(world, storeId, 5_000), window_days: 8 }
  let query = world.db.selectFrom('shoppers').select(['id', 'email']).where('store_id', '=', storeId)
  if (who.email) query = query.where('email', '=', who.email)
  if (who.phone) query = query.where('phone', '=', who.phone)
  if (who.ids) query = query.where('id', 'in', [...who.ids])
  const people = await query.execute()
  const of = { store_id: storeId, experiment_id: id, arm, at: world.now }
  const window_ends_at = new Date(world.now.getTime() + window_days * DAY)
  await world.db
    .insertInto('assignments')
    .values(
      people.map(({ id: shopper_id, email }) => ({
        ...of,
        id: shopper_id,
        shopper_id,
        window_ends_at,
        keys: email ? [`email:${email}`] : [],
      })),
    )
    .execute()
}

/** Lists assigned shoppers with email and arm. */
export async function readAssignments(
  world: World,
  storeId: string,
): Promise<{ id: string; email: string | null; arm: Arm }[]> {
  const rows = await world.db
    .selectFrom('assignments as a')
    .innerJoin('shoppers as s', (join) =>
      join.onRef('s.store_id', '=', 'a.store_id').onRef('s.id', '=', 'a.shopper_id'),
    )
    .select(['s.id', 's.email', 'a.arm'])
    .where('a.store_id', '=', storeId)
    .orderBy('a.at')
    .orderBy('s.id')
    .execute()
  return rows
}
