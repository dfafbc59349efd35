import { isTheme, readCart, readThemeCart, type ShopCart, watchCart } from './cart.ts'
import { readToolConsent, watchConsentTools } from './consent-tools.ts'
import {
  type Consent,
  readConsentBoxes,
  readContact,
  readVisibleBoxes,
  recordField,
  type TypedContact,
} from './fields.ts'
import { attempt, checksum, createToken, type Memory, OF_CART, openMemory, readDevice } from './memory.ts'

// The script on a shop's pages: <script src="https://…/capture/KEY.js" data-store="KEY" defer></script> It reports the
// cart's products and what the shopper types into the checkout's contact fields, nothing else. Its errors must never be
// visible on the shop's page.

/** What may be stored before the shopper consents (C9). */
type Mode = 'nothing' | 'cart_only' | 'cart_and_contact'

interface RecoupWindow extends Window {
  /**
   * `false`: nothing is posted; `true`: the shopper consented. Set by the shop's consent banner, before or after this
   * script loads.
   */
  recoupConsent?: boolean
  recoup?: { (command: string, value?: unknown): void; q?: ArrayLike<unknown>[] }
  /** Prepended by our server: optimisers that merge scripts lose its address. */
  recoupSetup?: { key: string; origin: string; mode?: Mode }
}

const view = window as unknown as RecoupWindow

/** Runs `work` and swallows its errors. */
function runSilently(work: () => unknown): void {
  const result = attempt(work)
  if (result instanceof Promise) result.catch(() => {})
}

function debounce(work: () => unknown, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(() => runSilently(work), ms)
  }
}

interface CartReporter {
  memory: Memory
  /** The cart's content as last read on this page. */
  cart?: ShopCart
  mayPost(): boolean
  /** Whether all input may be posted; otherwise only what a ticked box covers. */
  mayNameAll(): boolean
  /** Whether a ticked box counts: not after a refusal. */
  mayTick(): boolean
  /** Stores the value for the next pages, as soon as storage is allowed. */
  keepRestoreToken(): void
  /** Posts the value if it differs from the last one posted under this name. */
  send(name: string, payload: object): void
  decide(isGiven: boolean): void
  /** Reads the shop's consent tool; returns whether anything may be posted. */
  follow(): boolean
}

function openCartReporter(key: string, origin: string, mode: Mode, back?: string): CartReporter {
  let isGiven: boolean | undefined
  const answer = () => {
    const answers = [isGiven ?? view.recoupConsent, readToolConsent()]
    return answers.includes(false) ? false : answers.includes(true) || undefined
  }
  const memory = openMemory(key, () => isLasting())
  /** A ticked box is consent too, for its channel. */
  const isAgreed = () => answer() ?? Boolean(memory.get('yes'))
  const isLasting = () => mode === 'cart_and_contact' || isAgreed()
  const page = createToken(9)
  let seq = 0
  /** This page's cart from before a refusal, so that a box can still be unticked for it. */
  let previousCart: string | undefined
  const post = (payload: object) => {
    const tokens = {
      cart: memory.token('cart'),
      back: memory.get('back'),
      device: isLasting() ? readDevice(memory) : undefined,
      agreed: answer() || undefined,
      lang: document.documentElement.lang,
      // The server checks whether this text is valid.
      ticked: 'contact' in payload ? undefined : memory.get('yes'),
    }
    send({ ...tokens, ...payload })
  }
  const send = (post: object) => {
    const body = JSON.stringify({ page, seq: seq++, ...post })
    const url = `${origin}/api/capture/${key}`
    // text/plain keeps it a simple request: no preflight, and `keepalive` lets it outlive the page.
    if (navigator.sendBeacon?.(url, body)) return
    fetch(url, { method: 'POST', body, keepalive: true, mode: 'no-cors', credentials: 'omit' }).catch(() => {})
  }
  const mayPost = () => answer() ?? (isAgreed() || mode !== 'nothing')
  const keepRestoreToken = () => {
    if (!back || !mayPost()) return
    storeRestoreToken(memory, back)
    back = undefined
  }
  return {
    memory,
    mayPost,
    mayNameAll: () => answer() ?? mode === 'cart_and_contact',
    mayTick: () => answer() !== false,
    keepRestoreToken,
    send(name, payload) {
      if (!mayPost()) {
        if (name === 'no' && previousCart) send({ cart: previousCart, ...payload })
        return
      }
      // Stores only a checksum, so no address lies in the shop's storage.
      keepRestoreToken()
      const sum = checksum(JSON.stringify(payload))
      if (memory.get(name) === sum) return
      post(payload)
      memory.set(name, sum)
    },
    decide(hasConsent) {
      isGiven = hasConsent
    },
    follow() {
      if (!mayPost()) {
        previousCart = memory.get('cart') || previousCart
        memory.clear()
        return false
      }
      memory.keep()
      if (!isLasting()) memory.forget('device')
      keepRestoreToken()
      return true
    },
  }
}

/** What was posted for another cart does not apply to the restored one. */
function storeRestoreToken(memory: Memory, back: string): void {
  for (const name of ['items', 'contact']) memory.forget(name)
  memory.set('back', back)
}

/** Reads the restore page's token. Removes it from the address, where it could be shared. */
function takeRestoreToken(): string | undefined {
  const here = new URL(location.href)
  const back = here.searchParams.get('recoup_cart')
  if (!back) return undefined
  here.searchParams.delete('recoup_cart')
  history.replaceState(history.state, '', here)
  return /^[\w-]{43}$/.test(back) ? back : undefined
}

