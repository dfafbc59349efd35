import { randomBytes } from 'node:crypto'
import { type FastifyInstance, fastify } from 'fastify'
import { mapErrors } from '../../server/access/http/http.ts'
import { saveSecret } from '../../server/access/plugin/plugin.ts'
import { changePlugin, readPlugin } from '../../server/access/plugin/plugin-sql.ts'
import { type CallName, sign, signReply } from '../../server/access/plugin/signature.ts'
import { transact } from '../../server/core/db/db.ts'
import { pluginCallRoutes } from '../../server/workspace/plugin-calls/routes.ts'
import { type ActOf, type Harness, openStoreHandle } from './harness.ts'
import { listNumbers } from './people.ts'
import type { BeatRequest } from './play-beats.ts'
import { recordPluginReport } from './play-modes.ts'

// The plugin of the scenario's shop (docs/plugin-protocol.md): a queue that keeps the newest state of each cart until
// it is acknowledged, and signed calls over an unreliable network.

type Kind = 'snapshot' | 'outbox' | 'forge'
type Players = { [Each in Kind]: (harness: Harness, act: ActOf<Each>) => Promise<unknown> }

export interface Plugin {
  app: FastifyInstance
  secret: string
  install: string
  seq: number
  /** By cart, in the order queued. */
  queue: Map<string, PendingEntry>
  /** The last acknowledged state of each cart. */
  acknowledged: Map<string, PendingEntry>
  /** From the reply to the last beat. */
  request: BeatRequest
  /** Violations found. */
  faults: string[]
}

interface PendingEntry {
  seq: number
  /** True time. */
  at: number
  cart: string
  items: string
  entry: Record<string, unknown>
  /** Whether the capture mode stored its address each time it arrived; null: it has not arrived. */
  isOwed: boolean | null
}

export const pluginPlayers: Players = {
  async snapshot(harness, act) {
    const plugin = await connectPlugin(harness)
    if (!plugin) return
    const waiting = queue(harness, plugin, act)
    if (act.network === 'waits') return
    const sent = [waiting]
    if (act.network === 'altered') return sendAltered(harness, plugin, sent)
    if (act.network === 'overtaken') return sendOvertaken(harness, plugin, { act, first: waiting })
    const call = await buildCall(harness, plugin, sent)
    const status = await deliverCall(plugin, call)
    expectStatus(plugin, 'a call of the shop', status, 200)
    recordUsable(harness, sent)
    if (act.network === 'twice') {
      expectStatus(plugin, 'the same call again', await deliverCall(plugin, call), 409)
    }
    if (act.network !== 'unanswered') await checkAcknowledged(harness, plugin, sent)
  },
  async outbox(harness, { size, isReversed }) {
    const plugin = await connectPlugin(harness)
    if (!plugin) return
    // The shop's queue keeps entries no longer.
    const isTooOld = ({ at }: PendingEntry) => harness.clock.trueNow() - at > QUEUE_MS
    for (const each of plugin.queue.values()) if (isTooOld(each)) plugin.queue.delete(each.cart)
    const all = [...plugin.queue.values()]
    const calls = Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
    for (const sent of isReversed ? calls.reverse() : calls) {
      const call = await buildCall(harness, plugin, sent)
      expectStatus(plugin, 'the outbox', await deliverCall(plugin, call), 200)
      recordUsable(harness, sent)
      await checkAcknowledged(harness, plugin, sent)
    }
  },
  async forge(harness, { how }) {
    const plugin = await connectPlugin(harness)
    if (!plugin) return
    const entry = buildEntry(harness, plugin, {
      cart: FORGED,
      items: [['16', 1]],
      contact: { email: 'forged@evil.example' },
    })
    const body = buildBody(harness, plugin, [entry])
    const change = {
      key: { key: randomBytes(32).toString('hex') },
      store: { store: crypto.randomUUID() },
      late: { ageS: 301 },
      name: { signedName: 'beat' as const },
    }[how]
    const status = await deliverCall(plugin, signCall(harness, plugin, 'batch', body, change))
    expectStatus(plugin, `a forged call (${how})`, status, 401)
  },
}

const QUEUE_MS = 7 * 86_400_000

const NO_REQUEST: BeatRequest = { since: null, goods: [] }

/** Token of a cart that does not exist. */
const FORGED = 'f'.repeat(32)

/** Connects at first use, and again after a disconnect. null: the store is disconnected. */
export async function connectPlugin(harness: Harness): Promise<Plugin | null> {
  if (harness.isDisconnected) return null
  const store = openStoreHandle(harness)
  const row = await readPlugin(store)
  if (row && !row.ended_at && harness.plugin) return harness.plugin
  const [secret, install] = [randomBytes(32).toString('hex'), randomBytes(16).toString('hex')]
  await transact(store, (tx) => saveSecret(harness.web.deps, tx, { secret, install, version: '1.0.0' }))
  // If Recoup can reach the shop, it reads orders with the API key.
  await changePlugin(store, { is_reached: !harness.shop.isCutOff })
  const before = harness.plugin
  const app = before?.app ?? (await openCalls(harness))
  const fresh = { app, secret, install, seq: 0, queue: new Map(), acknowledged: new Map(), request: NO_REQUEST }
  harness.plugin = { ...fresh, faults: before?.faults ?? [] }
  return harness.plugin
}

