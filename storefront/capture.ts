import { isTheme, readCart, readThemeCart, type ShopCart, watchCart } from './cart.ts'
import { readToolConsent, watchConsentTools } from './consent-tools.ts'
import {
  type Consent,
  readConsentBoxes,
  readContact,
  readShownBoxes,
  recordField,
  type TypedContact,
} from './fields.ts'
import { checksum, createToken, type Memory, OF_CART, openMemory, readDevice } from './memory.ts'

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
  try {
    const result = work()
    if (result instanceof Promise) result.catch(() => {})
  } catch {
    // Errors must stay invisible to shoppers.
  }
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
  seen?: ShopCart
  mayPost(): boolean
  /** Whether all input may be posted; otherwise only what a ticked box covers. */
  mayNameAll(): boolean
  /** Whether a ticked box counts: not after a refusal. */
  mayTick(): boolean
  /** Stores the value for the next pages, as soon as storage is allowed. */
  keepRestoreToken(): void
  /** Posts the value if it differs from the last one posted under this name. */
  tell(name: string, payload: object): void
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
    tell(name, payload) {
      if (!mayPost()) {
        if (name === 'no' && previousCart) send({ cart: previousCart, ...payload })
        return
      }
      // Stores only a checksum, so no address lies in the shop's storage.
      keepRestoreToken()
      const sum = computeChecksum(JSON.stringify(payload))
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
  const { memory, mayPost, tell } = reporter
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
      reporter.seen = cart
      tell('items', cart)
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
  const { memory, seen, tell, mayNameAll, mayPost, mayTick } = reporter
  const consent = readConsentBoxes()
  const typed = readContact()
  const boxes = readShownBoxes()
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
    tell('contact', { ...(memory.get('back') ? seen : {}), contact, consent, boxes })
    // A refusal applies to contacts the cart already has, so it is posted again once one is known.
    if (hasRefusal(consent)) postpone(() => reportRefusal(reporter))
  } else if (!mayPost()) {
    if (hasRefusal(consent)) reportRefusal(reporter)
  } else if (memory.get('yes') && hasRefusal(consent)) {
    tell('contact', { consent })
    postpone(() => {
      reportRefusal(reporter)
      if (Object.keys(pickContact(readConsentBoxes())).length > 0) return
      memory.forget('yes')
      if (!mayPost()) memory.clear()
    })
  } else if (boxes && (typed.email || typed.phone)) {
    // Unticked boxes count too: post which boxes were shown, without typed input.
    tell('boxes', { boxes })
  }
}

/** What the ticked boxes cover. */
function pickContact(consent: Consent | undefined): TypedContact {
  const { email, phone, ...person } = readContact()
  const { email: byMail, sms, whatsapp } = consent || {}
  const asked = {
    ...(byMail?.isGiven && email && { email }),
    ...((sms?.isGiven || whatsapp?.isGiven) && phone && { phone }),
  }
  return asked.email || asked.phone ? { ...person, ...asked } : {}
}

const listAnswers = (consent: Consent | undefined) => Object.values(consent || {})
const hasRefusal = (consent: Consent | undefined) => listAnswers(consent).some((answer) => !answer.isGiven)

