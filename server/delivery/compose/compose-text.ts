import type { Cost, OutgoingText, TextChannel, TextChannelName } from '../../messages/channels/channel.ts'
import type { TextTemplate } from '../../core/schema/text-channels.ts'
import { cleanText, type TemplateContext, TemplateError } from '../../messages/templates/context.ts'
import { READY_TEXTS } from '../../messages/templates/ready-templates.ts'
import { sharedRenders } from '../../messages/templates/renders.ts'
import {
  type ComposeInput,
  FOR_NOBODY,
  type LinkToken,
  linksOf,
  pageWithoutCart,
  shownCart,
  shownCoupons,
} from './compose.ts'

// One SMS or WhatsApp message from a cart: the code that sends, previews and says what it costs.

export interface ComposeTextInput extends Omit<ComposeInput, 'template' | 'brand'> {
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
export async function composeText(input: ComposeTextInput): Promise<ComposedText> {
  const { tokens, checkoutLink } = linksOf(input, pageWithoutCart(input))
  const context = textContextOf(input, checkoutLink)
  const { text, template } = input.approved ? fillApproved(input.approved, context) : await freeText(input, context)
  const marked = input.isTest && !template ? `[Test] ${text}` : text
  const { segments, cost } = input.estimate({ to: input.to, text: marked, template })
  return { text: marked, template, tokens, segments, cost }
}

/** What a text may speak of; nothing in it is markup. */
export function textContextOf(
  input: Pick<ComposeTextInput, 'cart' | 'store' | 'coupon' | 'entered'>,
  checkoutLink: string,
): TemplateContext {
  const { cart, store } = input
  const { coupon, entered } = shownCoupons(input)
  // A text names one thing and counts the rest: only what can still be bought.
  const shown = shownCart({ ...cart, items: cart.items.filter((item) => !item.isGone) }, store)
  return {
    ...shown,
    customerName: cleanText(shown.customerName, 40),
    // It has no room for the way from one to the other.
    cartTotal: entered?.total ?? shown.cartTotal,
    checkoutLink,
    coupon,
    unsubscribeLink: checkoutLink,
    senderName: store.senderName || store.name,
    postalAddress: store.postalAddress || store.name,
    locale: 'en-US',
  }
}

async function freeText(input: ComposeTextInput, context: TemplateContext) {
  const { channel, body, who = FOR_NOBODY, renders = sharedRenders() } = input
  const source = { id: body?.id ?? `ready:${channel}`, version: body?.version ?? 1, subject: '-' }
  const text = await renders.text(who, { ...source, body: body?.text ?? READY_TEXTS[channel] }, context)
  // Carriers and the law ask for the way out in every SMS.
  const hasUnsubscribeLink = channel !== 'sms' || /\bSTOP\b/i.test(text)
  return { text: hasUnsubscribeLink ? text : `${text}\nReply STOP to opt out.`, template: null }
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
    throw new TemplateError(
      'invalid_link',
      `The template’s button links to ${prefix}, but links from this server begin differently.`,
    )
  }
  const buttonUrlSuffix = prefix === null ? null : context.checkoutLink.slice(prefix.length)
  return { text, template: { name: approved.name, language: approved.language, body, buttonUrlSuffix } }
}

function inWords(names: readonly string[]): string {
  const first = cleanText(names[0] ?? 'your items', 60)
  return names.length > 1 ? `${first} and ${names.length - 1} more` : first
}
