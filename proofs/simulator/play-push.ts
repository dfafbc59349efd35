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
import { DEFAULT_PUSH } from '../../shared/delivery/push.ts'
import type { pushSubscribe } from '../../shared/delivery/push-calls.ts'
import { type ActOf, type Harness, openAccountHandle, openStoreHandle } from './harness.ts'
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

const buildKey = (id: string) => `push:push:${id}`
const getPushService = ({ push }: Harness): PushService => push!

export const pushPlayers: Players = {
  async 'push settings'(harness, { isOn, frequency, delay, most, isTextChanged }) {
    const content = { title: DEFAULT_PUSH.title, body: isTextChanged ? LONG : DEFAULT_PUSH.body }
    const settings = { enabled: isOn, frequency, delay, maxNotifications: most, ...content }
    harness.editedAt = harness.clock.trueNow()
    // Sends that become due at once with the change are correct.
    if (isOn) harness.setBlocks({ pushOffSince: null })
    try {
      await savePushSettings(harness.web.deps, openStoreHandle(harness), settings)
      harness.isPushOn = isOn
    } finally {
      harness.setBlocks({ pushOffSince: harness.isPushOn ? null : harness.clock.trueNow() })
    }
  },
  async 'push allow'(harness, { browser, network }) {
    const world = getPushService(harness)
    const setup = await fetchSetup(harness)
    if (network === 'forged') return subscribeForged(harness, browser, setup)
    const known = world.subscriptions.get(browser)
    const isSame = known?.endpoint.status === 201 && known.endpoint.publicKey === setup.publicKey
    const endpoint = isSame ? known.endpoint : createEndpoint(world, browser, setup.publicKey)
    if (network === 'lost') return
    await subscribe(harness, setup, endpoint)
    if (network === 'twice') await subscribe(harness, setup, endpoint)
  },
  async 'push visit'(harness, { browser }) {
    const world = getPushService(harness)
    const subscription = world.subscriptions.get(browser)
    if (!subscription) return
    const setup = await fetchSetup(harness)
    const { endpoint } = subscription
    if (endpoint.isRevoked) return reportEnd(harness, browser, subscription)
    const isSame = endpoint.status === 201 && endpoint.publicKey === setup.publicKey
    if (isSame && endpoint.id !== null && subscription.cart === buildTokens(harness, browser).cart) return
    if (!isSame && endpoint.status === 201) endpoint.status = 410
    const next = isSame ? endpoint : createEndpoint(world, browser, setup.publicKey)
    // The widget looks at the present cart; if it was never reported, the server does not know it.
    const isKnown = await reportMoved(harness, next, subscription, buildTokens(harness, browser))
    if (!isKnown) await reportMoved(harness, next, subscription)
  },
  async 'push change'(harness, { browser, network }) {
    const world = getPushService(harness)
    const subscription = world.subscriptions.get(browser)
    if (subscription?.endpoint.status !== 201) return
    subscription.endpoint.status = 410
    const next = createEndpoint(world, browser, subscription.endpoint.publicKey)
    if (network === 'now') await reportMoved(harness, next, subscription)
    // The server has not heard of it, but the browser has it.
    else world.subscriptions.set(browser, { ...subscription, endpoint: next })
  },
  async 'push revoke'(harness, { browser, status, isReported }) {
    const subscription = getPushService(harness).subscriptions.get(browser)
    if (!subscription) return
    Object.assign(subscription.endpoint, { status, isRevoked: true })
    if (isReported) await reportEnd(harness, browser, subscription)
  },
  async 'push event'(harness, { note: place, kind }) {
    const note = getPushService(harness)
      .notes.filter(({ isDisplayed }) => isDisplayed)
      .at(-1 - place)
    if (!note?.token) return
    const isUnanswered = (await readMessageState(harness, note.messageId)) === 'sending'
    const theirs = kind === 'stop' ? await listSubscriptionIds(harness, note.messageId) : []
    await recordEvent(harness.web.deps, { token: note.token, kind })
    // Before the service's reply is stored, the event is a touch and not a delivery report.
    if (!isUnanswered)
      harness.reported.set(note.messageId, new Set(harness.reported.get(note.messageId)).add('delivered'))
    if (kind !== 'stop') return
    const { endpoint } = note
    for (const id of [...theirs, ...(endpoint?.id ? [endpoint.id] : [])]) recordStopped(harness, id)
    if (!endpoint) return
    const subscription = getPushService(harness).subscriptions.get(endpoint.browser)
    if (subscription) subscription.endpoint.status = 410
    getPushService(harness).subscriptions.delete(endpoint.browser)
  },
  async 'push keys'(harness, { isLeaked }) {
    const { endpoints } = getPushService(harness)
    await ensureKey(harness.web.deps, openStoreHandle(harness), isLeaked ? 'leaked' : 'moving')
    const leakedAt = harness.clock.trueNow()
    if (isLeaked) for (const endpoint of endpoints.values()) endpoint.leakedAt ??= leakedAt
  },
  async 'push all'(harness, { isTwice, text }) {
    const { web, fixture, manual } = harness
    const sender = {
      deps: web.deps,
      session: fixture.session,
      account: openAccountHandle(harness),
      store: openStoreHandle(harness),
    }
    const body = { storeUrl: fixture.homeUrl, title: 'Hello', body: `News ${text}` }
    const ask = async () => {
      const { results } = await sendToAll(sender, null, body)
      const now = harness.clock.now().getTime()
      const before = manual.broadcasts.get(text)
      // A repeated request within a minute has the recipients of the first.
      if (before === undefined || Math.abs(now - before) >= PRESS_MS) {
        manual.allowed += results.length
        manual.broadcasts.set(text, now)
      }
    }
    await ask()
    if (isTwice) await ask()
  },
}

