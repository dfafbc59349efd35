import type { TextTemplate } from '../../core/schema/public.ts'
import type { Cost, OutgoingText, TextChannel, TextChannelName } from '../../messages/channels/public.ts'
import {
  cleanText,
  getSharedRenders,
  READY_TEXTS,
  type TemplateContext,
  TemplateError,
} from '../../messages/templates/public.ts'
import {
  buildCartContext,
  buildCouponContext,
  type ComposeInput,
  createLinks,
  DEFAULT_LOCALE,
  type LinkToken,
  NO_ACCOUNT,
  pageWithoutCart,
} from './compose.ts'

// Composes one SMS or WhatsApp message and its price, for sends and previews.

export interface ComposeTextInput extends Omit<ComposeInput, 'template' | 'brand'> {
  channel: TextChannelName
  /** E.164. */
  to: string
  /** The owner's text; null: the built-in one. */
  body: { id: string; version: number; text: string } | null
  /** The approved WhatsApp template, required outside the 24-hour window. It replaces the owner's text. */
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

/** Throws a TemplateError if the text cannot be rendered. */
export async function composeText(input: ComposeTextInput): Promise<ComposedText> {
  const { tokens, checkoutLink } = createLinks(input, pageWithoutCart(input))
  const context = buildTextContext(input, checkoutLink)
  const { text, template } = input.approved ? fillApproved(input.approved, context) : await freeText(input, context)
  const marked = input.isTest && !template ? `[Test] ${text}` : text
  const { segments, cost } = input.estimate({ to: input.to, text: marked, template })
  return { text: marked, template, tokens, segments, cost }
}

/** Variables of a text. They contain no markup. */
export function buildTextContext(
  input: Pick<ComposeTextInput, 'cart' | 'store' | 'coupon' | 'entered' | 'locale'>,
  checkoutLink: string,
): TemplateContext {
  const { cart, store, locale = DEFAULT_LOCALE } = input
  const { coupon, entered } = buildCouponContext(input)
  // A text names one item and counts the others, so it shows only available ones.
  const available = cart.items.filter((item) => !item.isGone)
  const cartContext = buildCartContext({ cart: { ...cart, items: available }, store, locale })
  return {
    ...cartContext,
    customerName: cleanText(cartContext.customerName, 40),
    // A text has no room for two totals, so it shows the one with the entered coupon.
    cartTotal: entered?.total ?? cartContext.cartTotal,
    checkoutLink,
    coupon,
    unsubscribeLink: checkoutLink,
    senderName: store.senderName || store.name,
    postalAddress: store.postalAddress || store.name,
    locale,
  }
}

async function freeText(input: ComposeTextInput, context: TemplateContext) {
  const { channel, body, who = NO_ACCOUNT, renders = getSharedRenders() } = input
  const source = { id: body?.id ?? `ready:${channel}`, version: body?.version ?? 1, subject: '-', design: null }
  const text = await renders.text(who, { ...source, body: body?.text ?? READY_TEXTS[channel] }, context)
  // Carriers and the law require opt-out instructions in every SMS.
  const hasUnsubscribeLink = channel !== 'sms' || /\bSTOP\b/i.test(text)
  return { text: hasUnsubscribeLink ? text : `${text}\nReply STOP to opt out.`, template: null }
}

const LONGEST_PARAMETER = 250

function fillApproved(approved: TextTemplate, context: TemplateContext) {
  const values = {
    customer_name: context.customerName || 'there',
    cart_items: listNames(context.items.map((item) => item.name)),
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

function listNames(names: readonly string[]): string {
  const first = cleanText(names[0] ?? 'your items', 60)
  return names.length > 1 ? `${first} and ${names.length - 1} more` : first
}
