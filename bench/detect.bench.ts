import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { openCarts, QUIET_CARTS, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { measureMs } from './measure.ts'

// Method: of a million carts, ten thousand are due. One pass of `detectAbandoned` updates them and writes timeline,
// notifications and the three messages of the active flow, all committed with fsync. The ceiling is one UPDATE of as
// many rows in a copy of the carts table without other work. A pass without due carts follows, as it runs every second.

export const bench: Bench = { name: 'detect', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  try {
    const { storeId } = instance.stores.at(-1)!
    const expected = lab.sized(QUIET_CARTS)
    let moved = 0
    const ms = await measureMs(async () => {
      moved = await detectAbandoned(instance.deps)
    })
    if (moved < expected) throw new Error(`${moved} of ${expected} were moved`)
    const { planned } = await instance.db
      .selectFrom('messages')
      .select((eb) => eb.fn.countAll<number>().as('planned'))
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const idleMs = await measureMs(() => detectAbandoned(instance.deps))
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
