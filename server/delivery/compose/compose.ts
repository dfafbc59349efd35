import crypto from 'node:crypto'
import { TEST_TOKEN } from '../../../shared/delivery/restore.ts'
import { cleanStoreName, isOnStoreHost } from '../../access/stores/public.ts'
import { createClickPath, createToken, type TokenPurpose } from '../../carts/links/public.ts'
import { cleanPersonName, hashToken, removeAddresses, type Secrets } from '../../core/common/public.ts'
import type { OutgoingEmail } from '../../messages/channels/public.ts'
import {
  type Difference,
  findProblem,
  getSharedRenders,
  type MailBrand,
  type RenderedMessage,
  type RenderPurpose,
  type Renders,
  type TemplateContext,
  type TemplateSource,
} from '../../messages/templates/public.ts'
import { formatMinor } from './amounts.ts'
import { type DisplayedCoupon, presentCoupon } from './coupon-text.ts'
import type { PricedItem } from './goods-rules.ts'

// Composes one email from a cart, a template and a store. Sends and previews use the same code, so a preview shows what
// is sent.

export interface ComposeInput {
  messageId: string
  /** `currency: null` means that there is no cart. */
  cart: { items: readonly PricedItem[]; valueMinor: number; currency: string | null; firstName: string | null }
  template: TemplateSource
  /** null: without a coupon. */
  coupon: DisplayedCoupon | null
  /** Entered by the shopper. It is restored with the cart if the message has no coupon. */
  entered?: DisplayedCoupon | null
  brand: MailBrand
  /** `timeZone` is for dates in the message. */
  store: { name: string; url: string; homeUrl: string; senderName: string; postalAddress: string; timeZone: string }
  /** The shop page its link opens without a cart; null: the home page. */
  pageUrl?: string | null
  publicUrl: string
  secrets: Secrets
  /** A test send: its links open the same pages and change nothing. */
  isTest?: boolean
  /** Image host of the sample cart. A sample has no recipient, so it has no honeypot and no pixel. */
  sampleHost?: string
  /** Account and priority of the rendering. */
  who?: RenderPurpose
  /** Render threads; default: those of this process. */
  renders?: Renders | undefined
  /** Called when a rendering plan's result differs; that plan is no longer used. */
  onDifference?: (found: Difference) => void
}

/** A rendering without an account. */
export const NO_ACCOUNT: RenderPurpose = { queue: 'asking', accountId: '' }

/**
 * The row behind a link: for the restore page (only its hash is stored, decision 4) and for every link of a test send.
 */
export interface LinkToken {
  hash: string
  purpose: 'restore' | 'click'
  target: string | null
}

export interface ComposedMail extends RenderedMessage {
  tokens: LinkToken[]
}

interface Links {
  tokens: LinkToken[]
  checkoutLink: string
  /** Returns the tracked link to a shop URL; null: to the message's own page. */
  track(target: string | null): string
}

/** Creates the links of one message. With `page` the main link opens that page instead of restoring a cart. */
export function createLinks(
  { secrets, messageId, publicUrl, isTest }: Pick<ComposeInput, 'secrets' | 'messageId' | 'publicUrl' | 'isTest'>,
  page: ReturnType<typeof pageWithoutCart> = null,
): Links {
  const tokens: LinkToken[] = []
  const keep = (purpose: LinkToken['purpose'], target: string | null) => {
    const token = secrets.token(purpose, `${messageId}:${tokens.filter((each) => each.purpose === purpose).length}`)
    tokens.push({ hash: hashToken(token).toString('hex'), purpose, target })
    return token
  }
  // A test send has no message row, so its links cannot refer to one.
  const track = (target: string | null) =>
    `${publicUrl}${isTest ? `/c/${keep('click', target)}` : createClickPath(secrets, messageId, target)}`
  if (page !== null) return { tokens, track, checkoutLink: track(page.isHome && !isTest ? null : page.url) }
  keep('restore', null)
  const restorePage = `${publicUrl}/cart/recover?cart_id=${createRestoreToken(secrets, messageId)}`
  return { tokens, track, checkoutLink: track(isTest ? restorePage : null) }
}

