import { TEST_TOKEN } from '../../../shared/restore.ts'
import type { OutgoingEmail } from '../../messages/channels/channel.ts'
import { personName, withoutAddresses } from '../../core/common/addresses-in-text.ts'
import { type Secrets, tokenHash } from '../../core/common/secrets.ts'
import { clickPath, messageToken, type TokenPurpose } from '../../carts/links/message-tokens.ts'
import { isOnStoreHost, shownStoreName } from '../../access/stores/rules.ts'
import type { MailBrand, TemplateContext } from '../../messages/templates/context.ts'
import type { RenderedMessage } from '../../messages/templates/message.ts'
import type { Difference } from '../../messages/templates/plans/plans.ts'
import { type RenderFor, type Renders, sharedRenders } from '../../messages/templates/renders.ts'
import { formatMinor } from './amounts.ts'
import { couponInWords, type ShownCoupon } from './coupon-words.ts'
import type { ShownItem } from './goods-rules.ts'
import { standIn, withLinks } from './tracked-links.ts'

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

/** A row that a link stands on: the restore page's, of which the hash alone is kept (decision 4), and every one of a test. */
export interface LinkToken {
  hash: string
  purpose: 'restore' | 'click'
  target: string | null
}

export interface Composed extends RenderedMessage {
  tokens: LinkToken[]
}

interface Links {
  tokens: LinkToken[]
  checkoutLink: string
  /** The address by which one of the shop's is followed; null: the message's own page. */
  track(target: string | null): string
}

/** Links of one message. With a page nothing is restored: the link leads there. */
export function linksOf(
  { secrets, messageId, publicUrl, isTest }: Pick<ComposeInput, 'secrets' | 'messageId' | 'publicUrl' | 'isTest'>,
  page: ReturnType<typeof pageWithoutCart> = null,
): Links {
  const tokens: LinkToken[] = []
  const keep = (purpose: LinkToken['purpose'], target: string | null) => {
    const token = secrets.token(purpose, `${messageId}:${tokens.filter((each) => each.purpose === purpose).length}`)
    tokens.push({ hash: tokenHash(token).toString('hex'), purpose, target })
    return token
  }
  // A test's message is no row, so its links cannot name one.
  const track = (target: string | null) =>
    `${publicUrl}${isTest ? `/c/${keep('click', target)}` : clickPath(secrets, messageId, target)}`
  if (page !== null) return { tokens, track, checkoutLink: track(page.isHome && !isTest ? null : page.url) }
  keep('restore', null)
  const restorePage = `${publicUrl}/cart/recover?cart_id=${restoreTokenOf(secrets, messageId)}`
  return { tokens, track, checkoutLink: track(isTest ? restorePage : null) }
}

/** Where the link of a message leads that has no cart to bring back; null: it has one. */
export function pageWithoutCart({
  cart,
  store,
  pageUrl,
}: Pick<ComposeInput, 'cart' | 'store' | 'pageUrl'>): { url: string; isHome: boolean } | null {
  if (cart.currency !== null) return null
  // Nobody is sent anywhere else (X1).
  const isOwn = isOnStoreHost(pageUrl, { url: store.url, home_url: store.homeUrl })
  return isOwn ? { url: pageUrl, isHome: pageUrl === store.homeUrl } : { url: store.homeUrl, isHome: true }
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

/** What a template says of the shopper, the shop and the cart; nothing of a cart where there is none. No name brings a link along. */
export function shownCart(
  { items, valueMinor, currency, firstName }: ComposeInput['cart'],
  store: ComposeInput['store'],
) {
  const ownHosts = [store.url, store.homeUrl].map((url) => new URL(url).hostname)
  const names = {
    customerName: personName(firstName ?? ''),
    storeName: shownStoreName(store.name, [store.url, store.homeUrl]),
  }
  if (currency === null) return { ...names, items: [], cartTotal: '', isWithoutCart: true }
  const shown = items.map((item) => presentItem({ ...item, name: withoutAddresses(item.name, ownHosts) }, currency))
  return { ...names, items: shown, cartTotal: formatMinor(valueMinor, currency) }
}

/** Where all prices are zero they are not known, as with goods that are priced on request. */
function withoutZeroes({ valueMinor, currency, items }: ComposeInput['cart'], shown: ReturnType<typeof shownCart>) {
  if (currency === null || valueMinor !== 0 || items.some(({ unitPriceMinor }) => unitPriceMinor !== 0)) return shown
  return { ...shown, items: shown.items.map((item) => ({ ...item, unitPrice: '', lineTotal: '' })), cartTotal: '' }
}

/** Throws a TemplateError when the template does not become a message. The same message id gives the same links. */
export async function composeEmail(input: ComposeInput): Promise<Composed> {
  const { publicUrl, secrets, messageId, who = FOR_NOBODY, renders = sharedRenders() } = input
  const { tokens, track, checkoutLink } = linksOf(input, pageWithoutCart(input))
  const tokenOf = (purpose: TokenPurpose) => messageToken(secrets, purpose, messageId)
  const wayOut = (purpose: 'unsubscribe' | 'preferences') => (input.isTest ? TEST_TOKEN : tokenOf(purpose))
  const context: TemplateContext = {
    ...withoutZeroes(input.cart, shownCart(input.cart, input.store)),
    checkoutLink,
    ...shownCoupons(input),
    brand: input.brand,
    unsubscribeLink: `${publicUrl}/u/${wayOut('unsubscribe')}`,
    preferencesLink: `${publicUrl}/preferences?token=${wayOut('preferences')}`,
    senderName: input.store.senderName,
    postalAddress: input.store.postalAddress,
    locale: 'en-US',
    ...(!input.isTest &&
      !input.sampleHost && {
        trackers: {
          honeypotLink: `${publicUrl}/c/${tokenOf('honeypot')}`,
          pixelUrl: `${publicUrl}/o/${tokenOf('open')}`,
        },
      }),
  }
  const ownHosts = [new URL(input.store.url).host, new URL(input.store.homeUrl).host]
  const storeHosts = [...new Set([...ownHosts, ...(input.sampleHost ? [input.sampleHost] : [])])]
  const options = { storeHosts, tracked: standIn, ...(input.onDifference && { onDifference: input.onDifference }) }
  const rendered = await renders.mail(who, input.template, context, options)
  return { ...withLinks(rendered, track), tokens }
}

/** The restore token of a message, with its visible prefix (decision 4). */
export const restoreTokenOf = (secrets: Secrets, messageId: string): string =>
  `rt_${secrets.token('restore', `${messageId}:0`)}`

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