async function reportCart(reporter: CartReporter): Promise<void> {
  const { memory, mayPost, send } = reporter
  const order = /\/order-received\/(\d+)/.exec(location.href)?.[1]
  const isOrdered = order !== undefined && memory.get('order') !== order
  const hadItems = memory.get('has') === '1'
  if (
    mayPost() &&
    (isTheme || hadItems || isOrdered || /woocommerce_(items_in_cart|cart_hash)=/.test(document.cookie))
  ) {
    const cart = await (isTheme ? readThemeCart((token) => memory.set('cart', token)) : readCart())
    const hasItems = cart !== undefined && cart.items.length > 0
    if (cart && (isOrdered ? hadItems && !hasItems : hadItems || hasItems)) {
      reporter.cart = cart
      send('items', cart)
      memory.set('has', hasItems ? '1' : '')
    }
  }
  if (!isOrdered) return
  // After an order a new cart begins.
  OF_CART.forEach(memory.forget)
  if (mayPost()) memory.set('order', order)
}

type Defer = (work: () => void) => void

function reportContact(reporter: CartReporter, postpone: Defer, reportCartAgain: () => void): void {
  const { memory, cart, send, mayNameAll, mayPost, mayTick } = reporter
  const consent = readConsentBoxes()
  const typed = readContact()
  const boxes = readVisibleBoxes()
  const contact = mayNameAll() ? typed : pickContact(consent)
  if (contact.email || contact.phone) {
    if (!mayNameAll() && mayTick()) {
      const isFirst = !memory.get('yes')
      // Texts are identified by their names at the boxes.
      memory.set('yes', String(listAnswers(consent).map((answer) => answer.isGiven && answer.id)))
      memory.keep()
      // Possibly the first post of this cart.
      if (isFirst) reportCartAgain()
    }
    // The owner may become known only now, so the items are posted again.
    send('contact', { ...(memory.get('back') ? cart : {}), contact, consent, boxes })
    // A refusal applies to contacts the cart already has, so it is posted again once one is known.
    if (hasRefusal(consent)) postpone(() => reportRefusal(reporter))
  } else if (!mayPost()) {
    if (hasRefusal(consent)) reportRefusal(reporter)
  } else if (memory.get('yes') && hasRefusal(consent)) {
    send('contact', { consent })
    postpone(() => {
      reportRefusal(reporter)
      if (Object.keys(pickContact(readConsentBoxes())).length > 0) return
      memory.forget('yes')
      if (!mayPost()) memory.clear()
    })
  } else if (boxes && (typed.email || typed.phone)) {
    // Unticked boxes count too: post which boxes were shown, without typed input.
    send('boxes', { boxes })
  }
}

/** What the ticked boxes cover. */
function pickContact(consent: Consent | undefined): TypedContact {
  const { email, phone, ...person } = readContact()
  const { email: byMail, sms, whatsapp } = consent || {}
  const consented = {
    ...(byMail?.isGiven && email && { email }),
    ...((sms?.isGiven || whatsapp?.isGiven) && phone && { phone }),
  }
  return consented.email || consented.phone ? { ...person, ...consented } : {}
}

const listAnswers = (consent: Consent | undefined) => Object.values(consent || {})
const hasRefusal = (consent: Consent | undefined) => listAnswers(consent).some((answer) => !answer.isGiven)

/** Reads the boxes late: they may have been ticked again. */
function reportRefusal({ mayNameAll, send }: CartReporter): void {
  const consent = readConsentBoxes()
  if (hasRefusal(consent)) send('no', { ...(mayNameAll() && { contact: readContact() }), consent })
}

/** Long enough for the previous post to arrive. */
const AGAIN_MS = 1_000

function start(): void {
  const script = document.currentScript as HTMLScriptElement | null
  const source = script?.src || ''
  const key = script?.dataset.store || /\/capture\/([\w-]+)\.js/.exec(source)?.[1] || view.recoupSetup?.key
  const origin = source.includes('/capture/') ? new URL(source).origin : view.recoupSetup?.origin
  if (!key || !origin) return
  const mode = script?.dataset.consent === 'required' ? 'nothing' : view.recoupSetup?.mode || 'cart_and_contact'
  const reporter = openCartReporter(key, origin, mode, takeRestoreToken())
  const cartSoon = debounce(() => reportCart(reporter), 300)
  const again = (work: () => void) => void setTimeout(() => runSilently(work), AGAIN_MS)
  const contactSoon = debounce(() => reportContact(reporter, again, cartSoon), 200)
  // On Shopify the cart has the shop's own id, under which input is posted.
  const allSoon = debounce(async () => {
    await reportCart(reporter)
    reportContact(reporter, again, cartSoon)
  }, 200)
  const follow = () => {
    if (reporter.follow()) allSoon()
  }
  const waiting = view.recoup?.q
  view.recoup = (name, value) => {
    if (name !== 'consent') return
    reporter.decide(value === true)
    follow()
  }
  for (const args of Array.from(waiting || [])) view.recoup(args[0] as string, args[1])
  watchConsentTools(() => runSilently(follow))
  reporter.follow()
  const typed = (event: Event) => runSilently(() => recordField(event) && contactSoon())
  for (const type of ['change', 'focusout']) document.addEventListener(type, typed, true)
  addEventListener('pagehide', () => runSilently(() => reportContact(reporter, (work) => work(), cartSoon)))
  addEventListener('pageshow', (event) => event.persisted && cartSoon())
  watchCart(cartSoon)
}

runSilently(start)
