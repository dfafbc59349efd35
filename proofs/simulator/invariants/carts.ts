import { compareFacts, emptyFold, type Fact, foldFacts } from '../../../server/carts/carts/fold.ts'
import type { Episode } from '../../../server/core/schema/facts.ts'
import type { Cart, State } from '../state.ts'
import { describeMail, type Invariant, OPEN } from './scene.ts'

// S6, S7: carts follow from the facts, and a person has one live cart.

/** One live episode per person. A merged cart has no open messages and causes no repeated mail. */
export const S6: Invariant = ({ state, fresh, mails }) => {
  const live = state.carts.filter((cart) => cart.status === 'active' || cart.status === 'abandoned')
  const people = new Set(live.map((cart) => cart.shopper))
  const joined = new Set(state.carts.filter((cart) => cart.status === 'merged').map((cart) => cart.id))
  const open = state.messages.filter((message) => joined.has(message.cart) && OPEN.has(message.state))
  const again = fresh.flatMap((mail) => {
    const { joined: ids, step, stepId, origin } = mail.evidence
    const before = mails.find(
      ({ isAccepted, evidence, id }) =>
        isAccepted &&
        id !== mail.id &&
        evidence?.step === step &&
        // Another message may have its number when an earlier one was removed.
        evidence.stepId === stepId &&
        evidence.origin === origin &&
        ids.includes(evidence.cart),
    )
    return before ? [`${describeMail(mail)} repeats a step that was sent for a cart merged into this one`] : []
  })
  return [
    ...(people.size < live.length ? [`${live.length} live carts of ${people.size} people`] : []),
    ...open.map(({ step, state: now }) => `step ${step} of a merged cart is ${now}`),
    ...again,
  ]
}

/** Folding all facts of each person, in order, gives the stored rows. */
export const S7: Invariant = ({ state }) => {
  const known = foldings.get(state)
  if (known) return known
  const problems = checkFold(state)
  foldings.set(state, problems)
  return problems
}

/** A step without writes leaves the same state, which is checked once. */
const foldings = new WeakMap<State, string[]>()

function checkFold(state: State): string[] {
  const shoppers = new Set([...state.facts, ...state.carts].map((each) => each.shopper))
  return [...shoppers].flatMap((shopper) => compare(buildExpectedCarts(state, shopper), listCartRows(state, shopper)))
}

function buildExpectedCarts(state: State, shopper: string): CartSummary[] {
  const facts = state.facts.filter((fact) => fact.shopper === shopper) as unknown as Fact[]
  return foldFacts(emptyFold, [...facts].sort(compareFacts))
    .episodes.map(toEpisodeFields)
    .sort(compareTimes)
}

const listCartRows = (state: State, shopper: string) =>
  state.carts
    .filter((cart) => cart.shopper === shopper && cart.status !== 'merged')
    .map(toCartFields)
    .sort(compareTimes)

type CartSummary = ReturnType<typeof toCartFields>

/** Carts with the same start and end have no defined order. */
const compareTimes = (a: CartSummary, b: CartSummary) =>
  a.startedAt - b.startedAt ||
  (a.endedAt ?? Infinity) - (b.endedAt ?? Infinity) ||
  (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const toEpisodeFields = (episode: Episode) => ({
  status: episode.status,
  startedAt: episode.startedAt,
  lastActivityAt: episode.lastActivityAt,
  endedAt: episode.endedAt,
  pendingUntil: episode.pending?.until ?? null,
  contact: [hideErased(episode.contact.email), hideErased(episode.contact.phone)].join(),
  lines: episode.items.map((item) => `${item.quantity}×${item.productId}`).join(),
  coupons: episode.coupons.join(),
})

/** Facts of an erased person only record that a contact was typed. */
const hideErased = (typed: string | undefined): string | null => (typed && !/^erased:\d+$/.test(typed) ? typed : null)

const STATUS: Record<string, string> = { active: 'open', abandoned: 'open', recovered: 'purchased' }

const toCartFields = (cart: Cart) => ({
  status: STATUS[cart.status] ?? cart.status,
  startedAt: cart.startedAt,
  lastActivityAt: cart.lastActivityAt,
  endedAt: cart.endedAt,
  pendingUntil: cart.pendingUntil,
  contact: [cart.email, cart.phone].join(),
  lines: cart.items.map((item) => `${item.quantity}×${item.productId}`).join(),
  coupons: cart.coupons.join(),
})

function compare(expected: object[], rows: object[]): string[] {
  if (expected.length !== rows.length)
    return [`the facts give ${renderJson(expected)}, the rows are ${renderJson(rows)}`]
  return expected.flatMap((each, index) => {
    const row = rows[index]!
    return JSON.stringify(each) === JSON.stringify(row)
      ? []
      : [`the facts give ${renderJson(each)}, the row is ${renderJson(row)}`]
  })
}

const renderJson = (what: object | object[]) =>
  JSON.stringify(what, (key, value) => (/At$|Until$/.test(key) && value ? formatIso(value) : value))
const formatIso = (ms: number) => new Date(ms).toISOString()
