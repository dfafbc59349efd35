import { chooseTextLocale, DEFAULT_LOCALE, getLanguagePart } from '../../../shared/core/locale.ts'
import { isPromiseReadable } from '../../../shared/messages/brand.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { findCouponProblem, findEnd, MIN_VALID_MS } from '../../carts/coupons/public.ts'
import { chooseLinkBase } from '../../carts/links/public.ts'
import {
  isBuiltInBody,
  type MailBrand,
  replaceSubject,
  TemplateError,
  type TemplateSource,
} from '../../messages/templates/public.ts'
import {
  buildCurrentContents,
  type ComposedMail,
  type ComposedPush,
  type ComposedText,
  composeEmail,
  composePush,
  composeText,
  type DisplayedCoupon,
} from '../compose/public.ts'
import { computeTotalAfter } from './coupon-finding.ts'
import { type DecisionContext, getRequiredTemplate } from './decision-inputs.ts'
import * as load from './evaluate-sql.ts'
import { findCoupon, getDisplayedGoods, getEmail } from './message-coupon.ts'

// Composes the messages of rows. An owner's text is rendered in a thread that can be killed, and only twice if it
// crashed a process.

/** A mail has a subject and HTML, a text has a price, a notification has the payload for the service worker. */
export type AnyComposed = ComposedMail | ComposedText | ComposedPush
export const isPush = (composed: AnyComposed): composed is ComposedPush => 'payload' in composed
export const isText = (composed: AnyComposed): composed is ComposedText => 'segments' in composed

/** Composes one message. Throws a TemplateError. */
export async function compose(
  context: DecisionContext,
  row: load.ClaimedRow,
  { isTest = false, isSample = false } = {},
): Promise<AnyComposed> {
  const { deps, situation, brand, texts, inWindow, hashes } = context
  const coupon = findCoupon(context, row)
  const base = {
    messageId: row.id,
    locale: chooseTextLocale(findTextLanguage(row, situation.locale), { ...row, store: situation.locale }),
    cart: { ...buildCurrentContents(row, context.goods), currency: row.currency, firstName: row.first_name },
    store: {
      id: situation.store_id,
      name: situation.name,
      url: situation.url,
      homeUrl: situation.home_url,
      senderName: situation.sender_name,
      postalAddress: situation.postal_address,
      timeZone: situation.time_zone,
    },
    ...(coupon?.outcome === 'included' ? { coupon } : { coupon: null, entered: enteredCoupon(context, row) }),
    pageUrl: row.manual?.cartUrl ?? null,
    publicUrl: deps.config.publicUrl,
    secrets: deps.secrets,
    products: context.products,
    isTest,
    ...(isSample && { sampleHost: new URL(deps.config.publicUrl).host }),
    who: { queue: context.isImagined ? ('asking' as const) : ('sending' as const), accountId: situation.account_id },
    renders: deps.renders,
  }
  const publicUrl = chooseLinkBase(deps.config.publicUrl, situation.link_host)
  if (row.channel === 'email') {
    const template = buildTemplateSource(row)
    const isReadable = isPromiseReadable(template.design?.language ?? null, situation.locale)
    return composeEmail({ ...base, publicUrl, brand: isReadable ? brand : omitPromise(brand), template })
  }
  if (row.channel === 'push') {
    const icon = row.manual?.iconUrl ?? brand.logo?.url ?? null
    return composePush({ ...base, cartId: row.cart_id, icon, template: buildTemplateSource(row) })
  }
  const channel = texts.get(row.channel)
  if (!channel) throw new TemplateError('render_failed', 'This channel is not configured.')
  const to = load.getAddress(row) ?? ''
  const approved = getRequiredTemplate(channel, inWindow.has(hashes.get(to) ?? ''))
  if (approved === null) throw new TemplateError('render_failed', 'No approved template is chosen.')
  const { body, ...template } = buildTemplateSource(row)
  return composeText({
    ...base,
    channel: row.channel,
    to,
    body: body ? { ...template, text: body } : null,
    approved: approved === 'free' ? null : approved,
    estimate: (message) => channel.estimate(message),
  })
}

/** One object for each brand: compiled mails are found by it. */
function omitPromise(brand: MailBrand): MailBrand {
  const known = withoutPromise.get(brand) ?? { ...brand, promise: '' }
  withoutPromise.set(brand, known)
  return known
}
const withoutPromise = new WeakMap<MailBrand, MailBrand>()

/** The language of an owner's words: what the document says, English for our texts, else the store's. */
function findTextLanguage(row: load.ClaimedRow, store: string | null): string {
  const { body, design } = buildTemplateSource(row)
  if (design?.language) return design.language
  const isOurs = !design && (body === '' || isBuiltInBody(body))
  return getLanguagePart(isOurs || store === null ? DEFAULT_LOCALE : store)
}

/** A manual message's own text replaces the template's. The text of a job is compiled once for all its messages. */
export function buildTemplateSource(row: load.ClaimedRow): TemplateSource {
  const own = row.manual
  const design = row.channel === 'email' ? findDesign(row) : null
  const isOwn = own !== null && (own.subject !== null || own.body !== null)
  const version = row.template_version ?? (isOwn ? 1 : 0)
  return {
    id: isOwn ? (own.jobId ?? row.id) : (row.template_id ?? row.id),
    // A text whose document was not loaded must not stay in the caches as the mail of this version.
    version: (isOwn && !own.jobId) || design === undefined ? 0 : version,
    subject: own?.subject ?? row.template_subject ?? '',
    body: own?.body ?? row.template_body ?? '',
    design: design ?? null,
  }
}

/** A subject of its own replaces that of the template's document. undefined: the documents were not loaded. */
function findDesign({ manual, template_design: design }: load.ClaimedRow): MailDocument | null | undefined {
  if (manual && manual.body !== null) return manual.design
  if (!design) return design
  return manual?.subject ? replaceSubject(design, manual.subject) : design
}

// The coupon a shopper entered into the cart. It affects no decision and no text, only the total, which is that of the
// cart as the shopper left it. Pure except for the keyed hash of an address.

/** null: there is none, it is no longer valid, or its discount is unknown. */
function enteredCoupon(context: DecisionContext, row: load.ClaimedRow): DisplayedCoupon | null {
  const coupon = context.entered.get(row.id)
  const cart = getDisplayedGoods(context, row)
  if (!coupon || !cart) return null
  const { state, usedBefore, code } = coupon
  const { now } = context
  if (findCouponProblem(state, { now, goodForMs: MIN_VALID_MS, email: getEmail(context, row), usedBefore, cart }))
    return null
  const totalMinor = computeTotalAfter(cart, state)
  if (totalMinor === null || totalMinor === cart.displayedMinor) return null
  return {
    code,
    totalMinor,
    minSpendMinor: state.minSpendMinor,
    expiresAt: findEnd(state),
    isFreeShipping: false,
    percent: state.percent,
    amountMinor: state.amountMinor,
    currency: state.currency,
  }
}
