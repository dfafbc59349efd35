import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { openCarts, QUIET, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { timed } from './measure.ts'

// Method: among a million carts ten thousand have been quiet for long enough. One pass of `detectAbandoned` moves them, writes
// their timeline, notifications and the three messages of the flow that is on, all committed with fsync. The ceiling is the
// least that could be done: one UPDATE of as many rows of a table of the same carts without anything else. A pass that finds
// nothing due follows: that is what happens every second.

export const bench: Bench = { name: 'detect', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  try {
    const { storeId } = instance.stores.at(-1)!
    const expected = lab.sized(QUIET)
    let moved = 0
    const ms = await timed(async () => {
      moved = await detectAbandoned(instance.deps)
    })
    if (moved < expected) throw new Error(`${moved} of ${expected} were moved`)
    const { planned } = await instance.db
      .selectFrom('messages')
      .select((eb) => eb.fn.countAll<number>().as('planned'))
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const idleMs = await timed(() => detectAbandoned(instance.deps))
    return [
      {
        name: `detection over ${lab.sized(SIZES.at(-1)!).toLocaleString('en-US')} carts, ${expected.toLocaleString('en-US')} due`,
        value: ms / 1_000,
        unit: 's',
        goal: { below: 1 },
        note: `${planned.toLocaleString('en-US')} messages planned`,
      },
      { name: 'detection with nothing due', value: idleMs, unit: 'ms' },
    ]
  } finally {
    await instance.close()
  }
}
