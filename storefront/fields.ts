// The checkout's contact fields by WooCommerce's ids: blocks ("email", "shipping-phone"), classic ("billing_email"),
// and the email field of a Shopify theme's forms. Nothing else is ever read; payment and password fields have other
// ids.

import { isTheme } from './cart.ts'

export interface TypedContact {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  country?: string
}

export interface BoxAnswer {
  isGiven: boolean
  wording: string
  /** Which of the store's texts the box names. */
  id: string
}

export type Consent = Partial<Record<BoxChannel, BoxAnswer>>

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
export function readContact(): TypedContact {
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
  document.querySelectorAll<HTMLInputElement>(BOX).forEach((box) => {
    visit(box, readBoxChannel(box))
  })

/** Visible boxes of a checkout the shopper fills in, each with the text it names. */
export function readVisibleBoxes(): Partial<Record<BoxChannel, string>> | undefined {
  if (!isUsed || !document.querySelector(CHECKOUT)) return undefined
  const boxes: Partial<Record<BoxChannel, string>> = {}
  forEachBox((box, channel) => {
    // A theme may draw its own box in the label and hide this one.
    if ((box.closest('label') || box).offsetParent) boxes[channel] = readTextId(box)
  })
  return boxes
}

/** Records a changed field; returns its contact type, undefined for other fields. */
export function recordField({ type, target }: Event): string | undefined {
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
export function readConsentBoxes(): Consent | undefined {
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
