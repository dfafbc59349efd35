import { expect, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { loadMigrations } from '../../core/database/files.ts'
import { migrate } from '../../core/database/migrate.ts'

// Control shares of flows from before experiments (F1): no shopper changes groups.

const databases = createDatabaseFactory()

test('a flow’s earlier share becomes the store’s experiment, and all shoppers keep their arm', async () => {
  const pool = databases.open(await databases.create())
  const all = await loadMigrations()
  const before = all.filter(({ number }) => number < 27)
  await migrate(pool, { migrations: before })
  const [account, shop, other] = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-000000000000`)
  const at = '2026-05-01T10:00:00Z'
  await pool.query(`insert into accounts (id, name, created_at) values ('${account}', 'A', '${at}')`)
  for (const id of [shop, other]) {
    await pool.query(`insert into stores (account_id, id, platform, url, home_url, name, currency, time_zone, version, connected_at, capture_key)
      values ('${account}', '${id}', 'woocommerce', 'https://${id}.example', 'https://${id}.example', 'S', 'USD', 'UTC', '10.4', '${at}', '${id}')`)
  }
  const flow = (id: string, store: string, isOn: boolean, bps: number) =>
    pool.query(`insert into flows (store_id, id, name, is_on, holdout_bps, salt, created_at, updated_at)
      values ('${store}', '${id}', 'F', ${isOn}, ${bps}, 'salt ${id}', '${at}', '${at}')`)
  const [on, off] = [4, 5].map((n) => `0000000${n}-0000-4000-8000-000000000000`) as [string, string]
  await flow(on, shop!, true, 1_000)
  await flow(off, shop!, false, 5_000)
  await flow(off, other!, false, 5_000)
  for (const [n, arm] of ['control', 'treated', null].entries()) {
    await pool.query(`insert into shoppers (store_id, id, created_at, first_seen_at, arm, arm_at)
      values ('${shop}', gen_random_uuid(), '${at}', '${at}', ${arm ? `'${arm}'` : 'null'}, ${arm ? `'${at}'::timestamptz + interval '${n} hours'` : 'null'})`)
  }
  const drawn = (await pool.query('select id, arm, arm_at from shoppers where arm is not null order by id')).rows
  await migrate(pool, { migrations: all })
  const experiments =
    await pool.query(`select store_id, salt, control_bps, window_days, cap_minor, ended_at, drawn_earlier,
    planned_end_at - started_at = interval '90 days' as is_90 from experiments`)
  expect(experiments.rows).toEqual([
    {
      store_id: shop,
      salt: `salt ${on}`,
      control_bps: 1_000,
      window_days: 7,
      cap_minor: null,
      ended_at: null,
      drawn_earlier: 2,
      is_90: true,
    },
  ])
  const assignments = await pool.query(
    'select shopper_id as id, arm, at as arm_at, window_ends_at from assignments order by 1',
  )
  expect(assignments.rows).toEqual(drawn.map((each) => ({ ...each, window_ends_at: null })))
})