async function openCalls({ web }: Harness): Promise<FastifyInstance> {
  const app = fastify()
  mapErrors(app)
  pluginCallRoutes(app, web.deps)
  await app.ready()
  return app
}

interface CartState {
  cart: string
  items: readonly [id: string, quantity: number][]
  contact: object | null
}

function buildEntry({ clock }: Harness, plugin: Plugin, { cart, items, contact }: CartState): PendingEntry {
  plugin.seq += 1
  const lines = items.map(([product, quantity]) => ({ product, quantity, price: '10.00', name: 'Tea' }))
  const entry = { type: 'cart', cart, lines, currency: 'USD', client: 'x'.repeat(22), ...(contact && { contact }) }
  const contents = items.map(([product, quantity]) => `${quantity}×${product}`).join()
  return { seq: plugin.seq, at: clock.trueNow(), cart, items: contents, entry, isOwed: null }
}

function queue(harness: Harness, plugin: Plugin, act: ActOf<'snapshot'>): PendingEntry {
  const { browser, items, contact, customerId } = act
  const { visit, banner } = harness.browsers[browser]!
  const cart = `plugin-cart-${browser}-${visit}-`.padEnd(32, 'c')
  const before = plugin.queue.get(cart) ?? plugin.acknowledged.get(cart)
  const known = (before?.entry.contact as object | undefined) ?? null
  // Each report is the whole state: typed text stays in the form.
  const waiting = buildEntry(harness, plugin, { cart, items, contact: contact ? { ...known, ...contact } : known })
  // Each shopper has an IP address of their own.
  waiting.entry.client = `client-${waiting.seq}-`.padEnd(22, 'n')
  if (customerId) waiting.entry.customer = { id: customerId }
  if (harness.modes)
    Object.assign(waiting.entry, { device: `device-of-browser-${browser}`, ...(banner === 'yes' && { agreed: true }) })
  plugin.queue.delete(cart)
  plugin.queue.set(cart, waiting)
  return waiting
}

/** Builds the call at arrival, because what may be stored depends on consent at that time. */
async function buildCall(harness: Harness, plugin: Plugin, sent: readonly PendingEntry[]): Promise<PluginCall> {
  for (const each of sent) {
    const key = `plugin:${each.cart}:${plugin.install}:${each.seq}`
    const { isOwed } = await recordPluginReport(harness, key, each.entry)
    each.isOwed = isOwed && each.isOwed !== false
  }
  return signCall(harness, plugin, 'batch', buildBody(harness, plugin, sent))
}

function buildBody({ clock }: Harness, { install }: Plugin, sent: readonly PendingEntry[]): string {
  const entries = sent.map(({ seq, at, entry }) => ({
    seq,
    age: Math.floor((clock.trueNow() - at) / 1_000),
    ...entry,
  }))
  return JSON.stringify({ v: 1, plugin: '1.0.0', install, entries })
}

export interface PluginCall {
  name: CallName
  headers: Record<string, string>
  body: string
  key: string
}

/** The shop's clock follows Recoup's, so only late calls differ. */
export function signCall(
  { fixture, web }: Harness,
  { secret }: Plugin,
  name: CallName,
  body: string,
  change: { key?: string; store?: string; ageS?: number; signedName?: CallName } = {},
): PluginCall {
  const store = change.store ?? fixture.storeId
  const time = String(Math.floor(web.deps.now().getTime() / 1_000) - (change.ageS ?? 0))
  const nonce = randomBytes(16).toString('hex')
  const key = change.key ?? secret
  const signedFields = { direction: 'shop' as const, name: change.signedName ?? name, store, time, nonce, body }
  const headers = {
    'content-type': 'application/json',
    'x-recoup-store': store,
    'x-recoup-time': time,
    'x-recoup-nonce': nonce,
    'x-recoup-signature': sign(key, signedFields),
  }
  return { name, headers, body, key }
}

const deliverCall = async (plugin: Plugin, call: PluginCall): Promise<number> =>
  (await sendCall(plugin, call)).statusCode

export async function sendCall({ app, faults }: Plugin, { name, headers, body, key }: PluginCall) {
  const reply = await app.inject({ method: 'POST', url: `/api/plugin/${name}`, headers, payload: body })
  const is = reply.headers['x-recoup-signature']
  const expected = signReply(key, headers['x-recoup-nonce']!, reply.statusCode, reply.body)
  if (is !== undefined && is !== expected) faults.push(`the reply ${reply.statusCode} has a wrong signature`)
  if (is === undefined && reply.statusCode < 400) faults.push(`the reply ${reply.statusCode} has no signature`)
  return reply
}

