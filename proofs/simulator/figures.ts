import { countChanges, rebuildFigures } from '../../server/insights/analytics/figures.ts'
import { readFigures } from '../../test/figures.ts'
import { type Harness, openStoreHandle } from './harness.ts'

/** Decision 28: at the end of a scenario, incremental counts equal a full recount. */
export async function findFigureFaults(harness: Harness): Promise<string[]> {
  const [store, now] = [openStoreHandle(harness), harness.clock.trueNow()]
  // A full recount runs several statements per month, more than any worker pass.
  harness.web.life.statements = Number.NEGATIVE_INFINITY
  await countChanges(store, new Date(now))
  const stored = await readFigures(store.db, store.storeId)
  await rebuildFigures(store, new Date(now))
  const recounted = await readFigures(store.db, store.storeId)
  return Object.keys(recounted).flatMap((table) => {
    const [before, after] = [stored[table]!.map(renderRow), recounted[table]!.map(renderRow)]
    const subtractRows = (rows: string[], others: string[]) => rows.filter((row) => !others.includes(row))
    return [
      ...subtractRows(before, after).map((row) => `${table}: the figures contain ${row}, a recount does not`),
      ...subtractRows(after, before).map((row) => `${table}: a recount contains ${row}, the figures do not`),
    ]
  })
}

const renderRow = (row: unknown) => JSON.stringify(row)
