import { TEST_TOKEN } from '../../../shared/delivery/restore.ts'
import { cleanStoreName, isOnStoreHost } from '../../access/stores/public.ts'
import { buildAssetsUrl } from '../../carts/brand/public.ts'
import { createClickPath, createToken, type TokenPurpose } from '../../carts/links/public.ts'
import { cleanPersonName, hashToken, removeAddresses, type Secrets } from '../../core/common/public.ts'
import type { OutgoingEmail } from '../../messages/channels/public.ts'
import {
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
  /** The products that its document shows, by id; one that is missing is not shown. */
  products?: ReadonlyMap<string, ShownProduct>
  store: {
    id: string
    name: string
    url: string
    homeUrl: string
    senderName: string
    postalAddress: string
    /** Of dates in the message. */
    timeZone: string
  }
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
  /** The recipient's language, BCP 47: words, amounts and dates. */
  locale?: string
}

export const DEFAULT_LOCALE = 'en-US'

export interface ShownProduct {
  name: string
  /** 0: unknown. */
  priceMinor: number
  currency: string
  imageUrl: string | null
  url: string
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

/** The target page of a message without a cart, or of a test about the sample cart; null: the message has a cart. */
export function pageWithoutCart({
  cart,
  store,
  pageUrl,
  isTest = false,
  sampleHost,
}: Pick<ComposeInput, 'cart' | 'store' | 'pageUrl' | 'isTest' | 'sampleHost'>): {
  url: string
  isHome: boolean
} | null {
  if (cart.currency !== null && !(isTest && sampleHost !== undefined)) return null
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
  locale = DEFAULT_LOCALE,
}: Pick<ComposeInput, 'coupon' | 'entered' | 'cart' | 'store' | 'locale'>) {
  const placement = { ...cart, timeZone: store.timeZone, locale }
  const present = (each: DisplayedCoupon | null) => each && presentCoupon(each, placement)
  return { coupon: present(coupon), entered: coupon ? null : present(entered) }
}

/** The template's variables for shopper, shop and cart. Names that contain links are cleaned. */
export function buildCartContext({
  cart: { items, valueMinor, currency, firstName },
  store,
  locale = DEFAULT_LOCALE,
}: Pick<ComposeInput, 'cart' | 'store' | 'locale'>) {
  const ownHosts = listOwnHosts(store)
  const names = {
    customerName: cleanPersonName(firstName ?? ''),
    storeName: cleanStoreName(store.name, [store.url, store.homeUrl]),
  }
  if (currency === null) return { ...names, items: [], cartTotal: '', isWithoutCart: true }
  const products = items.map((item) =>
    presentItem({ ...item, name: removeAddresses(item.name, ownHosts) }, currency, locale),
  )
  return { ...names, items: products, cartTotal: formatMinor(valueMinor, currency, locale) }
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
    ...hideUnknownPrices(input.cart, buildCartContext(input)),
    checkoutLink,
    ...buildCouponContext(input),
    brand: input.brand,
    unsubscribeLink: `${publicUrl}/u/${footerToken('unsubscribe')}`,
    preferencesLink: `${publicUrl}/preferences?token=${footerToken('preferences')}`,
    senderName: input.store.senderName,
    postalAddress: input.store.postalAddress,
    locale: input.locale ?? DEFAULT_LOCALE,
    ...(input.products && { products: presentProducts(input) }),
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
  const known = new Map<string, string>()
  const trackLink = (url: string): string | null => {
    if (url === checkoutLink) return null
    const link = known.get(url) ?? track(url)
    known.set(url, link)
    return link
  }
  const options = {
    storeHosts,
    trackLink,
    shopLink: new URL(input.store.homeUrl).href,
    assetsUrl: buildAssetsUrl(publicUrl, input.store.id),
  }
  return { ...(await renders.mail(who, input.template, context, options)), tokens }
}

function presentProducts({ products = new Map(), store, locale = DEFAULT_LOCALE }: ComposeInput) {
  const ownHosts = listOwnHosts(store)
  return new Map(
    [...products].map(([id, { name, priceMinor, currency, imageUrl, url }]) => [
      id,
      {
        name: removeAddresses(name, ownHosts),
        price: priceMinor > 0 ? formatMinor(priceMinor, currency, locale) : '',
        imageUrl,
        url,
      },
    ]),
  )
}

const listOwnHosts = ({ url, homeUrl }: ComposeInput['store']): string[] =>
  [url, homeUrl].map((each) => new URL(each).hostname)

/** The restore token of a message, with its visible prefix (decision 4). */
export const createRestoreToken = (secrets: Secrets, messageId: string): string =>
  `rt_${secrets.token('restore', `${messageId}:0`)}`

export function presentItem(item: PricedItem, currency: string, locale: string) {
  return {
    name: item.name,
    quantity: item.quantity,
    unitPrice: formatMinor(item.unitPriceMinor, currency, locale),
    lineTotal: formatMinor(item.unitPriceMinor * item.quantity, currency, locale),
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
