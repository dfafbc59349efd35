import { createToken } from '../server/carts/links/message-tokens.ts'
import type { Contact, FoldItem } from '../server/core/schema/facts.ts'
import { recordMailReport } from '../server/delivery/mail-reports/mail-reports.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { createCampaign, formatStoreDate, runTick } from './campaign-scene.ts'
import { insertPersonalCoupon } from './coupon-scene.ts'
import { grantConsent, postWithWorker } from './manual-send-scene.ts'
import { buildTea, createShop, HOUR, MINUTE, pot, type Shop } from './shop.ts'
import { acceptMail, type World } from './world.ts'

// Test support: a shop in New York from 24 January to noon of 3 April 2026, with 40 carts. Daylight saving starts on 8
// March. Times are local. The expected outcome of each cart is in server/insights/analytics/by-hand.test.ts.

const ZONE = 'America/New_York'
const cup: FoldItem = { ...buildTea(), productId: '18', name: 'Cup', unitPriceMinor: 1_000 }
const teas = buildTea
const buildPots = (quantity: number): FoldItem => ({ ...pot, quantity })

/** `03-08 09:30` means 2026; `2025-12-15 09:00` names the year. */
const parseLocalTime = (time: string): Date => {
  const [day, clock] = time.split(' ')
  const full = `${day!.length > 5 ? day : `2026-${day}`}T${clock}`
  return new Date(Temporal.PlainDateTime.from(full).toZonedDateTime(ZONE).epochMilliseconds)
}

const buildEmail = (person: string | number) => `p${person}@shoppers.example.com`

type Cart = [number: number, began: string, items: FoldItem[], contact: Contact | null]
const buildContact = (number: number, more: Contact = {}): Contact => ({ email: buildEmail(number), ...more })
const inUs: Contact = { country: 'US', countrySource: 'address' }

/** Carts of browsers; 24 and 25 begin as orders in euros. */
const carts: Cart[] = [
  [1, '01-24 10:00', [buildTea()], buildContact(1, inUs)],
  [2, '01-26 10:00', [pot], buildContact(2, inUs)],
  [3, '02-01 10:00', [cup], null],
  [4, '02-02 23:30', [buildTea()], buildContact(4)],
  [5, '02-04 09:00', [teas(2)], buildContact(5)],
  [6, '02-06 09:00', [pot], buildContact(6)],
  [7, '02-08 09:00', [buildTea(), cup], null],
  [8, '02-10 09:00', [pot, cup], buildContact(8)],
  [9, '02-12 09:00', [buildTea()], buildContact(9)],
  [10, '02-14 09:00', [cup], buildContact(10)],
  [11, '02-16 09:00', [pot, buildTea()], buildContact(11)],
  [12, '02-20 09:00', [buildPots(2)], buildContact(12)],
  [13, '03-01 09:00', [buildTea()], buildContact(13)],
  [14, '03-04 23:30', [cup], buildContact(14)],
  [15, '03-05 09:00', [buildTea()], buildContact(15, inUs)],
  [16, '03-07 23:30', [pot], buildContact(16)],
  [17, '03-08 01:30', [buildTea()], buildContact(17)],
  [18, '03-09 22:30', [cup], buildContact(18)],
  [19, '03-10 10:00', [buildTea()], null],
  [20, '03-12 09:00', [teas(2)], buildContact(20, { phone: '+12125550120' })],
  [21, '03-13 09:00', [pot], buildContact(21)],
  [22, '03-15 09:00', [buildPots(5)], buildContact(22)],
  [23, '03-16 09:00', [buildPots(6)], buildContact(23)],
  [26, '03-21 09:00', [buildTea()], buildContact(26)],
  [27, '03-22 09:00', [cup], null],
  [28, '03-24 09:00', [pot], buildContact(28)],
  [29, '03-27 23:59', [buildTea()], buildContact(29)],
  [30, '03-28 09:00', [pot], buildContact(30, inUs)],
  [31, '03-29 09:00', [buildTea()], buildContact(31)],
  [32, '03-30 09:00', [teas(2)], buildContact(30)],
  [33, '03-30 11:00', [pot, buildTea()], buildContact(33)],
  [34, '03-31 09:00', [cup], buildContact(34)],
  [35, '03-31 14:00', [pot], null],
  [36, '04-01 09:00', [buildTea()], buildContact(36)],
  [37, '04-02 09:00', [pot], buildContact(37)],
  [38, '04-02 23:10', [buildTea()], buildContact(38)],
  [39, '04-03 11:30', [pot, cup], buildContact(39)],
  [40, '04-03 09:00', [cup], buildContact(40)],
]

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
/** User agent with which Apple Mail fetches images, whether or not a person reads the mail. */
const APPLE = 'Mozilla/5.0'

