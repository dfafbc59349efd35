import { sql } from '../server/core/db/db.ts'
import type { StoredFilters } from '../server/core/schema/campaigns.ts'
import { countMatching } from '../server/marketing/audiences/sql.ts'
import type { ChannelName } from '../server/messages/channels/channel.ts'
import { openCarts, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computePercentile, measureMs } from './measure.ts'

// Method: two stores of a million carts. The store of the carts benchmark collected them in a year: carts older than 30
// days are lost, so one in fifteen is abandoned. In the other store all carts were abandoned within four weeks. The
// statement that counts an audience runs with each filter, and with several, alternately, forty times. The ceiling
// counts the same carts in the same run without filters, channels and people.

export const bench: Bench = { name: 'audience', run }

const DAY = 24
const audiences: Record<string, StoredFilters & { channel?: ChannelName }> = {
  everybody: {},
  'everybody with a phone': { channel: 'sms' },
  'the wizard’s defaults': { minHours: 1, maxHours: 72 },
  'a value': { minMinor: 2_000, maxMinor: 20_000 },
  'a value and an age': { minMinor: 2_000, maxMinor: 20_000, maxHours: 14 * DAY },
  'a badge': { badge: 'No Action' },
  'a country': { country: 'US' },
  'a rare country': { country: 'AT' },
  'a product of every cart': { productId: '77' },
  'a product of few': { productId: '345' },
  'nobody mailed before': { mailedBefore: 'no' },
  'those mailed before': { mailedBefore: 'yes' },
  'country, value and nobody mailed before': { country: 'US', minMinor: 2_000, mailedBefore: 'no' },
  'all filters': {
    minMinor: 2_000,
    maxMinor: 60_000,
    minHours: 1,
    maxHours: 28 * DAY,
    badge: 'No Action',
    country: 'US',
    productId: '77',
    mailedBefore: 'no',
  },
}

async function run(lab: Lab): Promise<Figure[]> {
  const year = await openCarts(lab)
  try {
    const { storeId } = year.stores[SIZES.indexOf(Math.max(...SIZES))]!
    const gathered = await measure(lab, year, storeId, 'a year of a million carts')
    return [...gathered, ...(await measureAllOpen(lab))]
  } finally {
    await year.close()
  }
}

async function measureAllOpen(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  try {
    const store = await instance.store()
    const count = lab.sized(Math.max(...SIZES))
    lab.say(`writing ${count.toLocaleString('en-US')} abandoned carts`)
    await instance.carts(store, { count, isAllOpen: true, isVaried: true })
    return await measure(lab, instance, store.storeId, 'a million abandoned')
  } finally {
    await instance.close()
  }
}

async function measure(lab: Lab, { db, deps }: AppInstance, storeId: string, where: string): Promise<Figure[]> {
  const rounds = Math.max(8, Math.round(40 * lab.scale))
  const bare = () => sql`select count(*) from carts where store_id = ${storeId} and status = 'abandoned'`.execute(db)
  const ceiling = computePercentile(await repeatTimed(rounds, bare), 0.95)
  const figures: Figure[] = []
  for (const [name, { channel = 'email', ...filters }] of Object.entries(audiences)) {
    const timings = await repeatTimed(rounds, () =>
      countMatching({ storeId, db }, { channel, filters, now: deps.now() }),
    )
    figures.push({
      name: `${where}: count ${name}, p95`,
      value: computePercentile(timings, 0.95),
      unit: 'ms',
      ceiling: { name: 'counting the carts', value: ceiling },
      goal: { below: 300 },
      note: `p50 ${computePercentile(timings, 0.5).toFixed(1)} ms`,
    })
  }
  return figures
}

async function repeatTimed(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const timings: number[] = []
  for (let n = -2; n < rounds; n++) {
    const ms = await measureMs(work)
    if (n >= 0) timings.push(ms)
  }
  return timings
}
