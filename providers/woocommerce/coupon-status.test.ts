// Replays coupon-status.json: coupons by REST and their effect in the cart, at the recorded times, with the recorded
// store's coupons.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveProduct } from './catalog.ts'
import { addCoupon, type Coupon, findCoupon } from './coupons.ts'
import { rawUrlEncode } from './php.ts'
import {
  type Answer,
  askAnonymous,
  askSigned,
  type Clock,
  compare,
  type Exchange,
  findValueProblems,
  openStore,
  readRecording,
} from './recordings.ts'
import { openShopper, type Shopper } from './shoppers.ts'
import { createKeyPair, type DemoStore } from './store.ts'

type Recording = Exchange & { cut_request?: string }
const { exchanges } = readRecording<{ exchanges: Recording[] }>('coupon-status')
const readKey = createKeyPair()
const ada = {
  first_name: 'Ada',
  last_name: 'Byron',
  address_1: '7 Oak Ave',
  city: 'San Francisco',
  state: 'CA',
  postcode: '94110',
  country: 'US',
  phone: '',
}

let store: DemoStore
let clock: Clock

beforeAll(async () => {
  const taxRates = [{ id: 1, country: 'US', state: 'CA', percent: 8.25, label: 'CA Tax' }]
  const pricing = { base: { country: 'US', state: 'CA' }, taxRates, shipsTo: ['US'], freeShipping: null }
  const opened = await openStore({ seed: false, pricing })
  store = opened.store
  clock = opened.clock
  const { consumerKey: consumer_key, consumerSecret: consumer_secret } = readKey
  store.addKey({ consumer_key, consumer_secret, permissions: 'read', role: 'administrator' })
  addMug()
})

afterAll(() => store.stop())

test('answers 162 recorded exchanges with the same status, messages, keys and values', async () => {
  const ids = insertEarlierCoupons()
  const shoppers = new Shoppers(store)
  const problems: [string, string[]][] = []
  for (const recorded of exchanges) {
    clock.seconds = isWrite(recorded) ? readTime(recorded) : Date.parse(recorded.response.headers.date!) / 1000
    const answer = await sendRecorded(recorded, ids, shoppers)
    learnIds(recorded, answer, ids)
    const differences = compare(recorded, answer).filter((problem) => !isExcluded(recorded, problem))
    const found = [...differences, ...findDifferences(recorded, answer, ids)]
    if (found.length) problems.push([recorded.title, found])
  }
  expect(problems).toEqual([])
  expect(exchanges).toHaveLength(162)
})

function isWrite({ request }: Recording): boolean {
  return request.method !== 'GET' && request.path.startsWith('/wp-json/wc/v3/')
}

/** A write's time is in its response; the Date header has the time of its end. */
function readTime({ response }: Recording): number {
  type Row = { date_modified_gmt?: string }
  const body = response.body as Row & { create?: Row[]; update?: Row[] }
  const written =
    body?.date_modified_gmt ?? body?.create?.[0]?.date_modified_gmt ?? body?.update?.[0]?.date_modified_gmt
  return Date.parse(written ? `${written}Z` : response.headers.date!) / 1000
}

/** The recording omits parts of carts (see the file's note) and links of records. */
function isExcluded({ request }: Recording, problem: string): boolean {
  return (request.path.startsWith('/wp-json/wc/store/') ? / is not in the recording$/ : /_links is not in/).test(
    problem,
  )
}

async function sendRecorded({ request, title, ...rest }: Recording, ids: Map<number, number>, shoppers: Shoppers) {
  const { method, path, query, auth, body } = request
  if (path.startsWith('/wp-json/wc/store/')) return shoppers.send(request, title)
  const replaceIds = (text: string) => text.replace(/\d+/g, (id) => String(ids.get(Number(id)) ?? id))
  const pairs = Object.entries(query ?? {}).map(
    ([name, value]) => `${name}=${rawUrlEncode(name === 'include' ? replaceIds(value) : value)}`,
  )
  const target = path.replace(/\d+$/, replaceIds) + (pairs.length ? `?${pairs.join('&')}` : '')
  if (auth === 'none') return askAnonymous(store, method, target)
  const whole = rest.cut_request ? completeBatch(rest.cut_request, body as Batch) : body
  const sent = whole == null ? undefined : mapIds(whole as Batch, ids)
  return askSigned(store, method, target, sent, /read key/.test(title) ? readKey : undefined)
}