/** The target page of a message without a cart; null: the message has a cart. */
export function pageWithoutCart({
  cart,
  store,
  pageUrl,
}: Pick<ComposeInput, 'cart' | 'store' | 'pageUrl'>): { url: string; isHome: boolean } | null {
  if (cart.currency !== null) return null
  // Links lead only to the store's own hosts (X1).
  const isOwn = isOnStoreHost(pageUrl, { url: store.url, home_url: store.homeUrl })
  return isOwn ? { url: pageUrl, isHome: pageUrl === store.homeUrl } : { url: store.homeUrl, isHome: true }
}

/** The template's variables for the message's coupon and for the entered one. */
export function buildCouponContext({
  coupon,
  entered = null,
  cart,
  store,
}: Pick<ComposeInput, 'coupon' | 'entered' | 'cart' | 'store'>) {
  const present = (each: DisplayedCoupon | null) => each && presentCoupon(each, { ...cart, timeZone: store.timeZone })
  return { coupon: present(coupon), entered: coupon ? null : present(entered) }
}

/** The template's variables for shopper, shop and cart. Names that contain links are cleaned. */
export function buildCartContext(
  { items, valueMinor, currency, firstName }: ComposeInput['cart'],
  store: ComposeInput['store'],
) {
  const ownHosts = [store.url, store.homeUrl].map((url) => new URL(url).hostname)
  const names = {
    customerName: cleanPersonName(firstName ?? ''),
    storeName: cleanStoreName(store.name, [store.url, store.homeUrl]),
  }
  if (currency === null) return { ...names, items: [], cartTotal: '', isWithoutCart: true }
  const products = items.map((item) => presentItem({ ...item, name: removeAddresses(item.name, ownHosts) }, currency))
  return { ...names, items: products, cartTotal: formatMinor(valueMinor, currency) }
}

/** Hides prices if all are zero: then they are unknown, as for goods priced on request. */
function hideUnknownPrices(
  { valueMinor, currency, items }: ComposeInput['cart'],
  cartContext: ReturnType<typeof buildCartContext>,
) {
  if (currency === null || valueMinor !== 0 || items.some(({ unitPriceMinor }) => unitPriceMinor !== 0))
    return cartContext
  return {
    ...cartContext,
    items: cartContext.items.map((item) => ({ ...item, unitPrice: '', lineTotal: '' })),
    cartTotal: '',
  }
}

/** Throws a TemplateError if the template cannot be rendered. The same message id always gives the same links. */
export async function composeEmail(input: ComposeInput): Promise<ComposedMail> {
  const { publicUrl, secrets, messageId, who = NO_ACCOUNT, renders = getSharedRenders() } = input
  const { tokens, track, checkoutLink } = createLinks(input, pageWithoutCart(input))
  const buildToken = (purpose: TokenPurpose) => createToken(secrets, purpose, messageId)
  const footerToken = (purpose: 'unsubscribe' | 'preferences') => (input.isTest ? TEST_TOKEN : buildToken(purpose))
  const context: TemplateContext = {
    ...hideUnknownPrices(input.cart, buildCartContext(input.cart, input.store)),
    checkoutLink,
    ...buildCouponContext(input),
    brand: input.brand,
    unsubscribeLink: `${publicUrl}/u/${footerToken('unsubscribe')}`,
    preferencesLink: `${publicUrl}/preferences?token=${footerToken('preferences')}`,
    senderName: input.store.senderName,
    postalAddress: input.store.postalAddress,
    locale: 'en-US',
    ...(!input.isTest &&
      !input.sampleHost && {
        trackers: {
          honeypotLink: `${publicUrl}/c/${buildToken('honeypot')}`,
          pixelUrl: `${publicUrl}/o/${buildToken('open')}`,
        },
      }),
  }
  const ownHosts = [new URL(input.store.url).host, new URL(input.store.homeUrl).host]
  const storeHosts = [...new Set([...ownHosts, ...(input.sampleHost ? [input.sampleHost] : [])])]
  const options = { storeHosts, tracked: placeholder, ...(input.onDifference && { onDifference: input.onDifference }) }
  const rendered = await renders.mail(who, input.template, context, options)
  return { ...fillLinks(rendered, track), tokens }
}

