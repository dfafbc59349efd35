import { type Db, sql } from '../server/core/db/db.ts'
import { postShop } from './capture.bench.ts'
import { loop, readyStore, sendAll } from './decide.bench.ts'
import type { Bench, Figure } from './figures.ts'
import { aCartWith, addFact } from './fold.bench.ts'
import type { AppInstance, Lab } from './lab.ts'
import { median, percentile, processorMs } from './measure.ts'

// Method: what the triggers that note changes for the figures of analytics cost those who cause the changes. The work of `capture`, `fold`
// and `decide` is done in pairs, once with the triggers and once without them, on the same database and one right after the other; who is
// first alternates. What is measured is the time that this process and the connections of its database spent on a processor, which other work
// on the machine disturbs less than the time that went by. The share is the median of the pairs' shares.

const PAIRS = 21
const POSTS = 400
const MAILS = 600
const FACTS = 60
/** Each statement is planned anew after triggers were switched. */
const WARM_UP = 5

export const bench: Bench = { name: 'triggers', run }

async function run(lab: Lab): Promise<Figure[]> {
  return [await capture(lab), await fold(lab), await decide(lab)]
}

/** What the same work took, with the triggers and without. */
interface Pair {
  on: number
  off: number
}

async function capture(lab: Lab): Promise<Figure> {
  const shop = await postShop(lab)
  const count = lab.sized(POSTS)
  const work = async () => {
    await shop.shoot(count)
    await shop.allFolded()
  }
  try {
    const taken = await pairs(shop.instance, { lab, name: 'capture', work, warmUp: () => shop.shoot(200) })
    return figureOf('capture post, to the cart', taken, count)
  } finally {
    await shop.close()
  }
}

async function fold(lab: Lab): Promise<Figure> {
  const instance = await lab.open()
  try {
    const cart = await aCartWith(instance, 10)
    const facts = async (count: number) => {
      for (let n = 0; n < count; n++) await addFact(instance, cart, new Date())
    }
    const taken = await pairs(instance, {
      ...{ lab, name: 'fold', work: () => facts(FACTS), warmUp: () => facts(WARM_UP) },
    })
    return figureOf('next fact of a cart', taken, FACTS)
  } finally {
    await instance.close()
  }
}

/** The mails that a turn takes are written before it. */
async function decide(lab: Lab): Promise<Figure> {
  const instance = await lab.open()
  const count = lab.sized(MAILS)
  try {
    let storeId = ''
    const warmUp = async () => {
      await loop(instance, 50)
      storeId = (await readyStore(instance, count)).storeId
    }
    const work = () => sendAll(instance, storeId, count)
    const taken = await pairs(instance, { lab, name: 'decide', work, warmUp })
    return figureOf('mail through the whole loop', taken, count)
  } finally {
    await instance.close()
  }
}

interface Wanted {
  lab: Lab
  name: string
  work: () => Promise<unknown>
  warmUp: () => Promise<unknown>
}

async function pairs(instance: AppInstance, { lab, name, work, warmUp }: Wanted): Promise<Pair[]> {
  const taken: Pair[] = []
  for (let n = 0; n < PAIRS; n++) {
    lab.say(`${name}: pair ${n + 1} of ${PAIRS}`)
    const pair = { on: 0, off: 0 }
    for (const state of n % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await switchTriggers(instance.db, state)
      await warmUp()
      const { node, postgres } = await processorMs(instance, work)
      pair[state] = node + postgres
    }
    taken.push(pair)
  }
  return taken
}

/** Nobody takes what they note here, so it is thrown away between the turns. */
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

function figureOf(name: string, taken: readonly Pair[], count: number): Figure {
  const shares = taken.map(({ on, off }) => on / off)
  const without = median(taken.map(({ off }) => off)) / count
  return {
    ...{
      name: `${name}, with the triggers of the figures`,
      value: without * median(shares),
      unit: 'ms of a processor',
    },
    ceiling: { name: 'without them', value: without },
    note: `median of ${shares.length} pairs; half of them ${percentile(shares, 0.25).toFixed(2)} to ${percentile(shares, 0.75).toFixed(2)}`,
  }
}
