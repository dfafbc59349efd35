import type { z } from 'zod'
import { AppError } from '../../server/core/common/errors.ts'
import { ensureKey } from '../../server/delivery/push/keys.ts'
import { savePushSettings } from '../../server/marketing/flows/push-flow.ts'
import { recordEvent } from '../../server/workspace/push-setup/events.ts'
import { sendToAll } from '../../server/workspace/push-setup/sends.ts'
import {
  autoSetup,
  endSubscription,
  moveSubscription,
  storeSubscription,
} from '../../server/workspace/push-setup/widget.ts'
import { DEFAULT_PUSH } from '../../shared/push.ts'
import type { pushSubscribe } from '../../shared/push-calls.ts'
import { type ActOf, type Harness, storeHandle } from './harness.ts'
import type { PushAct } from './push.ts'
import {
  type BrowserSubscription,
  buildSubscription,
  createEndpoint,
  type Endpoint,
  type PushService,
} from './push-service.ts'

// Browsers with the widget and the worker (storefront/push-subscription.ts), and web push actions of the owner.

type Players = { [Kind in PushAct['do']]: (harness: Harness, act: ActOf<Kind>) => Promise<unknown> }

/** More than a small service accepts: most of its characters take three bytes. */
const LONG = `{{ cart_total }} ${'お茶はまだあります。'.repeat(45)}`

const keyOf = (id: string) => `push:push:${id}`
const worldOf = ({ push }: Harness): PushService => push!