type Act = () => Promise<unknown>
type Life = { world: World; shop: Shop; agenda: [at: string, act: Act][] }

/** `afterEach` runs after every event. */
export async function createFortyCarts(world: World, afterEach: (shop: Shop) => Promise<void>): Promise<Shop> {
  world.now = parseLocalTime('01-23 09:00')
  const shop = await createShop(world, { plan: 'growth' })
  await world.db.deleteFrom('flow_steps').where('store_id', '=', shop.storeId).where('step', '>', 1).execute()
  const life: Life = { world, shop, agenda: [] }
  for (const cart of carts) addStart(life, cart)
  addEuroCarts(life)
  addReads(life)
  addPurchases(life)
  addOtherEvents(life)
  const inOrder = life.agenda.map(([at, act]) => ({ at: parseLocalTime(at), act }))
  const end = parseLocalTime('04-03 12:00')
  for (const { at, act } of inOrder.sort((a, b) => a.at.getTime() - b.at.getTime())) {
    if (at > end) break
    world.now = at
    await act()
    await afterEach(shop)
  }
  world.now = end
  await keepSignedIn(life)
  return shop
}

/** Fills a cart and leaves it; an hour later it is abandoned, and mailed if it has an address. */
function addStart({ shop, agenda }: Life, [number, at, items, contact]: Cart): void {
  agenda.push([
    at,
    async () => {
      await shop.fill(String(number), items)
      if (contact) await shop.type(String(number), contact)
    },
  ])
  agenda.push([addHour(at), () => shop.passTime(0)])
}

/** In local time, which skips an hour on 8 March. */
const addHour = (at: string) =>
  Temporal.Instant.fromEpochMilliseconds(parseLocalTime(at).getTime() + HOUR)
    .toZonedDateTimeISO(ZONE)
    .toPlainDateTime()
    .toString()
    .slice(5, 16)
    .replace('T', ' ')

function addEuroCarts({ world, shop, agenda }: Life): void {
  for (const [number, at, minor] of [
    [24, '03-18 09:00', 3_000],
    [25, '03-19 09:00', 5_000],
  ] as const) {
    const items = [{ ...pot, name: 'Teapot', sku: null, imageUrl: null, quantity: 1, unitPriceMinor: minor }]
    const draft = { email: buildEmail(number), currency: 'EUR', totalMinor: minor, items } as Partial<PlatformOrder>
    agenda.push([at, () => shop.order({ kind: 'draft', orderId: `9${number}`, ...draft })])
    agenda.push([addHour(at), () => shop.passTime(0)])
    if (number === 25)
      agenda.push([
        '03-20 09:00',
        () => shop.order({ kind: 'purchase', orderId: '925', ...draft, createdAt: formatIso(world) }),
      ])
  }
}

const formatIso = ({ now }: World) => now.toISOString()

/** Opens, clicks, restores, bounces and complaints. */
function addReads(life: Life): void {
  const { world, agenda } = life
  const visits = (
    at: string,
    number: number,
    kind: 'open' | 'machine' | 'click' | 'restore' | 'unsubscribe',
    more = 'flow email',
  ) => agenda.push([at, () => visit(life, number, kind, more)])
  visits('01-26 11:10', 2, 'open')
  visits('01-26 11:12', 2, 'click')
  visits('02-03 00:40', 4, 'machine')
  visits('02-04 10:10', 5, 'open')
  visits('02-06 10:30', 6, 'restore')
  agenda.push(['02-12 10:05', async () => reportMail(world, await findMessage(life, 9), 'hard')])
  visits('02-16 10:10', 11, 'open')
  visits('02-16 10:20', 11, 'unsubscribe')
  visits('02-20 10:10', 12, 'machine')
  visits('03-01 10:10', 13, 'click')
  visits('03-05 10:10', 15, 'open')
  visits('03-05 10:12', 15, 'click')
  visits('03-08 00:45', 16, 'click')
  visits('03-12 13:10', 19.5, 'open')
  visits('03-12 15:10', 20, 'click', 'manual sms')
  visits('03-13 10:10', 21, 'machine')
  visits('03-14 16:10', 21, 'open', 'manual email')
  visits('03-14 16:20', 21, 'restore', 'manual email')
  visits('03-17 11:10', 22, 'click', 'campaign email')
  agenda.push([
    '03-17 12:00',
    async () => reportMail(world, await findMessage(life, 23, 'campaign email'), 'complaint'),
  ])
  visits('03-18 10:10', 24, 'click')
  visits('03-19 10:10', 25, 'click')
  visits('03-24 10:20', 28, 'click')
  visits('03-28 10:10', 30, 'open')
  visits('03-28 10:15', 30, 'click')
  visits('03-29 10:10', 31, 'open')
  visits('03-30 12:10', 33, 'open')
  visits('04-02 10:10', 37, 'click')
  setMailReplies(life, '03-30 11:30', { kind: 'unknown', reason: 'unknown', response: 'connection lost' })
  setMailReplies(life, '03-30 12:30', null)
  setMailReplies(life, '04-02 23:30', {
    kind: 'rejected',
    reason: 'rejected',
    response: '554 no',
    isRecipientFault: false,
  })
  setMailReplies(life, '04-03 00:30', null)
}