function mapIds(body: Batch, ids: Map<number, number>): Batch {
  const mapId = (id: number) => ids.get(id) ?? id
  return {
    ...body,
    ...(body.update ? { update: body.update.map(({ id, ...row }) => ({ ...row, id: mapId(id) })) } : {}),
    ...(body.delete ? { delete: body.delete.map(mapId) } : {}),
  }
}

type Batch = { create?: { code: string }[]; update?: { id: number }[]; delete?: number[]; force?: boolean }

const knownCodes = [...new Set(JSON.stringify(exchanges).match(/bat\d-\d{3}-[0-9a-f]{6}/g))]

/**
 * The recording contains two of a hundred rows. This adds the others in the same form, with codes from other
 * recordings.
 */
function completeBatch(cut: string, { create, delete: deleted, ...more }: Batch): Batch {
  const count = Number(/(\d+) rows sent/.exec(cut)![1])
  const first = create?.[0]?.code
  const code = (at: number) => {
    const stem = /^bat/.test(first!) ? `${first!.slice(0, 5)}${String(at).padStart(3, '0')}-` : 'over-'
    return knownCodes.find((byPrefix) => byPrefix.startsWith(stem)) ?? `${stem}${at}`
  }
  const rows = Array.from({ length: count }, (_, at) => at)
  return {
    ...more,
    ...(create ? { create: rows.map((at) => create[at] ?? { ...create[0], code: code(at) }) } : {}),
    ...(deleted ? { delete: rows.map((at) => deleted[0]! + at) } : {}),
  }
}

/** Maps the ids of created records. Batch rows omitted from the recording follow the first one. */
function learnIds({ response }: Recording, answer: Answer, ids: Map<number, number>) {
  type CreatedCoupon = { id?: number; order_id?: number; create?: { id: number }[] }
  const [theirs, ours] = [response.body as CreatedCoupon, answer.body as CreatedCoupon]
  const learn = (id: number | undefined, own: number | undefined) => id && own && ids.set(id, own)
  learn(theirs.id ?? theirs.order_id, ours.id ?? ours.order_id)
  const rows = theirs.create ?? []
  for (const [at, { id }] of (ours.create ?? []).entries()) learn(rows[at]?.id ?? rows[0]!.id + at, id)
}

function findDifferences(
  { response, request }: Recording,
  { body, headers }: Answer,
  ids: Map<number, number>,
): string[] {
  const totals = ['x-wp-total', 'x-wp-totalpages'].filter((name) => {
    return response.headers[name] !== undefined && response.headers[name] !== headers[name]
  })
  const mapId = (id: unknown) => ids.get(Number(id)) ?? id
  const theirs = JSON.parse(JSON.stringify(response.body), (key, value) =>
    key === 'id' ? mapId(value) : value,
  ) as unknown
  const isPlace = request.path.endsWith('/checkout')
  const isBatchRow = (at: string) =>
    /^bat/.test(String((theirs as { code?: string }[])[Number(/^body\.(\d+)\./.exec(at)?.[1])]?.code))
  return [
    ...totals.map((name) => `${name}: ${headers[name]}`),
    ...findValueProblems(truncateLike(theirs), truncateLike(body, theirs), (at) => {
      return (
        freeValues.test(at) ||
        (/date_modified_gmt$/.test(at) && isBatchRow(at)) ||
        (isPlace && /order_(id|key|number)|payment_result/.test(at))
      )
    }),
  ]
}

// Ignores store-local times (the recorded store is in Los Angeles), links and ids of other records. The recorded batch
// took two seconds.
const freeValues =
  /(date_(created|modified|expires)|_links|meta_data\.\d+\.id|coupon_lines\.\d+\.(id|meta_data\.\d+\.(value|display_value))|payment_methods|cart\.items\.\d+\.key)$/

/** Truncates long lists to the recorded length. */
function truncateLike(body: unknown, like = body): unknown {
  const truncate = (list: unknown, other: unknown) =>
    Array.isArray(list) && Array.isArray(other) ? list.slice(0, other.length) : list
  if (!body || typeof body !== 'object' || Array.isArray(body)) return body
  const row = like as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      /^(create|delete)$/.test(key) ? truncate(value, row[key]) : value,
    ]),
  )
}

