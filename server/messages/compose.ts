import type { CartItem } from '../../shared/carts.ts'
import { currencyExponent } from '../../shared/money.ts'
import type { OutgoingEmail } from '../channels/channel.ts'
import type { Secrets } from '../secrets.ts'
import { tokenHash } from '../secrets.ts'
import type { TemplateContext } from '../templates/context.ts'
import { createTemplateRenderer, type RenderedMessage, type TemplateRenderer } from '../templates/render.ts'
import { type Probe, probeToken } from '../visits/probes.ts'

// One message from a cart, a template and a store: the code that sends and the code that previews (product: "Preview is
// what is sent").

export interface ComposeInput {
  messageId: string
  cart: { items: readonly CartItem[]; valueMinor: number; currency: string; firstName: string | null }
  template: { id: string; version: number; subject: string; body: string }
  store: { name: string; url: string; homeUrl: string; senderName: string; postalAddress: string }
  publicUrl: string
  secrets: Secrets
  /** To whoever tries a message out: its links open the same pages and change nothing. */
  isTest?: boolean
}

export interface LinkToken {
  hash: string
  purpose: 'restore' | 'click' | 'unsubscribe' | 'preferences'
  target: string | null
}

export interface Composed extends RenderedMessage {
  tokens: LinkToken[]
}

let renderer: TemplateRenderer | undefined

/** Made on first use and kept: it holds the compiled templates. */
export function templateRenderer(): TemplateRenderer {
  renderer ??= createTemplateRenderer()
  return renderer
}

/** Links of one message and the tokens they stand on. */
export function linksOf({
  secrets,
  messageId,
  publicUrl,
  isTest,
}: Pick<ComposeInput, 'secrets' | 'messageId' | 'publicUrl' | 'isTest'>) {
  const tokens: LinkToken[] = []
  const link = (purpose: LinkToken['purpose'], target: string | null, index: number) => {
    const token = secrets.token(purpose, `${messageId}:${index}`)
    tokens.push({ hash: tokenHash(token).toString('hex'), purpose, target })
    return token
  }
  link('restore', null, 0)
  const restorePage = `${publicUrl}/cart/recover?cart_id=${restoreTokenOf(secrets, messageId)}`
  const checkoutLink = `${publicUrl}/c/${link('click', isTest ? restorePage : null, 0)}`
  return { tokens, link, checkoutLink }
}

/** Throws a TemplateError when the template does not become a message. The same message id gives the same links. */
export function composeEmail(input: ComposeInput): Composed {
  const { publicUrl } = input
  const { tokens, link, checkoutLink } = linksOf(input)
  const context: TemplateContext = {
    customerName: input.cart.firstName ?? '',
    items: input.cart.items.map((item) => presentItem(item, input.cart.currency)),
    cartTotal: formatMinor(input.cart.valueMinor, input.cart.currency),
    checkoutLink,
    storeName: input.store.name,
    discountedTotal: null,
    unsubscribeLink: `${publicUrl}/u/${link('unsubscribe', null, 0)}`,
    preferencesLink: `${publicUrl}/preferences?token=${link('preferences', null, 0)}`,
    senderName: input.store.senderName,
    postalAddress: input.store.postalAddress,
    locale: 'en-US',
    ...(input.isTest ? {} : { probes: probesOf(input) }),
  }
  const storeHosts = [...new Set([new URL(input.store.url).host, new URL(input.store.homeUrl).host])]
  const trackLink = (url: string) =>
    url === checkoutLink ? null : `${publicUrl}/c/${link('click', url, tokens.length)}`
  const rendered = templateRenderer().render(input.template, context, { storeHosts, trackLink })
  return { ...rendered, tokens }
}

function probesOf({ publicUrl, secrets, messageId }: ComposeInput): NonNullable<TemplateContext['probes']> {
  const token = (probe: Probe) => probeToken(secrets, probe, messageId)
  return { trapLink: `${publicUrl}/c/${token('trap')}`, pixelUrl: `${publicUrl}/o/${token('open')}` }
}

/** The restore token of a message, with its visible prefix (decision 4). */
export const restoreTokenOf = (secrets: Secrets, messageId: string): string =>
  `rt_${secrets.token('restore', `${messageId}:0`)}`

/** Opens the preferences of whom this message went to (X1: a purpose of its own). */
export const preferencesTokenOf = (secrets: Secrets, messageId: string): string =>
  secrets.token('preferences', `${messageId}:0`)

export function presentItem(item: CartItem, currency: string) {
  return {
    name: item.name,
    quantity: item.quantity,
    unitPrice: formatMinor(item.unitPriceMinor, currency),
    lineTotal: formatMinor(item.unitPriceMinor * item.quantity, currency),
    imageUrl: item.imageUrl,
  }
}

/** Making a format costs a hundred times what using it does, and that a hundred times what looking it up does. */
const formats = new Map<string, Intl.NumberFormat>()
const formatted = new Map<string, string>()
const KEPT_AMOUNTS = 5_000

/** Minor units as people in en-US read them (decision 21). */
export function formatMinor(amountMinor: number, currency: string): string {
  const key = `${currency}${amountMinor}`
  const known = formatted.get(key)
  if (known !== undefined) return known
  const exponent = currencyExponent(currency)
  const text = formatOf(currency, exponent).format(amountMinor / 10 ** exponent)
  if (formatted.size >= KEPT_AMOUNTS) formatted.clear()
  formatted.set(key, text)
  return text
}

function formatOf(currency: string, exponent: number): Intl.NumberFormat {
  const known = formats.get(currency)
  if (known) return known
  const digits = { minimumFractionDigits: exponent, maximumFractionDigits: exponent }
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...digits })
  formats.set(currency, format)
  return format
}

/** The envelope around a composed message. */
export function outgoingEmail(
  messageId: string,
  to: string,
  composed: Pick<Composed, 'subject' | 'html' | 'text' | 'headers'>,
  sender: { name: string; email: string | null; feedbackId?: string; accountId?: string },
  mailFrom: string,
): OutgoingEmail {
  const address = /<([^>]+)>/.exec(mailFrom)?.[1] ?? mailFrom
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
