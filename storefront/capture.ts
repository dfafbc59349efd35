import { readCart, startFor } from './cart.ts'
import { consentBoxes, fieldOf, noteChange, readContact } from './fields.ts'
import { checksum, type Memory, openMemory, random } from './memory.ts'

// What a shop carries on its pages: <script src="https://…/capture/KEY.js" data-store="KEY" defer></script>
// It tells Recoup which products are in the cart and what the shopper typed into the checkout's contact fields, and nothing
// else. Whatever goes wrong in here must never be seen on the shop's page.

interface RecoupWindow extends Window {
  /** `false`: nothing is posted; `true`: the shopper agreed. Set by the shop's consent banner, before or after us. */
  recoupConsent?: boolean
  recoup?: { (command: string, value?: unknown): void; q?: ArrayLike<unknown>[] }
  /** Put in front of the script by our server: optimisers that merge scripts lose its address. */
  recoupSetup?: { key: string; origin: string }
}

const view = window as unknown as RecoupWindow

/** Runs `work`; a mistake of ours stays ours. */
function quietly(work: () => unknown): void {
  try {
    const result = work()
    if (result instanceof Promise) result.catch(() => {})
  } catch {
    // Nothing a shopper should ever notice.
  }
}

/** Waits until it was quiet for a moment. */
function soon(work: () => unknown, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(() => quietly(work), ms)
  }
}

interface Teller {
  memory: Memory
  mayPost(): boolean
  /** Posts what differs from what was posted last under this name. */
  tell(name: string, news: object): void
  decide(isGiven: boolean): void
}

function openTeller(key: string, origin: string, isAsked: boolean): Teller {
  const memory = openMemory(key)
  const page = random(9)
  let seq = 0
  let isGiven: boolean | undefined
  const post = (news: object) => {
    const body = JSON.stringify({ cart: memory.token('cart'), device: deviceToken(memory), page, seq: seq++, ...news })
    const url = `${origin}/api/capture/${key}`
    // Text keeps it a simple request: no preflight, and it may outlive the page.
    if (navigator.sendBeacon?.(url, body)) return
    fetch(url, { method: 'POST', body, keepalive: true, mode: 'no-cors', credentials: 'omit' }).catch(() => {})
  }
  const mayPost = () => isGiven ?? view.recoupConsent ?? !isAsked
  return {
    memory,
    mayPost,
    tell(name, news) {
      // Only a checksum is kept: nobody's address lies about in the shop's storage.
      const sum = checksum(JSON.stringify(news))
      if (!mayPost() || memory.get(name) === sum) return
      post(news)
      memory.set(name, sum)
    },
    decide(given) {
      isGiven = given
      if (!given) memory.clear()
    },
  }
}

/** "Do not track" and Global Privacy Control: the visit counts, the browser is not recognised again. */
function deviceToken(memory: Memory): string | undefined {
  const isPrivate = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl
  return isPrivate || navigator.doNotTrack === '1' ? memory.forget('device') : memory.token('device')
}

async function lookAtCart({ memory, mayPost, tell }: Teller): Promise<void> {
  const order = /\/order-received\/(\d+)/.exec(location.href)?.[1]
  const isOrdered = order !== undefined && memory.get('order') !== order
  const hadItems = memory.get('has') === '1'
  if (mayPost() && (hadItems || isOrdered || /woocommerce_(items_in_cart|cart_hash)=/.test(document.cookie))) {
    const cart = await readCart()
    const hasItems = cart !== undefined && cart.items.length > 0
    if (cart && (isOrdered ? hadItems && !hasItems : hadItems || hasItems)) {
      tell('items', cart)
      memory.set('has', hasItems ? '1' : '')
    }
  }
  if (!isOrdered) return
  // What comes after an order is another cart.
  for (const name of ['cart', 'items', 'contact', 'has']) memory.forget(name)
  memory.set('order', order)
}

function lookAtContact({ tell }: Teller): void {
  const contact = readContact()
  if (contact.email || contact.phone) tell('contact', { contact, consent: consentBoxes() })
}

function start(): void {
  const script = document.currentScript as HTMLScriptElement | null
  const source = script?.src ?? ''
  const key = script?.dataset.store || /\/capture\/([\w-]+)\.js/.exec(source)?.[1] || view.recoupSetup?.key
  const origin = source.includes('/capture/') ? new URL(source).origin : view.recoupSetup?.origin
  if (!key || !origin) return
  const teller = openTeller(key, origin, script?.dataset.consent === 'required')
  const cartSoon = soon(() => lookAtCart(teller), 300)
  const contactNow = () => quietly(() => lookAtContact(teller))
  const contactSoon = soon(contactNow, 200)
  const waiting = view.recoup?.q
  view.recoup = (name, value) => {
    if (name !== 'consent') return
    teller.decide(value === true)
    cartSoon()
    contactSoon()
  }
  for (const args of Array.from(waiting ?? [])) view.recoup(args[0] as string, args[1])
  const typed = (event: Event) => quietly(() => fieldOf(event.target) && contactSoon())
  document.addEventListener('change', (event) => quietly(() => noteChange(event.target)), true)
  for (const type of ['change', 'focusout']) document.addEventListener(type, typed, true)
  addEventListener('pagehide', contactNow)
  addEventListener('pageshow', (event) => event.persisted && cartSoon())
  startFor(cartSoon)
}

quietly(start)
