import type { FactPayload } from '../../../server/schema/facts.ts'
import type { Cart, State } from '../witness.ts'
import type { Invariant } from './scene.ts'

// Identity: whoever types somebody's address empties nothing of theirs.

/**
 * A cart is emptied only when no browser has anything in it any more. Judged by what each browser, known by any of its marks, has told since
 * the cart began; what the store tells names none.
 */
export const emptied: Invariant = ({ state, before }) => {
  if (!before || state === before) return []
  const was = new Map(before.carts.map(({ id, status }) => [id, status]))
  return state.carts
    .filter((cart) => cart.status === 'emptied' && was.get(cart.id) !== 'emptied')
    .flatMap((cart) => {
      const [left] = leftIn(state, cart)
      return left ? [`a cart was emptied, and another browser of it has ${left} in it`] : []
    })
}

/** A platform's own cart or checkout names the browser's tokens. */
const marksOf = ({ toldBy, browsers }: Pick<Snapshot, 'toldBy' | 'browsers'>) => toldBy ?? browsers ?? []

/** A shop forgets a guest's cart then. */
const KEPT_MS = 2 * 86_400_000

type Snapshot = Extract<FactPayload, { type: 'snapshot' }>

function leftIn({ facts }: State, { shopper, startedAt, endedAt }: Cart): string[] {
  const told = facts
    .filter(({ at, shopper: of }) => of === shopper && at >= startedAt && at <= (endedAt ?? at))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map(({ at, payload }) => ({ ...(payload as FactPayload), at }))
    .filter(
      (payload): payload is Snapshot & { at: number } => payload.type === 'snapshot' && marksOf(payload).length > 0,
    )
  // Whoever came by the cart's own link is the browser of the cart.
  if (told.some(({ isBack }) => isBack)) return []
  const browsers: { marks: Set<string>; items: Snapshot['items']; at: number }[] = []
  for (const { items, at, ...payload } of told) {
    const mine = marksOf(payload)
    const known = browsers.filter(({ marks }) => mine.some((mark) => marks.has(mark)))
    const marks = new Set([...mine, ...known.flatMap((each) => [...each.marks])])
    for (const each of known) browsers.splice(browsers.indexOf(each), 1)
    browsers.push({ marks, items, at })
  }
  return browsers
    .filter(({ items, at }) => items.length > 0 && (endedAt ?? at) - at <= KEPT_MS)
    .map(({ items }) => items.map(({ quantity, productId }) => `${quantity}×${productId}`).join())
}