/** Sets the mail server's replies from then on; null: it accepts. */
function setMailReplies({ world, agenda }: Life, at: string, outcome: object | null): void {
  agenda.push([
    at,
    async () => {
      world.answer = outcome ? () => outcome as never : acceptMail
    },
  ])
}

const reportMail = (world: World, { id: messageId }: { id: string }, kind: 'hard' | 'complaint') =>
  recordMailReport(world.deps, { messageId, kind, source: 'dsn', status: '5.1.1', words: 'reported' })

/** Returns the newest message to a shopper with an origin and channel, such as `flow email`. */
async function findMessage({ shop }: Life, number: number, which = 'flow email') {
  const [origin, channel] = which.split(' ')
  const to = channel === 'sms' ? '+12125550120' : buildEmail(number)
  const message = (await shop.messages()).findLast(
    (each) => each.to_address === to && each.origin_kind === origin && each.channel === channel && each.sending_at,
  )
  if (!message) throw new Error(`no ${which} to ${to}`)
  return message
}

async function visit(life: Life, number: number, kind: string, which: string): Promise<void> {
  const { world, shop } = life
  const { secrets } = world.deps
  const { id } = await findMessage(life, number, which)
  if (kind === 'restore') return expectOk(await shop.press(id))
  if (kind === 'unsubscribe')
    return expectOk(await world.request('POST', `/u/${createToken(secrets, 'unsubscribe', id)}`))
  const url = kind === 'click' ? `/c/${createToken(secrets, 'click', id)}` : `/o/${createToken(secrets, 'open', id)}`
  expectOk(await world.request('GET', url, { headers: { 'user-agent': kind === 'machine' ? APPLE : BROWSER } }))
}

function expectOk({ status, body }: { status: number; body: unknown }): void {
  if (status >= 400) throw new Error(`${status} ${JSON.stringify(body)}`)
}

function addPurchases({ world, shop, agenda }: Life): void {
  const placed = new Map<string, PlatformOrder>()
  const order = (
    at: string,
    id: string,
    totalMinor: number,
    person: number | string,
    more: Partial<PlatformOrder> = {},
  ) =>
    agenda.push([
      at,
      async () => {
        const order = { kind: 'purchase' as const, orderId: id, totalMinor, email: buildEmail(person), ...more }
        placed.set(id, await shop.order(order))
      },
    ])
  const changeOrder = (at: string, id: string, more: Partial<PlatformOrder>) =>
    agenda.push([at, () => shop.order({ ...placed.get(id)!, ...more, modifiedAt: formatIso(world) })])
  order('01-26 15:00', '102', 6_800, 2)
  order('02-06 09:00', '105', 4_200, 5)
  order('02-07 09:00', '106', 6_800, 6)
  changeOrder('02-09 09:00', '106', { refundedMinor: 1_000 })
  order('02-10 09:30', '108', 7_800, 8)
  order('02-15 12:00', '198', 2_500, 'x')
  order('03-05 12:00', '115', 2_100, 15)
  changeOrder('03-06 12:00', '115', { refundedMinor: 2_100, status: 'refunded' })
  order('03-08 04:00', '116', 6_800, 16)
  order('03-08 09:00', '113', 2_100, 13)
  order('03-13 09:00', '120', 4_200, 20)
  order('03-14 18:00', '121', 6_800, 21)
  changeOrder('03-20 09:00', '121', { refundedMinor: 800 })
  order('03-18 09:00', '122', 34_000, 22)
  order('03-25 09:00', '128', 6_800, 28)
  order('03-26 12:00', '199', 3_500, 'x')
  order('03-29 09:00', '130', 6_120, 30, {
    coupons: ['SPRING10'],
    discounts: [{ code: 'SPRING10', discountMinor: 600 }],
  })
  changeOrder('03-29 12:00', '130', {
    status: 'completed',
    discounts: [{ code: 'SPRING10', discountMinor: 680 }],
  })
  order('03-31 09:00', '132', 4_200, 30)
  order('03-31 09:30', '134', 1_000, 34)
  order('04-01 12:00', '131', 1_500, 31, { source: 'staff' })
  order('04-01 20:00', '136', 1_890, 36, {
    coupons: ['CART-P36'],
    discounts: [{ code: 'CART-P36', discountMinor: 210 }],
  })
  order('04-02 12:00', '137', 6_800, 37)
  changeOrder('04-02 18:00', '137', { kind: 'cancelled', status: 'cancelled' })
  const advanceTo = (time: string) => {
    const at = parseLocalTime(time).toISOString()
    return { createdAt: at, modifiedAt: at, paidAt: at }
  }
  // Arrives late, and is from the previous year.
  order('03-29 20:00', '126', 2_100, 26, advanceTo('03-23 09:00'))
  order('03-30 20:00', '100', 10_000, 28, advanceTo('2025-12-15 09:00'))
}