export const pushPlayers: Players = {
  async 'push settings'(harness, { isOn, frequency, delay, most, isTextChanged }) {
    const words = { title: DEFAULT_PUSH.title, body: isTextChanged ? LONG : DEFAULT_PUSH.body }
    const wanted = { enabled: isOn, frequency, delay, maxNotifications: most, ...words }
    harness.editedAt = harness.clock.trueNow()
    // Sends that become due at once with the change are correct.
    if (isOn) harness.say({ pushOffSince: null })
    try {
      await savePushSettings(harness.web.deps, storeHandle(harness), wanted)
      harness.isPushOn = isOn
    } finally {
      harness.say({ pushOffSince: harness.isPushOn ? null : harness.clock.trueNow() })
    }
  },
  async 'push allow'(harness, { browser, network }) {
    const world = worldOf(harness)
    const setup = await setupOf(harness)
    if (network === 'forged') return forge(harness, browser, setup)
    const known = world.kept.get(browser)
    const isSame = known?.endpoint.status === 201 && known.endpoint.publicKey === setup.publicKey
    const endpoint = isSame ? known.endpoint : createEndpoint(world, browser, setup.publicKey)
    if (network === 'lost') return
    await subscribe(harness, setup, endpoint)
    if (network === 'twice') await subscribe(harness, setup, endpoint)
  },
  async 'push visit'(harness, { browser }) {
    const world = worldOf(harness)
    const kept = world.kept.get(browser)
    if (!kept) return
    const setup = await setupOf(harness)
    const { endpoint } = kept
    if (endpoint.isRevoked) return tellEnd(harness, browser, kept)
    const isSame = endpoint.status === 201 && endpoint.publicKey === setup.publicKey
    if (isSame && endpoint.id !== null && kept.cart === tokensOf(harness, browser).cart) return
    if (!isSame && endpoint.status === 201) endpoint.status = 410
    const next = isSame ? endpoint : createEndpoint(world, browser, setup.publicKey)
    // The widget looks at the present cart; if it was never reported, the server does not know it.
    const told = await tellMoved(harness, next, kept, tokensOf(harness, browser))
    if (!told) await tellMoved(harness, next, kept)
  },
  async 'push change'(harness, { browser, network }) {
    const world = worldOf(harness)
    const kept = world.kept.get(browser)
    if (kept?.endpoint.status !== 201) return
    kept.endpoint.status = 410
    const next = createEndpoint(world, browser, kept.endpoint.publicKey)
    if (network === 'now') await tellMoved(harness, next, kept)
    // The server has not heard of it, but the browser has it.
    else world.kept.set(browser, { ...kept, endpoint: next })
  },
  async 'push revoke'(harness, { browser, status, isTold }) {
    const kept = worldOf(harness).kept.get(browser)
    if (!kept) return
    Object.assign(kept.endpoint, { status, isRevoked: true })
    if (isTold) await tellEnd(harness, browser, kept)
  },
  async 'push event'(harness, { note: place, kind }) {
    const note = worldOf(harness)
      .notes.filter(({ isShown }) => isShown)
      .at(-1 - place)
    if (!note?.token) return
    const isUnanswered = (await stateOf(harness, note.messageId)) === 'sending'
    const theirs = kind === 'stop' ? await idsOf(harness, note.messageId) : []
    await recordEvent(harness.web.deps, { token: note.token, kind })
    // Before the service's reply is stored, the event is a touch and not a delivery report.
    if (!isUnanswered)
      harness.reported.set(note.messageId, new Set(harness.reported.get(note.messageId)).add('delivered'))
    if (kind !== 'stop') return
    const { endpoint } = note
    for (const id of [...theirs, ...(endpoint?.id ? [endpoint.id] : [])]) noteStopped(harness, id)
    if (!endpoint) return
    const kept = worldOf(harness).kept.get(endpoint.browser)
    if (kept) kept.endpoint.status = 410
    worldOf(harness).kept.delete(endpoint.browser)
  },
  async 'push keys'(harness, { isLeaked }) {
    const { endpoints } = worldOf(harness)
    await ensureKey(harness.web.deps, storeHandle(harness), isLeaked ? 'leaked' : 'moving')
    const leakedAt = harness.clock.trueNow()
    if (isLeaked) for (const endpoint of endpoints.values()) endpoint.leakedAt ??= leakedAt
  },
  async 'push all'(harness, { isTwice, text }) {
    const { web, fixture, manual } = harness
    const sender = { deps: web.deps, session: fixture.session, store: storeHandle(harness) }
    const wanted = { storeUrl: fixture.homeUrl, title: 'Hello', body: `News ${text}` }
    const ask = async () => {
      const { results } = await sendToAll(sender, null, wanted)
      const now = harness.clock.now().getTime()
      const before = manual.toAll.get(text)
      // A repeated request within a minute has the recipients of the first.
      if (before === undefined || Math.abs(now - before) >= PRESS_MS) {
        manual.allowed += results.length
        manual.toAll.set(text, now)
      }
    }
    await ask()
    if (isTwice) await ask()
  },
}

/** Records cart contents that a browser has reported. */
export function recordContents({ told }: Harness, { browser, items }: ActOf<'post'>): void {
  const lines = items?.map(([id, quantity]) => `${quantity}×${id}`)
  // In the form of `Evidence.contents`.
  if (lines) told[browser]!.add(lines.sort().join())
}

const PRESS_MS = 60_000

const visitorOf = ({ fixture, clock, arrivals }: Harness) => ({
  origin: fixture.homeUrl,
  ip: `198.51.${(arrivals >> 8) % 256}.${arrivals % 256}`,
  userAgent: `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/${clock.trueNow()} Firefox/140.0`,
})

/** Settings that the widget gets when a page opens. */
async function setupOf(harness: Harness) {
  harness.arrivals += 1
  const body = { storeUrl: harness.fixture.homeUrl, method: 'functions' as const, hasWorker: true }
  return autoSetup(harness.web.deps, body, visitorOf(harness))
}

type Setup = Awaited<ReturnType<typeof setupOf>>

function bodyOf(harness: Harness, { storeKey, publicKey, prompt }: Setup, endpoint: { url: string; browser: number }) {
  const { browser } = endpoint
  const body: z.output<typeof pushSubscribe.body> = {
    ...{ storeKey, publicKey, wording: prompt.wording, method: 'functions', ...tokensOf(harness, browser) },
    subscription: buildSubscription(endpoint),
  }
  return body
}

