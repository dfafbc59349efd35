import type { Person } from './people.ts'
import { createSeededRandom, type Random } from './random.ts'
import type { Act, AddressChannel, Scenario, Step } from './steps.ts'

// In some scenarios the shop is on Shopify: checkouts besides orders, consents stored by the shop, signed deliveries,
// expiring tokens, rate limits. In some of them the account also has a WooCommerce store. Uses a random stream of its
// own, so that other scenarios stay the same.

export interface ShopifyFrame {
  /** Orders older than 60 days may be read (decision 135). */
  hasAllOrders: boolean
  /** The account also has a WooCommerce store. */
  hasOther: boolean
}

/** `forged`: sent without the secret, while the shop sends nothing. */
export type DeliveryFate = 'now' | 'late' | 'twice' | 'lost' | 'forged'

export type ShopifyAct =
  /** Starts or continues a checkout; after an order the next checkout is a new one. */
  | {
      do: 'checkout'
      checkout: number
      /** Browser whose cart it came from; null: no script has seen it. */
      browser: number | null
      email: string | null
      phone: string | null
      items: readonly [id: string, quantity: number][]
      country: string | null
      /** Boxes that the shopper ticked. */
      ticks: readonly AddressChannel[]
      webhook: DeliveryFate
    }
  /** Contents of a cart before checkout, delivered by a webhook or not at all. */
  | { do: 'cart reported'; browser: number; items: readonly [id: string, quantity: number][]; webhook: DeliveryFate }
  /** The shop stores a person's consent or withdrawal. */
  | {
      do: 'consent kept'
      person: number
      channel: AddressChannel
      state: 'SUBSCRIBED' | 'UNSUBSCRIBED' | 'PENDING'
      isConfirmed: boolean
      webhook: DeliveryFate
    }
  | { do: 'checkouts are read'; worker: number }
  | { do: 'customers are read'; worker: number }
  /** Orders of ninety days, of which the shop returns sixty. */
  | { do: 'import'; worker: number }
  /** The shop rejects the current token. */
  | { do: 'token ends' }
  /** Other apps use up the rate limit: it refuses the next queries, or leaves few points. */
  | { do: 'busy shop'; refused: number; points: number | null }
  /** More orders of others than fit on a page, followed by one of this person without a delivery. */
  | { do: 'rush'; person: number | null }

/** Additional fields of an order on Shopify. */
export interface ShopifyOrderFields {
  /** The checkout it came from. */
  ofCheckout: number | null
  payment: 'PAID' | 'AUTHORIZED' | 'PENDING'
  /** How it ends, if it ends. */
  isVoided: boolean
}

const HAVE_IT = 0.3
/** Chosen so that the seeds of other mutations are not on Shopify. */
const DICE = 0x6_fdb9
const SECOND = 1_000
const MINUTE = 60_000

/** Not for scenarios about coupons, notifications or the WooCommerce plugin. */
export function addShopify(seed: number, scenario: Scenario, people: readonly Person[]): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  if (scenario.coupons || scenario.push || !dice.isLucky(HAVE_IT)) return scenario
  const steps = scenario.steps.map((step): Step => ({ ...convertAct(dice, people, step), waitMs: step.waitMs }))
  for (let more = dice.between(8, 18); more > 0; more--) {
    const most = dice.pick([0, 30 * SECOND, 20 * MINUTE, 90 * MINUTE])
    const act = drawAct(dice, people)
    steps.splice(dice.between(1, steps.length), 0, { ...act, waitMs: dice.between(0, most) })
  }
  const read: Step[] = [
    { do: 'checkouts are read', worker: 0, waitMs: MINUTE },
    { do: 'customers are read', worker: 1, waitMs: SECOND },
    { do: 'work', worker: 0, answers: [], meanwhile: null, diesAt: null, waitMs: dice.between(15, 40) * MINUTE },
  ]
  const frame = { hasAllOrders: dice.isLucky(0.3), hasOther: isPlain(scenario) && dice.isLucky(HAVE_BOTH) }
  const others = frame.hasOther ? addSecondShop(dice, people, [...steps, ...read]) : [...steps, ...read]
  return { ...scenario, shopify: frame, steps: others }
}

/** Scenarios with mails only, and without actions of operators or plans. */
const HAVE_BOTH = 0.6
const isPlain = ({ channels, hasCampaigns, room, steps }: Scenario): boolean =>
  channels.every((channel) => channel === 'email') &&
  !hasCampaigns &&
  room === null &&
  !steps.some(({ do: what }) => what === 'suspend' || what === 'rest')

/** The same people shop in the second store, which sometimes does not reply. */
function addSecondShop(dice: Random, people: readonly Person[], steps: readonly Step[]): Step[] {
  const all = [...steps]
  const post = (): Act => ({
    do: 'post',
    browser: dice.between(0, 2),
    isNewPage: dice.isLucky(0.4),
    coupons: [],
    consent: null,
    items: drawItems(dice),
    contact: dice.isLucky(0.7) ? { email: dice.pick(people).email } : null,
    network: dice.weighted({ now: 8, late: 1, twice: 1, lost: 1 }),
  })
  const order = (): Act => ({
    do: 'order',
    order: dice.between(1, 4),
    kind: dice.weighted({ purchase: 6, draft: 3, pending: 1, cancelled: 1 }),
    email: dice.pick(people).email,
    phone: null,
    customerId: null,
    items: drawItems(dice),
    isStaff: false,
    totalMinor: dice.between(10, 90) * 100,
    refundedMinor: 0,
    country: null,
    state: null,
    consents: [],
    webhook: dice.weighted({ now: 3, lost: 4, late: 2, twice: 1 }),
  })
  const makers = {
    post,
    order,
    mood: (): Act => ({ do: 'store', mood: dice.weighted({ answers: 4, 'is down': 2, 'is slow': 1 }) }),
    late: (): Act => ({ do: 'late webhooks arrive', isOld: dice.isLucky(0.5) }),
    posts: (): Act => ({ do: 'late posts arrive', isReversed: dice.isLucky(0.5) }),
  }
  for (let more = dice.between(6, 14); more > 0; more--) {
    const act = makers[dice.weighted({ post: 7, order: 4, mood: 1, late: 1, posts: 0.5 })]()
    const most = dice.pick([0, 30 * SECOND, 20 * MINUTE])
    all.splice(dice.between(1, all.length), 0, { do: 'in the other shop', act, waitMs: dice.between(0, most) })
  }
  return all
}

