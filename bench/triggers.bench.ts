import { type Db, sql } from '../server/core/db/db.ts'
import { startPostShop } from './capture.bench.ts'
import { openDueStore, runSendLoop, sendAll } from './decide.bench.ts'
import type { Bench, Figure } from './figures.ts'
import { addFact, openCartWithFacts } from './fold.bench.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computeMedian, computePercentile, measureCpuMs } from './measure.ts'

// Method: measures the cost of the triggers that record changes for analytics. The work of `capture`, `fold` and
// `decide` runs in pairs, with and without the triggers, on the same database in direct succession and alternating
// order. Measures CPU time of this process and its database connections, which other load on the machine disturbs less
// than elapsed time. The result is the median of the pairs' shares.

const PAIRS = 21
const POSTS = 400
const MAILS = 600
const FACTS = 60
/** Statements are planned again after the triggers were switched. */
const WARM_UP = 5

export const bench: Bench = { name: 'triggers', run }

async function run(lab: Lab): Promise<Figure[]> {
  return [await measureCapture(lab), await measureFold(lab), await measureDecide(lab)]
}

/** CPU time of the same work with and without the triggers. */
interface TimedPair {
  on: number
  off: number
}

async function measureCapture(lab: Lab): Promise<Figure> {
  const shop = await startPostShop(lab)
  const count = lab.sized(POSTS)
  const work = async () => {
    await shop.shoot(count)
    await shop.allFolded()
  }
  try {
    const timings = await measurePairs(shop.instance, { lab, name: 'capture', work, warmUp: () => shop.shoot(200) })
    return buildFigure('capture post, to the cart', timings, count)
  } finally {
    await shop.close()
  }
}

async function measureFold(lab: Lab): Promise<Figure> {
  const instance = await lab.open()
  try {
    const cart = await openCartWithFacts(instance, 10)
    const facts = async (count: number) => {
      for (let n = 0; n < count; n++) await addFact(instance, cart, new Date())
    }
    const timings = await measurePairs(instance, {
      lab,
      name: 'fold',
      work: () => facts(FACTS),
      warmUp: () => facts(WARM_UP),
    })
    return buildFigure('next fact of a cart', timings, FACTS)
  } finally {
    await instance.close()
  }
}

/** Each round's emails are inserted before it. */
async function measureDecide(lab: Lab): Promise<Figure> {
  const instance = await lab.open()
  const count = lab.sized(MAILS)
  try {
    let storeId = ''
    const warmUp = async () => {
      await runSendLoop(instance, 50)
      storeId = (await openDueStore(instance, count)).storeId
    }
    const work = () => sendAll(instance, storeId, count)
    const timings = await measurePairs(instance, { lab, name: 'decide', work, warmUp })
    return buildFigure('mail through the whole loop', timings, count)
  } finally {
    await instance.close()
  }
}

interface PairOptions {
  lab: Lab
  name: string
  work: () => Promise<unknown>
  warmUp: () => Promise<unknown>
}

async function measurePairs(instance: AppInstance, { lab, name, work, warmUp }: PairOptions): Promise<TimedPair[]> {
  const timings: TimedPair[] = []
  for (let n = 0; n < PAIRS; n++) {
    lab.say(`${name}: pair ${n + 1} of ${PAIRS}`)
    const pair = { on: 0, off: 0 }
    for (const state of n % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await switchTriggers(instance.db, state)
      await warmUp()
      const { node, postgres } = await measureCpuMs(instance, work)
      pair[state] = node + postgres
    }
    timings.push(pair)
  }
  return timings
}

/** Deletes the recorded changes between rounds, because nothing consumes them here. */
async function switchTriggers(db: Db, state: 'on' | 'off'): Promise<void> {
  const { rows } = await sql<{ table: string; name: string }>`
    select tgrelid::regclass::text as table, tgname as name from pg_trigger where tgname like '%\\_figured\\_%' and not tgisinternal`.execute(
    db,
  )
  if (rows.length === 0) throw new Error('there are no triggers of figures')
  const verb = sql.raw(state === 'on' ? 'enable' : 'disable')
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} ${verb} trigger ${sql.ref(name)}`.execute(db)
  }
  await sql`truncate figure_changes`.execute(db)
}

function buildFigure(name: string, timings: readonly TimedPair[], count: number): Figure {
  const shares = timings.map(({ on, off }) => on / off)
  const without = computeMedian(timings.map(({ off }) => off)) / count
  return {
    name: `${name}, with the triggers of the figures`,
    value: without * computeMedian(shares),
    unit: 'ms of a processor',
    ceiling: { name: 'without them', value: without },
    note: `median of ${shares.length} pairs; half of them ${computePercentile(shares, 0.25).toFixed(2)} to ${computePercentile(shares, 0.75).toFixed(2)}`,
  }
}