/** Records cart contents that a browser has reported. */
export function recordContents({ reportedContents }: Harness, { browser, items }: ActOf<'post'>): void {
  const lines = items?.map(([id, quantity]) => `${quantity}×${id}`)
  // In the form of `Evidence.contents`.
  if (lines) reportedContents[browser]!.add(lines.sort().join())
}

const PRESS_MS = 60_000

const buildVisitor = ({ fixture, clock, arrivals }: Harness) => ({
  origin: fixture.homeUrl,
  ip: `198.51.${(arrivals >> 8) % 256}.${arrivals % 256}`,
  userAgent: `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/${clock.trueNow()} Firefox/140.0`,
})

/** Settings that the widget gets when a page opens. */
async function fetchSetup(harness: Harness) {
  harness.arrivals += 1
  const body = { storeUrl: harness.fixture.homeUrl, method: 'functions' as const, hasWorker: true }
  return autoSetup(harness.web.deps, body, buildVisitor(harness))
}

type Setup = Awaited<ReturnType<typeof fetchSetup>>

function buildBody(
  harness: Harness,
  { storeKey, publicKey, prompt }: Setup,
  endpoint: { url: string; browser: number },
) {
  const { browser } = endpoint
  const body: z.output<typeof pushSubscribe.body> = {
    storeKey,
    publicKey,
    wording: prompt.wording,
    method: 'functions',
    ...buildTokens(harness, browser),
    subscription: buildSubscription(endpoint),
  }
  return body
}

/** Tokens of the capture script. */
const buildTokens = ({ browsers }: Harness, browser: number) => ({
  cart: `cart-of-browser-${browser}-visit-${browsers[browser]!.visit}`,
  device: `device-of-browser-${browser}`,
})

async function subscribe(harness: Harness, setup: Setup, endpoint: Endpoint): Promise<void> {
  const body = buildBody(harness, setup, endpoint)
  const { token, isCartKnown } = await storeSubscription(harness.web.deps, body, buildVisitor(harness))
  getPushService(harness).subscriptions.set(endpoint.browser, { endpoint, token, cart: isCartKnown ? body.cart : null })
  recordKnown(harness, endpoint, token)
}

/** Subscribes with URLs outside the push services; the server must never send to them. */
async function subscribeForged(harness: Harness, browser: number, setup: Setup): Promise<void> {
  const { forged, notes } = getPushService(harness)
  for (const url of HOSTILE) {
    const body = buildBody(harness, setup, { url, browser })
    const accepted = await storeSubscription(harness.web.deps, body, buildVisitor(harness)).catch((error) => {
      if (!(error instanceof AppError)) throw error
      return null
    })
    if (accepted) forged.push(url)
  }
  if (notes.some(({ url }) => HOSTILE.includes(url))) forged.push('a notification was sent there')
}

const HOSTILE = [
  'https://10.0.0.7/wpush/v2/x',
  'https://updates.push.services.mozilla.com.evil.example/x',
  'http://updates.push.services.mozilla.com/x',
]

/** Reports a replaced subscription or another cart. Returns false if the server does not know the cart. */
async function reportMoved(
  harness: Harness,
  endpoint: Endpoint,
  { token, cart: before }: BrowserSubscription,
  tokens?: ReturnType<typeof buildTokens>,
): Promise<boolean> {
  const { subscriptions } = getPushService(harness)
  const { browser } = endpoint
  const { storeKey } = await fetchSetup(harness)
  const body = { storeKey, token, subscription: buildSubscription(endpoint), publicKey: endpoint.publicKey, ...tokens }
  try {
    await moveSubscription(harness.web.deps, body, buildVisitor(harness))
    subscriptions.set(browser, { endpoint, token, cart: tokens?.cart ?? before })
    recordKnown(harness, endpoint, token)
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'not_found') {
      endpoint.status = 410
      subscriptions.delete(browser)
      return true
    }
    subscriptions.set(browser, { endpoint, token, cart: before })
    return false
  }
}

async function reportEnd(harness: Harness, browser: number, { endpoint, token }: BrowserSubscription): Promise<void> {
  const { storeKey } = await fetchSetup(harness)
  await endSubscription(harness.web.deps, { storeKey, token }, buildVisitor(harness))
  getPushService(harness).subscriptions.delete(browser)
  const id = endpoint.id ?? token.split('.')[0]!
  if (!harness.withdrawn.has(buildKey(id))) harness.withdrawn.set(buildKey(id), harness.clock.trueNow())
}

/** Records the id that the server's token contains. */
function recordKnown(harness: Harness, endpoint: Endpoint, token: string): void {
  const id = token.split('.')[0]!
  endpoint.id = id
  harness.consented.add(buildKey(id))
}

function recordStopped({ unsubscribed, clock }: Harness, id: string): void {
  if (!unsubscribed.has(buildKey(id))) unsubscribed.set(buildKey(id), clock.trueNow())
}

async function readMessageState({ environment }: Harness, messageId: string): Promise<string | undefined> {
  const { rows } = await environment.pool.query<{ state: string }>('select state from messages where id = $1', [
    messageId,
  ])
  return rows[0]?.state
}

/** Ids of the subscriptions of a message's shopper. */
async function listSubscriptionIds({ environment }: Harness, messageId: string): Promise<string[]> {
  const { rows } = await environment.pool.query<{ id: string }>(
    `select p.id from messages m join push_subscriptions p on p.store_id = m.store_id and p.shopper_id = m.shopper_id
     where m.id = $1`,
    [messageId],
  )
  return rows.map(({ id }) => id)
}