/** Uses a new cart for each apply. Orders are placed in the order in which their carts got the coupon. */
class Shoppers {
  readonly #store: DemoStore
  #waiting: Shopper[] = []
  #last: Shopper | undefined
  #code = ''
  constructor(of: DemoStore) {
    this.#store = of
  }

  async send({ method, path, body }: Exchange['request'], title: string): Promise<Answer> {
    const call = path.slice('/wp-json/wc/store/v1/'.length)
    if (call === 'cart/apply-coupon') return this.#apply(body as { code: string })
    if (call === 'cart') return this.#last!.call('GET', 'cart')
    const shopper = method === 'GET' ? this.#waiting[0] : this.#waiting.shift()
    if (!shopper) throw new Error(`nobody to ${title}`)
    return shopper.call(method, call, body ?? undefined)
  }

  async #apply(body: { code: string }): Promise<Answer> {
    if (body.code !== this.#code) this.#waiting = []
    this.#code = body.code
    const shopper = await openShopper(this.#store)
    this.#last = shopper
    this.#waiting.push(shopper)
    await shopper.call('POST', 'cart/add-item', { id: 91, quantity: 1 })
    const customer = { billing_address: { ...ada, email: 'ada@example.com' }, shipping_address: ada }
    await shopper.call('POST', 'cart/update-customer', customer)
    return shopper.call('POST', 'cart/apply-coupon', body)
  }
}

/** welcome10 and the coupons of coupon-totals.json existed when the recording began. */
function insertEarlierCoupons(): Map<number, number> {
  type Earlier = { given?: { coupons?: { rest_answer: { id: number; code: string; date_created_gmt: string } }[] } }
  const coupons = readRecording<{ exchanges: Earlier[] }>('coupon-totals').exchanges.flatMap(
    (each) => each.given?.coupons ?? [],
  )
  const byPrefix = new Map(coupons.map(({ rest_answer }) => [rest_answer.code.split('-')[0], rest_answer]))
  const ids = new Map<number, number>()
  const add = (code: string, id: number, gmt: string) => {
    clock.seconds = Date.parse(`${gmt}Z`) / 1000
    const own = addCoupon(store.shop, { code }).id
    if (id) ids.set(id, own)
  }
  add('welcome10', 39, '2026-11-22T17:44:20')
  let last = '2026-11-22T19:02:40'
  for (let at = 1; at <= 78; at += 1) {
    const name = `fx${String(at).padStart(2, '0')}`
    const one = byPrefix.get(name)
    last = one?.date_created_gmt ?? last
    add(one?.code ?? name, one?.id ?? 0, last)
  }
  return ids
}

function addMug() {
  const blank = { description: '', shortDescription: '', saleMinor: null, stock: null, isSoldOut: false, weight: '' }
  const lists = { categories: [], pictures: [], attributes: [], options: [], variations: [] }
  const times = { createdAt: 0, modifiedAt: 0, menuOrder: 0, totalSales: 0 }
  const mug = {
    id: 91,
    parentId: 0,
    type: 'simple',
    status: 'publish',
    name: 'Fixture Mug',
    slug: 'mug',
    sku: '',
  } as const
  saveProduct(store.shop, { ...blank, ...lists, ...times, ...mug, regularMinor: 1999 })
}

test('ignores the coupon status before version 10', async () => {
  const { store: old } = await openStore({ version: '9.9.5' })
  const created = await askSigned(old, 'POST', '/wp-json/wc/v3/coupons', { code: 'later', status: 'draft' })
  expect(created.body).toMatchObject({ status: 'publish' })
  const { id } = created.body as Coupon
  expect((await askSigned(old, 'PUT', `/wp-json/wc/v3/coupons/${id}`, { status: 'draft' })).body).toMatchObject({
    status: 'publish',
  })
  expect(findCoupon(old.shop, id)?.status).toBe('publish')
  const { environment } = (await askSigned(old, 'GET', '/wp-json/wc/v3/system_status')).body as { environment: object }
  expect(environment).toMatchObject({ version: '9.9.5' })
  expect((await askAnonymous(old, 'GET', '/checkout-link/?products=20:1')).status).toBe(404)
  await old.stop()
})
