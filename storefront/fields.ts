// The checkout's contact fields, by the ids WooCommerce gives them: blocks ("email", "shipping-phone") and classic
// ("billing_email"). Only these are ever read; everything else on a page, payment and passwords included, has other ids.

export interface TypedContact {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  country?: string
}

export interface Consent {
  email: boolean
  wording: string
}

const ID = /^(?:billing|shipping)[-_](email|phone|first_name|last_name|country)$/
const CHECKOUT = 'form.checkout,form.woocommerce-checkout,.wc-block-checkout,.wp-block-woocommerce-checkout'
const BOX = '[data-recoup-consent],#recoup_consent'

let isBoxTouched = false

/** What of the contact an element holds; "email" alone is common, so it counts only within a checkout. */
export function fieldOf(target: unknown): string | undefined {
  const field = target as HTMLInputElement | null
  if (!field?.matches?.('input,select')) return undefined
  if (field.matches(BOX)) {
    isBoxTouched = true
    return 'consent'
  }
  if (field.type === 'password' || field.type === 'hidden' || /^cc-/.test(field.autocomplete || '')) return undefined
  return ID.exec(field.id)?.[1] ?? (field.id === 'email' && field.closest(CHECKOUT) ? 'email' : undefined)
}

/** Everything typed so far, complete addresses and numbers only. Of billing and shipping the one further down wins. */
export function readContact(): TypedContact {
  const contact: TypedContact = {}
  document.querySelectorAll<HTMLInputElement>('input[id],select[id]').forEach((field) => {
    if (field.matches(BOX)) return
    const name = fieldOf(field)
    const value = field.value.trim()
    if (!name || !value) return
    if (name === 'email' && /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(value)) contact.email = value.slice(0, 254)
    if (name === 'phone' && value.replace(/\D/g, '').length > 6) contact.phone = value.slice(0, 40)
    if (name === 'first_name') contact.firstName = value.slice(0, 80)
    if (name === 'last_name') contact.lastName = value.slice(0, 80)
    if (name === 'country' && value.length === 2) contact.country = value
  })
  return contact
}

/** The shop's consent box: what it says and whether it is ticked. Left alone and empty it says nothing. */
export function consentBox(): Consent | undefined {
  const box = document.querySelector<HTMLInputElement>(BOX)
  if (!box || (!box.checked && !isBoxTouched)) return undefined
  const label = box.dataset.recoupConsent || box.labels?.[0]?.textContent || box.title
  return { email: box.checked, wording: label.replace(/\s+/g, ' ').trim().slice(0, 500) }
}
