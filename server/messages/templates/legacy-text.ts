// Renders the `legacy_text` block of a document: today's text or HTML with Liquid, in today's sandbox and sanitizer.

import { PROMISE_MARK } from '../../../shared/messages/mail-chunks.ts'
import type { LegacyText, MailCoupon, MailValues } from '../../../shared/messages/mail-values.ts'
import { blocksHtml, blocksText, removeBlocks } from './blocks.ts'
import { BUTTON_MARKS } from './compile.ts'
import { cleanText, type TemplateContext, type TemplateCoupon } from './context.ts'
import { createDraft, type DraftTools } from './draft.ts'
import { tidyLines } from './scan.ts'
import { cleanContext, toShownCart, type Values } from './values.ts'

const BUTTON_END = BUTTON_MARKS[1]

type TrackLink = (url: string) => string | null

/** One block by itself; empty if nothing of it is shown. Throws a TemplateError. */
export function renderLegacyText(
  tools: DraftTools,
  source: { id: string; version: number; body: string },
  values: Values,
  trackLink: TrackLink,
): LegacyText {
  const draft = createDraft(tools, { ...source, subject: '-', design: null }, values, trackLink, true)
  const cart = toShownCart(values)
  return {
    html: blocksHtml(markButtons(draft.content), { cart, look: values.brand.look, link: draft.homeLink, promise: '' }),
    text: tidyLines(blocksText(markButtons(draft.plain), { cart, promise: '' })),
    preview: removeBlocks(draft.plain),
    links: draft.links,
    leftOut: draft.leftOut.paragraphs,
  }
}

/** The promise stands below the first button of the mail. */
const markButtons = (content: string): string => content.replaceAll(BUTTON_END, BUTTON_END + PROMISE_MARK)

/** The values of a compiled mail, from those of a text template. */
export function toMailValues(
  context: TemplateContext,
  storeHosts: ReadonlySet<string>,
  links: Pick<MailValues, 'shopLink' | 'assetsUrl' | 'trackLink'>,
): MailValues {
  const values = cleanContext(context, storeHosts)
  const { senderName, storeName, addressLines, unsubscribeLink, preferencesLink } = values.footer
  return {
    // Not the fallback of a text template, which is English.
    customerName: cleanText(context.customerName, 80),
    storeName,
    items: values.items,
    cartTotal: values.cartTotal,
    isWithoutCart: values.isWithoutCart,
    coupon: values.coupon && toMailCoupon(values.coupon),
    entered: values.entered && toMailCoupon(values.entered),
    checkoutLink: values.checkoutLink,
    unsubscribeLink,
    preferencesLink,
    senderName,
    addressLines,
    trackers: values.trackers,
    storeHosts,
    ...links,
  }
}

const toMailCoupon = (coupon: TemplateCoupon): MailCoupon => ({
  ...coupon,
  isFreeShipping: coupon.offer === 'free shipping',
})