/** Tokens of the capture script. */
const tokensOf = ({ browsers }: Harness, browser: number) => ({
  cart: `cart-of-browser-${browser}-visit-${browsers[browser]!.visit}`,
  device: `device-of-browser-${browser}`,
})

async function subscribe(harness: Harness, setup: Setup, endpoint: Endpoint): Promise<void> {
  const body = bodyOf(harness, setup, endpoint)
  const { token, isCartKnown } = await storeSubscription(harness.web.deps, body, visitorOf(harness))
  worldOf(harness).kept.set(endpoint.browser, { endpoint, token, cart: isCartKnown ? body.cart : null })
  noteKnown(harness, endpoint, token)
}

/** Subscribes with URLs that are no push service; the server must never send to them. */
async function forge(harness: Harness, browser: number, setup: Setup): Promise<void> {
  const { forged, notes } = worldOf(harness)
  for (const url of HOSTILE) {
    const body = bodyOf(harness, setup, { url, browser })
    const taken = await storeSubscription(harness.web.deps, body, visitorOf(harness)).catch((error) => {
      if (!(error instanceof AppError)) throw error
      return null
    })
    if (taken) forged.push(url)
  }
  if (notes.some(({ url }) => HOSTILE.includes(url))) forged.push('a notification was sent there')
}

const HOSTILE = [
  'https://10.0.0.7/wpush/v2/x',
  'https://updates.push.services.mozilla.com.evil.example/x',
  'http://updates.push.services.mozilla.com/x',
]

/** Reports a replaced subscription or another cart. Returns false if the server does not know the cart. */
async function tellMoved(
  harness: Harness,
  endpoint: Endpoint,
  { token, cart: before }: BrowserSubscription,
  tokens?: ReturnType<typeof tokensOf>,
): Promise<boolean> {
  const { kept } = worldOf(harness)
  const { browser } = endpoint
  const { storeKey } = await setupOf(harness)
  const body = { storeKey, token, subscription: buildSubscription(endpoint), publicKey: endpoint.publicKey, ...tokens }
  try {
    await moveSubscription(harness.web.deps, body, visitorOf(harness))
    kept.set(browser, { endpoint, token, cart: tokens?.cart ?? before })
    noteKnown(harness, endpoint, token)
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'not_found') {
      endpoint.status = 410
      kept.delete(browser)
      return true
    }
    kept.set(browser, { endpoint, token, cart: before })
    return false
  }
}

async function tellEnd(harness: Harness, browser: number, { endpoint, token }: BrowserSubscription): Promise<void> {
  const { storeKey } = await setupOf(harness)
  await endSubscription(harness.web.deps, { storeKey, token }, visitorOf(harness))
  worldOf(harness).kept.delete(browser)
  const id = endpoint.id ?? token.split('.')[0]!
  if (!harness.withdrawn.has(keyOf(id))) harness.withdrawn.set(keyOf(id), harness.clock.trueNow())
}

/** Records the id that the server's token contains. */
function noteKnown(harness: Harness, endpoint: Endpoint, token: string): void {
  const id = token.split('.')[0]!
  endpoint.id = id
  harness.yeses.add(keyOf(id))
}

function noteStopped({ unsubscribed, clock }: Harness, id: string): void {
  if (!unsubscribed.has(keyOf(id))) unsubscribed.set(keyOf(id), clock.trueNow())
}

async function stateOf({ outside }: Harness, messageId: string): Promise<string | undefined> {
  const { rows } = await outside.pool.query<{ state: string }>('select state from messages where id = $1', [messageId])
  return rows[0]?.state
}

/** Ids of the subscriptions of a message's shopper. */
async function idsOf({ outside }: Harness, messageId: string): Promise<string[]> {
  const { rows } = await outside.pool.query<{ id: string }>(
    `select p.id from messages m join push_subscriptions p on p.store_id = m.store_id and p.shopper_id = m.shopper_id
     where m.id = $1`,
    [messageId],
  )
  return rows.map(({ id }) => id)
}
