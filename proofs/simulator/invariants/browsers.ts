import type { FactPayload, FoldItem } from '../../../server/core/schema/facts.ts'
import type { Cart, State, StoredFact } from '../state.ts'
import type { Invariant } from './scene.ts'

// Identity: a browser that types another person's address does not empty that person's cart.

/**
 * A cart is emptied only when no browser has products in it. Uses what each browser, known by any of its tokens,
 * reported since the cart started; facts from the store name no browser.
 */
export const checkEmptiedCarts: Invariant = ({ state, before }) => {
  if (!before || state === before) return []
  const was = new Map(before.carts.map(({ id, status }) => [id, status]))
  return state.carts
    .filter((cart) => cart.status === 'emptied' && was.get(cart.id) !== 'emptied')
    .flatMap((cart) => {
      const [remaining] = findRemainingItems(state, cart)
      return remaining ? [`a cart was emptied although another browser has ${remaining} in it`] : []
    })
}

/**
 * Tokens of the reporting browser. A report that names an erased person has them separately. Empty: the store reported
 * it.
 */
const listTokens = (payload: CartReport) =>
  (payload.type === 'snapshot' ? payload.browsers : undefined) ?? payload.toldBy ?? []

/** After this time a shop forgets a guest's cart, unless the browser returns. */
const RESTORE_MS = 2 * 86_400_000

type CartReport = Extract<FactPayload, { type: 'snapshot' | 'contact' }>

interface Browser {
  marks: Set<string>
  items: FoldItem[]
  at: number
}

function findRemainingItems(state: State, cart: Cart): string[] {
  const episodeFacts = listEpisodeFacts(state, cart)
    .map(({ at, payload }) => ({ ...(payload as FactPayload), at }))
    .filter((each): each is CartReport & { at: number } => each.type === 'snapshot' || each.type === 'contact')
    .filter((each) => listTokens(each).length > 0)
  // The browser that used the cart's own link is the cart's browser.
  if (episodeFacts.some((each) => each.type === 'snapshot' && each.isBack)) return []
  const browsers: Browser[] = []
  for (const each of episodeFacts) {
    const mine = listTokens(each)
    const known = browsers.filter(({ marks }) => mine.some((mark) => marks.has(mark)))
    const marks = new Set([...mine, ...known.flatMap((browser) => [...browser.marks])])
    for (const browser of known) browsers.splice(browsers.indexOf(browser), 1)
    const items = each.type === 'snapshot' ? each.items : (known.at(-1)?.items ?? [])
    browsers.push({ marks, items, at: each.at })
  }
  const { endedAt } = cart
  return browsers
    .filter(({ items, at }) => items.length > 0 && (endedAt ?? at) - at < RESTORE_MS)
    .map(({ items }) => items.map(({ quantity, productId }) => `${quantity}×${productId}`).join())
}

/** Facts from the cart's start until its end. Facts at the end's moment may belong to the person's next cart. */
function listEpisodeFacts({ facts, carts }: State, { shopper, openedBy, endedAt }: Cart): StoredFact[] {
  const all = facts.filter((fact) => fact.shopper === shopper).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const place = (id: string) => all.findIndex((fact) => fact.id === id)
  const begin = place(openedBy)
  // Then only their time separates the facts.
  if (begin < 0) return all.filter(({ at }) => at <= (endedAt ?? at))
  const next = carts
    .filter((other) => other.shopper === shopper && other.status !== 'merged')
    .map((other) => place(other.openedBy))
    .filter((at) => at > begin)
  return all.slice(begin, Math.min(all.length, ...next)).filter(({ at }) => at <= (endedAt ?? at))
}