/** Reads the boxes late: they may have been ticked again. */
function reportRefusal({ mayNameAll, tell }: CartReporter): void {
  const consent = readConsentBoxes()
  if (hasRefusal(consent)) tell('no', { ...(mayNameAll() && { contact: readContact() }), consent })
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
  const scheduleAgain = (work: () => void) => void setTimeout(() => runSilently(work), AGAIN_MS)
  const contactSoon = debounce(() => reportContact(reporter, scheduleAgain, cartSoon), 200)
  // On Shopify the cart has the shop's own id, under which input is posted.
  const allSoon = debounce(async () => {
    await reportCart(reporter)
    reportContact(reporter, scheduleAgain, cartSoon)
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
  const handleTyping = (event: Event) => runSilently(() => recordField(event) && contactSoon())
  for (const type of ['change', 'focusout']) document.addEventListener(type, handleTyping, true)
  addEventListener('pagehide', () => runSilently(() => reportContact(reporter, (work) => work(), cartSoon)))
  addEventListener('pageshow', (event) => event.persisted && cartSoon())
  watchCart(cartSoon)
}

runSilently(start)

// The checkout's contact fields by WooCommerce's ids: blocks ("email", "shipping-phone"), classic ("billing_email"),
// and the email field of a Shopify theme's forms. Nothing else is ever read; payment and password fields have other
// ids.

interface TypedContact {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  country?: string
}

interface BoxAnswer {
  isGiven: boolean
  wording: string
  /** Which of the store's texts the box names. */
  id: string
}

type Consent = Partial<Record<BoxChannel, BoxAnswer>>

const ID = /^(?:billing|shipping)[-_](email|phone|first_name|last_name|country)$/
const CHECKOUT = 'form.checkout,form.woocommerce-checkout,.wc-block-checkout,.wp-block-woocommerce-checkout'
const BOX = '[data-recoup-consent],[id^=recoup_consent]'

type BoxChannel = 'email' | 'sms' | 'whatsapp'
/** By channel: the shopper changed the box; the shopper's tick was seen. A shop may replace the element at any time. */
const changed: Partial<Record<BoxChannel, boolean>> = {}
const ticked: Partial<Record<BoxChannel, boolean>> = {}
/** The shopper fills in the form; an express payment skips it. */
let isUsed: true | undefined

/** Contact type of an element; the id "email" is common, so it counts only within a checkout. */
function findFieldName(target: unknown): string | undefined {
  const field = target as HTMLInputElement
  if (!(target instanceof Element && target.matches('input,select'))) return undefined
  if (field.matches(BOX)) return 'consent'
  if (field.type === 'password' || field.type === 'hidden' || /^cc-/.test(field.autocomplete)) return undefined
  // Newsletter and contact forms of a Shopify theme.
  if (isTheme) return field.name === 'contact[email]' ? 'email' : undefined
  return ID.exec(field.id)?.[1] || (field.id === 'email' && field.closest(CHECKOUT) ? 'email' : undefined)
}

/** All input so far, complete addresses and numbers only. Of billing and shipping, the later field wins. */
function readContact(): TypedContact {
  const contact: TypedContact = {}
  document.querySelectorAll<HTMLInputElement>('input[id],select[id]').forEach((field) => {
    const name = findFieldName(field)
    const value = field.value.trim()
    if (!name || !value) return
    if (name === 'email' && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*\.[^\s@.]{2,}$/.test(value))
      contact.email = value.slice(0, 254)
    if (name === 'phone' && value.replace(/\D/g, '').length > 6) contact.phone = value.slice(0, 40)
    if (name === 'first_name') contact.firstName = value.slice(0, 80)
    if (name === 'last_name') contact.lastName = value.slice(0, 80)
    if (name === 'country' && value.length === 2) contact.country = value
  })
  return contact
}

/**
 * `data-recoup-channel="sms"`, or an id that ends in the channel (`recoup_consent_sms`); any other box is for email.
 */
function readBoxChannel(box: HTMLInputElement): BoxChannel {
  const name = box.dataset.recoupChannel || /_([a-z]+)$/.exec(box.id.slice(7))?.[1]
  return name === 'sms' || name === 'whatsapp' ? name : 'email'
}

const readTextId = (box: HTMLInputElement) => (box.dataset.recoupWording || '').slice(0, 40)

const forEachBox = (visit: (box: HTMLInputElement, channel: BoxChannel) => void) =>
  document.querySelectorAll<HTMLInputElement>(BOX).forEach((box) => void visit(box, readBoxChannel(box)))

/** Visible boxes of a checkout the shopper fills in, each with the text it names. */
function readShownBoxes(): Partial<Record<BoxChannel, string>> | undefined {
  if (!isUsed || !document.querySelector(CHECKOUT)) return undefined
  const boxes: Partial<Record<BoxChannel, string>> = {}
  forEachBox((box, channel) => {
    // A theme may draw its own box in the label and hide this one.
    if ((box.closest('label') || box).offsetParent) boxes[channel] = readTextId(box)
  })
  return boxes
}

/** Records a changed field; returns its contact type, undefined for other fields. */
function recordField({ type, target }: Event): string | undefined {
  const name = findFieldName(target)
  if (name && type === 'change') {
    isUsed = true
    if (name === 'consent') changed[readBoxChannel(target as HTMLInputElement)] = true
  }
  return name
}

/**
 * The shop's consent boxes with text and state. Only the shopper's own action counts: a pre-ticked box means nothing
 * until touched, and a refusal is unticking a ticked box, not leaving it empty.
 */
function readConsentBoxes(): Consent | undefined {
  let consent: Consent | undefined
  forEachBox((box, channel) => {
    const isGiven = box.checked && (changed[channel] || !box.defaultChecked)
    if (isGiven) ticked[channel] = true
    if (box.checked ? !isGiven : !ticked[channel] && !(changed[channel] && box.defaultChecked)) return
    const label = box.dataset.recoupConsent || box.labels?.[0]?.textContent || box.title
    const wording = label.replace(/\s+/g, ' ').trim().slice(0, 1000)
    consent = { ...consent, [channel]: { isGiven: Boolean(isGiven), wording, id: readTextId(box) } }
  })
  return consent
}

interface CartItem {
  /** Of the product, or of the variation if the shop returns only that. */
  id: string
  variation?: string
  quantity: number
  /** Options a variation leaves open, such as "any size": its id alone cannot put it into a cart again. */
  choices?: { name: string; value: string }[] | undefined
}

interface ShopCart {
  items: CartItem[]
  coupons: string[]
}

interface WooCart {
  id: number
  quantity: number
  variation?: { attribute?: unknown; value?: unknown }[]
}

/** undefined if the answer is not WooCommerce's. A variation's line has the variation's own id. */
async function readCart(): Promise<ShopCart | undefined> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="https://api.w.org/"]')?.href
  const root = link && new URL(link).origin === location.origin ? link : '/wp-json/'
  const answer = await fetch(`${root}wc/store/v1/cart`, { credentials: 'same-origin', cache: 'no-store' })
  if (!answer.ok) return undefined
  const cart = (await answer.json()) as {
    items?: WooCart[]
    coupons?: { code: string }[]
  }
  if (!Array.isArray(cart.items)) return undefined
  return {
    items: cart.items.slice(0, 200).map((item) => ({
      id: String(item.id),
      quantity: Math.min(9_999, Math.max(1, Math.round(item.quantity))),
      choices: readChoices(item.variation),
    })),
    coupons: (cart.coupons || []).slice(0, 20).map((coupon) => String(coupon.code).slice(0, 60)),
  }
}

