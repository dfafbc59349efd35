import type { FactPayload, FoldItem } from '../../../server/core/schema/facts.ts'
import type { Cart, State, StoredFact } from '../witness.ts'
import type { Invariant } from './scene.ts'

// Identity: whoever types somebody's address empties nothing of theirs.

/**
 * A cart is emptied only when no browser has anything in it any more. Judged by what each browser, known by any of its marks, has told since
 * the cart began; what the store tells names none.
 */
export const checkEmptiedCarts: Invariant = ({ state, before }) => {
  if (!before || state === before) return []
  const was = new Map(before.carts.map(({ id, status }) => [id, status]))
  return state.carts
    .filter((cart) => cart.status === 'emptied' && was.get(cart.id) !== 'emptied')
    .flatMap((cart) => {
      const [left] = leftIn(state, cart)
      return left ? [`a cart was emptied, and another browser of it has ${left} in it`] : []
    })
}

/** Of its browser. A report that names an erased person has them apart: no notification shows what it tells. None: the store tells it. */
const marksOf = (payload: Told) => (payload.type === 'snapshot' ? payload.browsers : undefined) ?? payload.toldBy ?? []

/** A shop forgets a guest's cart then, unless its browser comes back. */
const KEPT_MS = 2 * 86_400_000

type Told = Extract<FactPayload, { type: 'snapshot' | 'contact' }>

interface Browser {
  marks: Set<string>
  items: FoldItem[]
  at: number
}

function leftIn(state: State, cart: Cart): string[] {
  const told = factsOf(state, cart)
    .map(({ at, payload }) => ({ ...(payload as FactPayload), at }))
    .filter((each): each is Told & { at: number } => each.type === 'snapshot' || each.type === 'contact')
    .filter((each) => marksOf(each).length > 0)
  // Whoever came by the cart's own link is the browser of the cart.
  if (told.some((each) => each.type === 'snapshot' && each.isBack)) return []
  const browsers: Browser[] = []
  for (const each of told) {
    const mine = marksOf(each)
    const known = browsers.filter(({ marks }) => mine.some((mark) => marks.has(mark)))
    const marks = new Set([...mine, ...known.flatMap((browser) => [...browser.marks])])
    for (const browser of known) browsers.splice(browsers.indexOf(browser), 1)
    const items = each.type === 'snapshot' ? each.items : (known.at(-1)?.items ?? [])
    browsers.push({ marks, items, at: each.at })
  }
  const { endedAt } = cart
  return browsers
    .filter(({ items, at }) => items.length > 0 && (endedAt ?? at) - at < KEPT_MS)
    .map(({ items }) => items.map(({ quantity, productId }) => `${quantity}×${productId}`).join())
}

/** From the fact that began the cart until its end. Facts of that same moment may be of the person's next cart, from the one that began it. */
function factsOf({ facts, carts }: State, { shopper, openedBy, endedAt }: Cart): StoredFact[] {
  const all = facts.filter((fact) => fact.shopper === shopper).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const place = (id: string) => all.findIndex((fact) => fact.id === id)
  const begin = place(openedBy)
  // Then its facts are told apart by time alone.
  if (begin < 0) return all.filter(({ at }) => at <= (endedAt ?? at))
  const next = carts
    .filter((other) => other.shopper === shopper && other.status !== 'merged')
    .map((other) => place(other.openedBy))
    .filter((at) => at > begin)
  return all.slice(begin, Math.min(all.length, ...next)).filter(({ at }) => at <= (endedAt ?? at))
}
