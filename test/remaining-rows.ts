import { compactCartCounts } from '../server/carts/carts/detect.ts'
import { countFigures } from '../server/insights/analytics/figures.ts'
import { foldRollups } from '../server/insights/analytics/rollups.ts'
import { foldCustomerListCounts } from '../server/marketing/customers/counts.ts'
import type { World } from './world.ts'

/**
 * Lists tables that hold a row naming the account or its store. Folds sums first that triggers still add to while rows
 * are deleted, as workers do every minute.
 */
export async function findRemainingTables(
  world: World,
  owner: { accountId?: string; storeId: string },
): Promise<string[]> {
  await compactCartCounts(world.deps)
  await foldCustomerListCounts(world.deps)
  await foldRollups(world.deps)
  await countFigures(world.deps)
  const { rows } = await world.pool.query<{ table_name: string; column_name: string }>(
    `select c.table_name, c.column_name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name in ('account_id', 'store_id')
     order by 1, 2`,
  )
  const found: string[] = []
  for (const { table_name, column_name } of rows) {
    const id = column_name === 'account_id' ? owner.accountId : owner.storeId
    if (!id) continue
    const { rowCount } = await world.pool.query(`select 1 from "${table_name}" where "${column_name}" = $1`, [id])
    if (rowCount) found.push(table_name)
  }
  return found
}
