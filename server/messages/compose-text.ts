import type { Cost, OutgoingText, TextChannel, TextChannelName, TextTemplate } from '../channels/channel.ts'
import { cleanText, type TemplateContext, TemplateError } from '../templates/context.ts'
import { READY_TEXTS } from '../templates/ready-templates.ts'
import { type ComposeInput, formatMinor, type LinkToken, linksOf, presentItem, templateRenderer } from './compose.ts'

// One SMS or WhatsApp message from a cart: the code that sends, previews and says what it costs.

export interface ComposeTextInput extends Omit<ComposeInput, 'template'> {
  channel: TextChannelName
  /** E.164. */
  to: string
  /** An own text; null: the one that comes along. */
  body: { id: string; version: number; text: string } | null
  /** Outside WhatsApp's 24-hour window nothing else is delivered; it takes the place of any own text. */
  approved: TextTemplate | null
  estimate: TextChannel['estimate']
}

export interface ComposedText {
  text: string
  template: OutgoingText['template']
  tokens: LinkToken[]
  segments: number
  cost: Cost
}

/** Throws a TemplateError when the text does not become a message. */
export function composeText(input: ComposeTextInput): ComposedText {
  const { tokens, checkoutLink } = linksOf(input)
  const context = contextOf(input, checkoutLink)
  const { text, template } = input.approved ? fillApproved(input.approved, context) : freeText(input, context)
  const marked = input.isTest && !template ? `[Test] ${text}` : text
  const { segments, cost } = input.estimate({ to: input.to, text: marked, template })
  return { text: marked, template, tokens, segments, cost }
}

function contextOf({ cart, store }: ComposeTextInput, checkoutLink: string): TemplateContext {
  const name = cleanText(cart.firstName ?? '', 40)
  return {
    // Whoever types a link or a number as a name must not have us send it to a phone.
    customerName: /[\d/:@]|\.\S/.test(name) ? '' : name,
    items: cart.items.map((item) => presentItem(item, cart.currency)),
    cartTotal: formatMinor(cart.valueMinor, cart.currency),
    checkoutLink,
    storeName: store.name,
    discountedTotal: null,
    unsubscribeLink: checkoutLink,
    senderName: store.senderName || store.name,
    postalAddress: store.postalAddress || store.name,
    locale: 'en-US',
  }
}

function freeText({ channel, body }: ComposeTextInput, context: TemplateContext) {
  const source = { id: body?.id ?? `ready:${channel}`, version: body?.version ?? 1, subject: '-' }
  const text = templateRenderer().text({ ...source, body: body?.text ?? READY_TEXTS[channel] }, context)
  // Carriers and the law ask for the way out in every SMS.
  const hasWayOut = channel !== 'sms' || /\bSTOP\b/i.test(text)
  return { text: hasWayOut ? text : `${text}\nReply STOP to opt out.`, template: null }
}

const LONGEST_PARAMETER = 250

function fillApproved(approved: TextTemplate, context: TemplateContext) {
  const values = {
    customer_name: context.customerName || 'there',
    cart_items: inWords(context.items.map((item) => item.name)),
    cart_total: context.cartTotal,
    checkout_link: context.checkoutLink,
    store_name: context.storeName,
  }
  const body = approved.variables.map((name) => cleanText(values[name], LONGEST_PARAMETER))
  const text = approved.text.replace(/\{\{(\d+)\}\}/g, (place, number: string) => body[Number(number) - 1] ?? place)
  const prefix = approved.buttonUrlPrefix
  if (prefix !== null && !context.checkoutLink.startsWith(prefix)) {
    throw new TemplateError('invalid_link', `The template’s button leads to ${prefix}, and links here begin otherwise.`)
  }
  const buttonUrlSuffix = prefix === null ? null : context.checkoutLink.slice(prefix.length)
  return { text, template: { name: approved.name, language: approved.language, body, buttonUrlSuffix } }
}

function inWords(names: readonly string[]): string {
  const first = cleanText(names[0] ?? 'your items', 60)
  return names.length > 1 ? `${first} and ${names.length - 1} more` : first
}
