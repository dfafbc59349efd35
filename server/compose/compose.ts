import { TEST_TOKEN } from '../../shared/restore.ts'
import type { OutgoingEmail } from '../channels/channel.ts'
import type { Secrets } from '../core/secrets.ts'
import { tokenHash } from '../core/secrets.ts'
import { type Tracker, trackerToken } from '../links/trackers.ts'
import { isOnStoreHost } from '../stores/rules.ts'
import type { MailBrand, TemplateContext } from '../templates/context.ts'
import type { RenderedMessage } from '../templates/message.ts'
import type { Difference } from '../templates/plans/plans.ts'
import { type RenderFor, type Renders, sharedRenders } from '../templates/renders.ts'
import { formatMinor } from './amounts.ts'
import { couponInWords, type ShownCoupon } from './coupon-words.ts'
import type { ShownItem } from './goods-rules.ts'

// One message from a cart, a template and a store: the code that sends and the code that previews (product: "Preview is
// what is sent").

export interface ComposeInput {
  messageId: string
  /** No currency: there is no cart. */
  cart: { items: readonly ShownItem[]; valueMinor: number; currency: string | null; firstName: string | null }
  template: { id: string; version: number; subject: string; body: string }
  /** null: it carries none. */
  coupon: ShownCoupon | null
  /** Entered by the shopper: it comes back with the cart where the message carries none. */
  entered?: ShownCoupon | null
  brand: MailBrand
  /** `timeZone`: of the dates it speaks of. */
  store: { name: string; url: string; homeUrl: string; senderName: string; postalAddress: string; timeZone: string }
  /** The page of the shop it leads to where there is no cart; null: the shop. */
  pageUrl?: string | null
  publicUrl: string
  secrets: Secrets
  /** To whoever tries a message out: its links open the same pages and change nothing. */
  isTest?: boolean
  /** Of the sample cart: where its pictures come from. It is nobody's, so no machine is to be told from a person. */
  sampleHost?: string
  /** Whose it is and what for. */
  who?: RenderFor
  /** Where it is rendered: this process's threads unless said otherwise. */
  renders?: Renders | undefined
  /** A rendering plan has been found wrong and is not used any more. */
  onDifference?: (found: Difference) => void
}

/** Nobody waits for it, and it is nobody's. */
export const FOR_NOBODY: RenderFor = { lane: 'asking', accountId: '' }

export interface LinkToken {
  hash: string
  purpose: 'restore' | 'click' | 'unsubscribe' | 'preferences' | 'push'
  target: string | null
}

export interface Composed extends RenderedMessage {
  tokens: LinkToken[]
}

/** Links of one message and the tokens they stand on. With `homeUrl` nothing is restored: the link leads there. */
export function linksOf(
  { secrets, messageId, publicUrl, isTest }: Pick<ComposeInput, 'secrets' | 'messageId' | 'publicUrl' | 'isTest'>,
  homeUrl: string | null = null,
) {
  const tokens: LinkToken[] = []
  const link = (purpose: LinkToken['purpose'], target: string | null, index: number) => {
    const token = secrets.token(purpose, `${messageId}:${index}`)
    tokens.push({ hash: tokenHash(token).toString('hex'), purpose, target })
    return token
  }
  if (homeUrl !== null) return { tokens, link, checkoutLink: `${publicUrl}/c/${link('click', homeUrl, 0)}` }
  link('restore', null, 0)
  const restorePage = `${publicUrl}/cart/recover?cart_id=${restoreTokenOf(secrets, messageId)}`
  const checkoutLink = `${publicUrl}/c/${link('click', isTest ? restorePage : null, 0)}`
  return { tokens, link, checkoutLink }
}

/** Where the link of a message leads that has no cart to bring back; null: it has one. */
export function homeWithoutCart({
  cart,
  store,
  pageUrl,
}: Pick<ComposeInput, 'cart' | 'store' | 'pageUrl'>): string | null {
  if (cart.currency !== null) return null
  // Nobody is sent anywhere else (X1).
  return isOnStoreHost(pageUrl, { url: store.url, home_url: store.homeUrl }) ? pageUrl : store.homeUrl
}