/** The restore token of a message, with its visible prefix (decision 4). */
export const createRestoreToken = (secrets: Secrets, messageId: string): string =>
  `rt_${secrets.token('restore', `${messageId}:0`)}`

export function presentItem(item: PricedItem, currency: string) {
  return {
    name: item.name,
    quantity: item.quantity,
    unitPrice: formatMinor(item.unitPriceMinor, currency),
    lineTotal: formatMinor(item.unitPriceMinor * item.quantity, currency),
    imageUrl: item.imageUrl,
    ...(item.isGone && { isGone: true }),
  }
}

/** The envelope around a composed message. */
export function outgoingEmail(
  messageId: string,
  to: string,
  composed: Pick<ComposedMail, 'subject' | 'html' | 'text' | 'headers'>,
  sender: { name: string; email: string | null; feedbackId?: string; accountId?: string },
  mailFrom: string,
): OutgoingEmail {
  const address = /<([^<>]+)>/.exec(mailFrom)?.[1] ?? mailFrom
  return {
    messageId,
    from: { name: sender.name, address },
    ...(sender.email ? { replyTo: sender.email } : {}),
    to,
    subject: composed.subject,
    html: composed.html,
    text: composed.text,
    ...(sender.accountId && { accountId: sender.accountId }),
    headers: { ...composed.headers, ...(sender.feedbackId && { 'Feedback-ID': sender.feedbackId }) },
  }
}

/**
 * The Feedback-ID by which Gmail groups complaints: store, account, kind of mail, sender. Keyed hashes, so that it
 * does not identify a person.
 */
export function buildFeedbackId(secrets: Secrets, accountId: string, storeUrl: string): string {
  const [account, store] = [accountId, `${accountId} ${storeUrl}`].map((subject) =>
    secrets.token('feedback', subject).slice(0, 12),
  )
  return `${store}:${account}:recovery:recoup`
}

// Tracked links of a mail. A link contains its keyed target (decision 150), which is known only after rendering, and
// the render threads have no keys. So the mail is rendered with placeholders, which are replaced here.

/** Random, so that no text of a shop or shopper contains it. */
const PREFIX = `https://s${crypto.randomBytes(16).toString('hex')}.invalid/`
const PLACEHOLDER = new RegExp(`${PREFIX.replaceAll('.', '\\.')}(\\d+)-`, 'g')

/** The placeholder of the n-th tracked link. */
const placeholder = (n: number): string => `${PREFIX}${n}-`

/** Replaces the placeholders by tracked links. Throws a TemplateError if the mail becomes too large. */
function fillLinks<M extends RenderedMessage>(mail: M, track: (url: string) => string): M {
  const links = mail.links.map(({ url, trackedUrl }) => ({ url, trackedUrl: trackedUrl === null ? null : track(url) }))
  const addresses = new Map(
    mail.links.flatMap(({ trackedUrl }, at) => (trackedUrl === null ? [] : [[trackedUrl, links[at]!.trackedUrl!]])),
  )
  if (addresses.size === 0) return mail
  const named = (text: string) => text.replace(PLACEHOLDER, (found) => addresses.get(found) ?? found)
  const parts = { subject: mail.subject, html: named(mail.html), text: named(mail.text) }
  const problem = findProblem(parts)
  if (problem) throw problem
  return { ...mail, ...parts, links }
}