/** Shopify has no drafts of shoppers and no failed orders; these become checkouts. */
function convertAct(dice: Random, people: readonly Person[], act: Act): Act {
  if (act.do === 'at once') {
    const [first, second] = act.acts
    return { ...act, acts: [convertAct(dice, people, first), convertAct(dice, people, second)] }
  }
  if (act.do === 'work' && act.meanwhile) {
    const steps = act.meanwhile.steps.map((step) => ({ ...convertAct(dice, people, step), waitMs: step.waitMs }))
    return { ...act, meanwhile: { ...act.meanwhile, steps } }
  }
  if (act.do !== 'order') return act
  if (act.kind === 'purchase' || act.kind === 'cancelled' || act.kind === 'trashed') {
    return { ...act, kind: act.kind === 'purchase' ? 'purchase' : 'cancelled', ...drawShopifyFields(dice, act.order) }
  }
  const { order: checkout, email, phone, items, country, webhook } = act
  const isNamed = email !== null || phone !== null
  return {
    do: 'checkout',
    checkout,
    browser: dice.isLucky(0.5) ? dice.between(0, 2) : null,
    email: isNamed ? email : dice.pick(people).email,
    phone,
    items,
    country,
    webhook,
    ticks: act.consents.filter((channel) => channel !== 'whatsapp'),
  }
}

function drawShopifyFields(dice: Random, number: number): ShopifyOrderFields {
  return {
    ofCheckout: dice.isLucky(0.6) ? number : null,
    payment: dice.weighted({ PAID: 6, AUTHORIZED: 1, PENDING: 2 }),
    isVoided: dice.isLucky(0.3),
  }
}

const drawDelivery = (dice: Random): DeliveryFate =>
  dice.weighted({ now: 40, late: 15, twice: 12, lost: 25, forged: 8 })

function drawItems(dice: Random): [string, number][] {
  const first: [string, number] = [dice.pick(['16', '17', '18']), dice.between(1, 2)]
  return dice.isLucky(0.2) && first[0] !== '18' ? [first, ['18', 1]] : [first]
}

function drawAct(dice: Random, people: readonly Person[]): Act {
  const kind = dice.weighted({ checkout: 6, cart: 3, consent: 3.5, bought: 3, read: 4, token: 1, busy: 1.5, rush: 0.8 })
  return actMakers[kind](dice, people)
}

const actMakers = {
  checkout: (dice, people) => {
    const { email, typedPhone, country } = dice.pick(people)
    return {
      do: 'checkout',
      checkout: dice.between(1, 5),
      browser: dice.isLucky(0.6) ? dice.between(0, 2) : null,
      email: dice.isLucky(0.9) ? email : null,
      phone: dice.isLucky(0.5) ? typedPhone : null,
      items: drawItems(dice),
      country: dice.isLucky(0.4) ? country : null,
      webhook: drawDelivery(dice),
      ticks: dice.pick<AddressChannel[]>([[], [], ['email'], ['sms'], ['email', 'sms']]),
    }
  },
  cart: (dice) => ({
    do: 'cart reported',
    browser: dice.between(0, 2),
    webhook: drawDelivery(dice),
    items: dice.isLucky(0.15) ? [] : drawItems(dice),
  }),
  consent: (dice) => ({
    do: 'consent kept',
    person: dice.between(0, 2),
    channel: dice.pick(['email', 'sms', 'whatsapp'] as const),
    isConfirmed: dice.isLucky(0.4),
    webhook: drawDelivery(dice),
    state: dice.weighted({ SUBSCRIBED: 4, UNSUBSCRIBED: 4, PENDING: 3 }),
  }),
  /** Buys the open checkout, with any address. */
  bought: (dice, people) => {
    const number = dice.between(1, 5)
    const { email } = dice.pick(people)
    return {
      do: 'order',
      order: number,
      kind: 'purchase',
      email,
      phone: null,
      customerId: null,
      items: drawItems(dice),
      totalMinor: dice.between(10, 90) * 100,
      refundedMinor: 0,
      isStaff: false,
      country: null,
      state: null,
      consents: [],
      webhook: dice.weighted({ now: 2, lost: 5, late: 1, twice: 1 }),
      ...drawShopifyFields(dice, number),
      ofCheckout: number,
    }
  },
  read: (dice) => ({
    do: dice.weighted({ 'checkouts are read': 6, 'customers are read': 3, import: 1 }),
    worker: dice.between(0, 1),
  }),
  token: () => ({ do: 'token ends' }),
  busy: (dice) => ({
    do: 'busy shop',
    refused: dice.between(0, 3),
    points: dice.isLucky(0.5) ? dice.between(0, 60) : null,
  }),
  rush: (dice) => ({ do: 'rush', person: dice.isLucky(0.7) ? dice.between(0, 2) : null }),
} satisfies Record<string, (dice: Random, people: readonly Person[]) => Act>