/** The call with an earlier state arrives after the later one. */
async function sendOvertaken(
  harness: Harness,
  plugin: Plugin,
  { act, first }: { act: ActOf<'snapshot'>; first: PendingEntry },
): Promise<void> {
  const late = await buildCall(harness, plugin, [first])
  const next = queue(harness, plugin, { ...act, items: [['18', 4]] })
  const call = await buildCall(harness, plugin, [next])
  expectStatus(plugin, 'the later call', await deliverCall(plugin, call), 200)
  expectStatus(plugin, 'the call that was overtaken', await deliverCall(plugin, late), 200)
  recordUsable(harness, [first, next])
  await checkAcknowledged(harness, plugin, [next], first)
}

/** Changes the body in transit. */
async function sendAltered(harness: Harness, plugin: Plugin, sent: readonly PendingEntry[]): Promise<void> {
  const call = signCall(harness, plugin, 'batch', buildBody(harness, plugin, sent))
  const body = call.body.replaceAll(sent[0]!.cart, FORGED)
  expectStatus(plugin, 'an altered call', await deliverCall(plugin, { ...call, body }), 401)
}

function expectStatus({ faults }: Plugin, what: string, status: number, expected: number): void {
  if (status !== expected) faults.push(`${what} got status ${status}, not ${expected}`)
}

function recordUsable({ usable }: Harness, sent: readonly PendingEntry[]): void {
  for (const { entry } of sent) {
    const { email } = (entry.contact ?? {}) as { email?: string }
    if (email) usable.add(listNumbers(email)[0]!)
  }
}

interface StoredEntry {
  seq: number
  /** null: the entry is only about the shopper. */
  items: { quantity: number; productId: string }[] | null
  email: string | null
  at: Date
}

/**
 * Checks acknowledged entries. A new one is stored as sent, with its own time, and is the last state of its cart. An
 * older state that arrives later is not stored, also when the newer one changed nothing.
 */
async function checkAcknowledged(
  harness: Harness,
  plugin: Plugin,
  sent: readonly PendingEntry[],
  overtaken: PendingEntry | null = null,
): Promise<void> {
  for (const each of sent) {
    if (plugin.queue.get(each.cart) === each) plugin.queue.delete(each.cart)
    plugin.acknowledged.set(each.cart, each)
  }
  const forged = await readStoredEntries(harness, plugin, FORGED)
  if (forged.length > 0) plugin.faults.push('a forged entry was stored')
  for (const each of sent) {
    const entries = await readStoredEntries(harness, plugin, each.cart)
    const mine = entries.find(({ seq }) => seq === each.seq)
    if (mine) checkStoredEntry(harness, plugin, { sent: each, mine, stored: entries })
    else if (overtaken && entries.some(({ seq }) => seq === overtaken.seq)) {
      plugin.faults.push(`an older state of ${each.cart.slice(0, 16)} was stored after one without changes`)
    }
  }
}

function checkStoredEntry(
  harness: Harness,
  { faults }: Plugin,
  { sent, mine, stored }: { sent: PendingEntry; mine: StoredEntry; stored: readonly StoredEntry[] },
): void {
  const cart = sent.cart.slice(0, 16)
  const items = mine.items?.map(({ quantity, productId }) => `${quantity}×${productId}`).join()
  if (items !== undefined && items !== sent.items)
    faults.push(`the cart ${cart} is stored as "${items}", but is "${sent.items}"`)
  if (sent.isOwed && !mine.email)
    harness.modes?.faults.push(`the cart ${cart} is stored without the address of its customer`)
  // After a backward clock jump, an earlier state may have a later date.
  if (harness.hasJumped) return
  const early = harness.clock.trueNow() - sent.at - (harness.web.deps.now().getTime() - mine.at.getTime())
  if (early > 1_500) faults.push(`the cart ${cart} is dated ${Math.round(early / 1_000)} s too late`)
  if (stored.some(({ seq, at }) => seq < mine.seq && at > mine.at))
    faults.push(`an older state of ${cart} has the latest date`)
}

/** Reads stored entries of this queue. */
async function readStoredEntries(
  { environment, fixture }: Harness,
  { install }: Plugin,
  cart: string,
): Promise<StoredEntry[]> {
  const begin = `plugin:${cart}:${install}:`
  const { rows } = await environment.pool.query<StoredEntry>(
    `select substr(unique_key, length($2) + 1)::int as seq, payload -> 'items' as items, payload #>> '{contact,email}' as email, at from facts
     where store_id = $1 and starts_with(unique_key, $2)`,
    [fixture.storeId, begin],
  )
  return rows
}
