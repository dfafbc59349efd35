import type { Rollup, State } from '../state.ts'
import type { Invariant } from './scene.ts'

// Way D: the dashboard's rollups equal a recount of carts and orders after every step.

const SLOT_MS = 15 * 60_000

export const checkRollups: Invariant = ({ state }) => {
  const [stored, counted] = [sumRollups(state.rollups), sumRollups(count(state))]
  return [...new Set([...stored.keys(), ...counted.keys()])]
    .filter((key) => stored.get(key) !== counted.get(key))
    .map(
      (key) => `${key}: the rollups are ${stored.get(key) ?? NOTHING}, a recount gives ${counted.get(key) ?? NOTHING}`,
    )
}

const NOTHING = '0,0,0,0,0'

/** By slot and currency, without zero rows. */
function sumRollups(rollups: readonly Rollup[]): Map<string, string> {
  const groups = Map.groupBy(
    rollups,
    ({ at, currency }) => `${at === null ? 'all time' : new Date(at).toISOString()} ${currency}`,
  )
  const add = (each: readonly Rollup[], measure: keyof typeof none) => each.reduce((sum, one) => sum + one[measure], 0)
  const sums = [...groups].map(([key, each]): [string, string] => [
    key,
    measures.map((measure) => add(each, measure)).join(),
  ])
  return new Map(sums.filter(([, sum]) => sum !== NOTHING))
}

const none = { abandoned: 0, abandonedRecovered: 0, recovered: 0, attributed: 0, attributedOrders: 0 }
const measures = Object.keys(none) as (keyof typeof none)[]

function count({ carts, orders }: State): Rollup[] {
  const sendBlocks = carts.filter((cart) => cart.status !== 'merged')
  const abandoned = sendBlocks.flatMap(({ abandonedAt, status, isVoid, currency }) =>
    abandonedAt === null
      ? []
      : [
          {
            ...none,
            at: findSlot(abandonedAt),
            currency,
            abandoned: 1,
            abandonedRecovered: status === 'recovered' && !isVoid ? 1 : 0,
          },
        ],
  )
  const recovered = sendBlocks.flatMap(({ recoveredAt, status, isVoid, currency }) =>
    status === 'recovered' && !isVoid && recoveredAt !== null
      ? [{ ...none, at: findSlot(recoveredAt), currency, recovered: 1 }]
      : [],
  )
  const revenue = orders.flatMap(({ purchasedAt, touch, net, currency }) =>
    touch === null || purchasedAt === null
      ? []
      : [findSlot(purchasedAt), null].map((at) => ({
          ...none,
          at,
          currency,
          attributed: net,
          attributedOrders: net > 0 ? 1 : 0,
        })),
  )
  return [...abandoned, ...recovered, ...revenue]
}

const findSlot = (at: number) => Math.floor(at / SLOT_MS) * SLOT_MS
