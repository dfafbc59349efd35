import { countMatching } from '../server/campaigns/audience-sql.ts'
import { sql } from '../server/core/db.ts'
import type { StoredFilters } from '../server/schema/campaigns.ts'
import { openCarts, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { percentile, timed } from './measure.ts'

// Method: the largest store of the carts' benchmark, of a million carts. The one statement that counts the people of an audience is asked
// with each kind of filter in turn, forty times. Its ceiling is the least that any count of these people can do: the same carts, counted in
// the same run by a statement that knows nothing of filters, channels and people.

export const bench: Bench = { name: 'audience', run }

const audiences: Record<string, StoredFilters> = {
  everybody: {},
  'the wizard’s defaults': { minHours: 1, maxHours: 72 },
  'a value and an age': { minMinor: 2_000, maxMinor: 20_000, maxHours: 24 * 30 },
  'a badge': { badge: 'No Response' },
  'a country': { country: 'US' },
  'nobody mailed before': { mailedBefore: 'no', maxHours: 24 * 30 },
}

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  try {
    const { storeId } = instance.stores[SIZES.indexOf(Math.max(...SIZES))]!
    const store = { storeId, db: instance.db }
    const rounds = Math.max(8, Math.round(40 * lab.scale))
    const bare = () =>
      sql`select count(*) from carts where store_id = ${storeId} and status = 'abandoned'`.execute(instance.db)
    const ceiling = percentile(await times(rounds, bare), 0.95)
    const figures: Figure[] = []
    for (const [name, filters] of Object.entries(audiences)) {
      const taken = await times(rounds, () =>
        countMatching(store, { channel: 'email', filters, now: instance.deps.now() }),
      )
      figures.push({
        ...{ name: `count ${name}, p95`, value: percentile(taken, 0.95), unit: 'ms' },
        ...{ ceiling: { name: 'counting the carts', value: ceiling }, goal: { below: 300 } },
        note: `p50 ${percentile(taken, 0.5).toFixed(1)} ms`,
      })
    }
    return figures
  } finally {
    await instance.close()
  }
}

async function times(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let n = -2; n < rounds; n++) {
    const ms = await timed(work)
    if (n >= 0) taken.push(ms)
  }
  return taken
}