interface ThemeCart {
  token?: string
  items?: { product_id: number; variant_id: number; quantity: number }[]
}

/** `keep` receives the shop's own cart id, which checkout and order carry too, so all of them are one cart. */
async function readThemeCart(keep: (token: string) => void): Promise<ShopCart | undefined> {
  const answer = await fetch('/cart.js', { credentials: 'same-origin', cache: 'no-store' })
  const { token, items } = (await answer.json()) as ThemeCart
  const name = /^[\w-]{16,64}/.exec(`${token}`)?.[0]
  if (name) keep(name)
  return (
    items && {
      // Post both, so a line is identified before the store's products were read.
      items: items.slice(0, 200).map((item) => ({
        id: `${item.product_id}`,
        variation: `${item.variant_id}`,
        quantity: item.quantity,
      })),
      coupons: [],
    }
  )
}

const readChoices = (variation: WooCart['variation']): CartItem['choices'] =>
  variation?.map(({ attribute, value }) => ({ name: truncate(attribute, 100), value: truncate(value, 200) }))

const truncate = (text: unknown, maxLength: number) => `${text}`.slice(0, maxLength)

const EVENTS =
  'wc-blocks_added_to_cart wc-blocks_removed_from_cart wc-cart-changed added_to_cart removed_from_cart updated_cart_totals wc_fragments_refreshed updated_wc_div applied_coupon removed_coupon applied_coupon_in_checkout removed_coupon_in_checkout'

interface Shop extends Window {
  jQuery?: (target: unknown) => { on?: (events: string, listener: () => void) => void }
  wp?: { data?: { subscribe?: (listener: () => void) => void; select?: (store: string) => unknown } }
}

/** Calls `onChange` on load and whenever the shop signals a change of its cart. */
function watchCart(onChange: () => void): void {
  const shop = window as unknown as Shop
  const listen = () => {
    for (const name of EVENTS.split(' ')) document.body.addEventListener(name, onChange)
    // Events triggered through jQuery never become native ones.
    shop.jQuery?.(document.body).on?.(EVENTS, onChange)
    if (isTheme) watchRequests(onChange)
    else watchBlocks(shop, onChange)
    onChange()
  }
  if (document.readyState === 'complete') listen()
  else addEventListener('load', listen)
}

/** Themes have no event of their own, so watch their requests to the shop. */
function watchRequests(onChange: () => void): void {
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ name }) => /\/cart\/(add|change|update|clear)/.test(name))) onChange()
  }).observe({ type: 'resource' })
}

/** The cart block changes quantities without an event, so watch its data store. */
function watchBlocks(shop: Shop, onChange: () => void): void {
  const data = shop.wp?.data
  let last: unknown
  data?.subscribe?.(() => {
    try {
      const cart = data.select?.('wc/store/cart') as { getCartData?: () => { items?: unknown } } | undefined
      const items = cart?.getCartData?.().items
      if (items !== last) onChange()
      last = items
    } catch {
      // The data store is not registered on this page.
    }
  })
}

/** Good enough to detect a change (FNV-1a). */
function computeChecksum(text: string): string {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return (sum >>> 0).toString(36) + text.length
}