/** Emptied carts, the second browser of cart 19, and messages outside the flow. */
function addOtherEvents(life: Life): void {
  const { world, shop, agenda } = life
  agenda.push(['02-14 09:20', () => shop.fill('10', [])])
  agenda.push(['04-03 11:00', () => shop.fill('40', [])])
  addStart(life, [19.5, '03-11 12:00', [pot], buildContact(19.5)])
  agenda.push(['03-12 08:00', () => shop.type('19', buildContact(19.5))])
  agenda.push(['03-12 15:00', () => sendManually(life, 20, 'sms')])
  agenda.push(['03-14 16:00', () => sendManually(life, 21, 'email')])
  agenda.push([
    '03-17 10:59',
    async () => {
      await keepSignedIn(life)
      const targetAudience = { mode: 'matching', filters: { minCartValue: 300 } }
      await createCampaign(world, shop, {
        targetAudience,
        schedule: { startDate: formatStoreDate(world), timeOfDay: '11:00' },
      })
    },
  ])
  agenda.push(['03-17 11:00', () => runTick(world, shop)])
  agenda.push(['03-28 10:05', () => setCoupon(life, 30, 'shared', 'SPRING10')])
  agenda.push(['04-01 10:05', () => setCoupon(life, 36, 'personal', 'CART-P36')])
}

async function sendManually(life: Life, number: number, channel: 'sms' | 'email'): Promise<void> {
  const { world, shop } = life
  await keepSignedIn(life)
  const cart = (await shop.carts()).find(({ email }) => email === buildEmail(number))!
  await grantConsent(world, shop, { email: cart.email, phone: cart.phone ?? '+12125550100' } as PlatformOrder)
  const body = { cartId: cart.id, cart_id: cart.id, to: cart.email }
  const reply = await postWithWorker(
    world,
    shop,
    channel === 'sms' ? '/api/sms/send-reminder' : '/api/email/send-email',
    body,
  )
  expectOk(reply)
}

/** Marks the message as sent with a coupon. */
async function setCoupon(life: Life, number: number, kind: 'shared' | 'personal', code: string): Promise<void> {
  const { world, shop } = life
  const { id: message_id, shopper_id, cart_id } = await findMessage(life, number)
  const { storeId: store_id } = shop
  const coupon_id = await insertPersonalCoupon(world, store_id, { kind, code: kind === 'shared' ? code : 'CART' })
  const set = { coupon_id, coupon_code: code }
  await world.db
    .updateTable('messages')
    .set(set)
    .where('store_id', '=', store_id)
    .where('id', '=', message_id)
    .execute()
  if (kind === 'shared') return
  const expires_at = new Date(world.now.getTime() + 72 * HOUR)
  await world.db
    .insertInto('coupon_codes')
    .values({
      store_id,
      message_id,
      coupon_id,
      shopper_id,
      cart_id,
      code,
      state: 'made',
      terms: '',
      expires_at,
      next_try_at: expires_at,
      made_at: new Date(world.now.getTime() - MINUTE),
      created_at: world.now,
    })
    .execute()
}

/** Keeps the owner signed in for the whole period. */
async function keepSignedIn({ world, shop }: Pick<Life, 'world' | 'shop'>): Promise<void> {
  const until = new Date(world.now.getTime() + 24 * HOUR)
  await world.db
    .updateTable('sessions')
    .set({ last_seen_at: world.now, expires_at: until })
    .where('account_id', '=', shop.accountId)
    .execute()
}