/** What a template says of the coupon, and what a mail shows of the one that was entered. */
export function shownCoupons({
  coupon,
  entered = null,
  cart,
  store,
}: Pick<ComposeInput, 'coupon' | 'entered' | 'cart' | 'store'>) {
  const inWords = (each: ShownCoupon | null) => each && couponInWords(each, { ...cart, timeZone: store.timeZone })
  return { coupon: inWords(coupon), entered: coupon ? null : inWords(entered) }
}

/** What a template says of the cart; nothing where there is none. */
export function shownCart({ items, valueMinor, currency }: ComposeInput['cart']) {
  if (currency === null) return { items: [], cartTotal: '', isWithoutCart: true }
  return { items: items.map((item) => presentItem(item, currency)), cartTotal: formatMinor(valueMinor, currency) }
}

/** Where all prices are zero they are not known, as with goods that are priced on request. */
function withoutZeroes({ valueMinor, currency, items }: ComposeInput['cart'], shown: ReturnType<typeof shownCart>) {
  if (currency === null || valueMinor !== 0 || items.some(({ unitPriceMinor }) => unitPriceMinor !== 0)) return shown
  return { ...shown, items: shown.items.map((item) => ({ ...item, unitPrice: '', lineTotal: '' })), cartTotal: '' }
}

/** Throws a TemplateError when the template does not become a message. The same message id gives the same links. */
export async function composeEmail(input: ComposeInput): Promise<Composed> {
  const { publicUrl, secrets, messageId, who = FOR_NOBODY, renders = sharedRenders() } = input
  const { tokens, link, checkoutLink } = linksOf(input, homeWithoutCart(input))
  const wayOut = (purpose: 'unsubscribe' | 'preferences') => (input.isTest ? TEST_TOKEN : link(purpose, null, 0))
  const context: TemplateContext = {
    customerName: input.cart.firstName ?? '',
    ...withoutZeroes(input.cart, shownCart(input.cart)),
    checkoutLink,
    storeName: input.store.name,
    ...shownCoupons(input),
    brand: input.brand,
    unsubscribeLink: `${publicUrl}/u/${wayOut('unsubscribe')}`,
    preferencesLink: `${publicUrl}/preferences?token=${wayOut('preferences')}`,
    senderName: input.store.senderName,
    postalAddress: input.store.postalAddress,
    locale: 'en-US',
    ...(input.isTest || input.sampleHost ? {} : { trackers: trackersOf(input) }),
  }
  const ownHosts = [new URL(input.store.url).host, new URL(input.store.homeUrl).host]
  const storeHosts = [...new Set([...ownHosts, ...(input.sampleHost ? [input.sampleHost] : [])])]
  const first = tokens.length
  const tracked = (n: number) => `${publicUrl}/c/${secrets.token('click', `${messageId}:${first + n}`)}`
  const options = { storeHosts, tracked, ...(input.onDifference && { onDifference: input.onDifference }) }
  const rendered = await renders.mail(who, input.template, context, options)
  for (const { url, trackedUrl } of rendered.links) if (trackedUrl) link('click', url, tokens.length)
  return { ...rendered, tokens }
}

function trackersOf({ publicUrl, secrets, messageId }: ComposeInput): NonNullable<TemplateContext['trackers']> {
  const token = (tracker: Tracker) => trackerToken(secrets, tracker, messageId)
  return { honeypotLink: `${publicUrl}/c/${token('honeypot')}`, pixelUrl: `${publicUrl}/o/${token('open')}` }
}

/** The restore token of a message, with its visible prefix (decision 4). */
export const restoreTokenOf = (secrets: Secrets, messageId: string): string =>
  `rt_${secrets.token('restore', `${messageId}:0`)}`

/** Opens the preferences of whom this message went to (X1: a purpose of its own). */
export const preferencesTokenOf = (secrets: Secrets, messageId: string): string =>
  secrets.token('preferences', `${messageId}:0`)

export function presentItem(item: ShownItem, currency: string) {
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
  composed: Pick<Composed, 'subject' | 'html' | 'text' | 'headers'>,
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

/** What Gmail counts complaints by: store, account, kind of mail, and whose mail it is. Keyed, so that it names nobody. */
export function feedbackIdOf(secrets: Secrets, accountId: string, storeUrl: string): string {
  const [account, store] = [accountId, `${accountId} ${storeUrl}`].map((subject) =>
    secrets.token('feedback', subject).slice(0, 12),
  )
  return `${store}:${account}:recovery:recoup`
}
