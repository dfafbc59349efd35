import { isStoreProblem, STORE_PROBLEM_TEXT } from '../access/store-problems.ts'
import { textCodes } from '../messages/text-codes.ts'
import { pluginTexts } from '../platforms/plugin-texts.ts'

// Texts of the reasons why a message was sent, held, skipped or cancelled, for shop owners.
// `server/delivery/decide/decide.ts` and `server/messages/messages/messages.ts` write the codes.

const UNREAD = 'The shopper may have bought already, so nothing is sent until the orders have been read.'

const COUPON_WAITS = 'Messages with a coupon wait; others are sent.'

export const reasonTexts: Record<string, string> = {
  ok: 'Every check passed at the moment of sending.',
  instance_paused: 'This installation is paused until the server’s administrator confirms that it is the live one.',
  account_suspended: 'The operator of this server has suspended sending for this account.',
  store_resting:
    'The plan does not include this store, so it is inactive. It sends nothing until you choose a larger plan or other stores.',
  sending_paused: 'All sending for this store is paused until an owner or admin resumes it.',
  store_disconnected: 'The store is disconnected.',
  sender_missing: 'The sender name or postal address is missing. Marketing emails must contain both.',
  flow_off: 'The flow is switched off.',
  flow_removed: 'The flow or this step no longer exists.',
  campaign_paused: 'The campaign is paused.',
  campaign_cancelled: 'The campaign was cancelled.',
  campaign_deleted: 'The campaign was deleted.',
  campaign_left_out: 'The shopper was removed from the campaign before this was sent.',
  campaign_dropped: 'A member of your team dropped this message while it was on hold.',
  cart_active: 'The shopper is still active. Messages are sent only after a period without activity.',
  purchase_in_progress: 'An order is waiting for payment, so nothing is sent for now.',
  purchased: 'The shopper has bought. No more messages are sent for this cart.',
  emptied: 'The cart was emptied in the shop.',
  lost: 'The cart was closed as lost.',
  merged: 'Two carts of this shopper were merged. Only one of them gets messages.',
  too_old: 'The message expired before it could be sent.',
  'too_old:no_contact': 'No email address was captured in time.',
  'too_old:contact_unconfirmed':
    'New contacts exceeded the limit, and no order or draft order confirmed this email address in time.',
  superseded: 'A later message about this cart was already due or sent.',
  holdout: 'This shopper is in the control group, which gets no messages.',
  suppressed_unsubscribed: 'The shopper has unsubscribed.',
  suppressed_complaint: 'The shopper reported an earlier message as spam.',
  suppressed_hard_bounce: 'The address does not exist: an earlier message bounced.',
  suppressed_manual: 'The address was added to the suppression list manually.',
  suppressed_invalid: 'The address is not valid.',
  suppressed_erased: 'The person’s data was erased.',
  no_contact: 'No usable email address has been captured yet.',
  contact_unconfirmed:
    'New contacts exceeded the limit. This email address is used once an order or draft order confirms it.',
  no_consent: 'The law where the shopper lives requires consent first, and none was given.',
  consent_pending: 'The shopper was asked to confirm and has not answered yet.',
  consent_unconfirmed: 'The shopper opted in, but the law where they live requires a confirmation, which is missing.',
  consent_withdrawn: 'The shopper has withdrawn consent.',
  store_unreachable: `The store’s orders could not be read. ${UNREAD}`,
  'store_unreachable:internal': `Reading the store failed on our side. ${UNREAD}`,
  'store_unreachable:keys_unreadable': `The store’s keys can no longer be read. Connect the store again. ${UNREAD}`,
  'store_unreachable:orders_unreported': `Recoup cannot reach the shop. The message waits for the plugin’s next report of orders, because the shopper may have bought already. ${pluginTexts.reportsByCron}`,
  'store_unreachable:stock_unreported': `The shop’s plugin has not reported stock and prices yet. The message is sent within a minute of its report. ${pluginTexts.reportsByCron}`,
  'store_unreachable:plugin_outdated':
    'Recoup cannot reach the shop, and this version of its plugin does not report stock and prices. Update the plugin in WordPress.',
  items_gone: 'Everything in the cart is sold out or no longer for sale.',
  frequency_cap: 'The shopper has reached the frequency cap, which is set under Settings, Recovery rules.',
  coupon_pending: 'The personal coupon code of this message is being created in the store.',
  coupon_failed: 'The store did not create the personal coupon code of this message. Recoup keeps trying.',
  coupon_unread: `The store did not answer about the coupon. ${COUPON_WAITS}`,
  coupon_invalid: 'The coupon is not valid for this message.',
  'coupon_invalid:gone': 'The coupon was deleted in the store.',
  'coupon_invalid:unreadable': 'The store did not return the coupon. Check that the store’s key may read coupons.',
  'coupon_invalid:inactive': 'The coupon is not active.',
  'coupon_invalid:not_started': 'The coupon has not started yet.',
  'coupon_invalid:expired': 'The coupon has expired, or expires too soon for the shopper to use it.',
  'coupon_invalid:used_up': 'The coupon has been used as often as its usage limit allows.',
  'coupon_invalid:used_before': 'The shopper has used this coupon as often as one customer may.',
  'coupon_invalid:email': 'The coupon is restricted to other email addresses.',
  'coupon_invalid:currency': 'The coupon is in another currency than the cart.',
  'coupon_invalid:min_spend': 'The cart is below the coupon’s minimum spend.',
  'coupon_invalid:max_spend': 'The cart is above the coupon’s maximum spend.',
  'coupon_invalid:products': 'The coupon is for other products than those in the cart.',
  'coupon_invalid:sale_items': 'The coupon excludes sale items, and the cart has them.',
  'coupon_invalid:nothing_off': 'The coupon gives no discount on this cart.',
  coupon_withheld: 'The step’s coupon rules exclude this shopper.',
  'coupon_withheld:first_order': 'The coupon is for first-time buyers only, and this shopper has bought before.',
  'coupon_withheld:pause': 'The shopper used one of your coupons recently. The step requires a pause between coupons.',
  'coupon_withheld:above': 'The coupon is only for carts above an amount, which this cart does not reach.',
  render_failed: 'The message could not be rendered from its template.',
  'render_failed:too_slow': 'The message’s text takes too long to render. Please simplify it.',
  template_error: 'The message’s text took too long to render, twice. Simplify the text and send it again.',
  plan_limit: 'The plan’s messages for this month are used up.',
  retry: 'The mail server temporarily refused the message. It will be retried.',
  changed: 'The cart changed just before sending, so the message is checked again.',
  disconnected: 'The store was disconnected.',
  condition: 'The cart or its shopper did not meet the step’s conditions when the message was due.',
  step_removed: 'The step was removed from the flow.',
  accepted: 'The message was sent.',
  rejected: 'The mail server permanently refused the message.',
  'rejected:smtp_550':
    'The mail server permanently refused the message: it does not know the address, or does not accept such email.',
  'rejected:smtp_552':
    'The mail server permanently refused the message: the mailbox is full, or the email is too large for it.',
  'rejected:smtp_553': 'The mail server permanently refused the message: it does not accept the address.',
  'rejected:smtp_554': 'The mail server permanently refused the message: it does not accept such email.',
  unknown: 'The message may have been sent, but no answer came. It is never resent automatically.',
  bounced: 'The message bounced: the address does not exist or accepts no email. It gets no more messages.',
  'bounced:refused': 'The message bounced: the receiving server refused it, but not because of the address.',
  'bounced:soft': 'The receiving server could not deliver it yet, for example because the mailbox is full.',
  complaint: 'The shopper reported this message as spam. The address gets no more messages.',
  opt_out: 'The shopper unsubscribed at the mail provider. The address gets no more messages.',
  delivered: 'The message reached the shopper.',
  undelivered: 'The message did not reach the shopper.',
  mail_not_configured:
    'No mail server is set up yet, so no email is sent. Enter one under Settings, Sending, Mail server.',
  mail_server_away:
    'Your mail server is not accepting email at the moment. Recoup keeps retrying; Settings, Sending, Mail server shows its answer.',
  'accepted:mailbox':
    'The message is in the mailbox on this server. It was not sent to the shopper, because no mail server is set up.',
  push_not_configured: 'Push notifications are not set up yet. Generate VAPID keys under Push notifications.',
  sms_not_configured: 'SMS is not set up yet. Enter the credentials under Settings, Sending.',
  whatsapp_not_configured: 'WhatsApp is not set up yet. Enter the credentials under Settings, Sending.',
  template_missing:
    'WhatsApp delivers only approved templates unless the shopper wrote within the last 24 hours. No template is chosen under Settings, Sending.',
  whatsapp_marketing_refused: 'WhatsApp delivers no marketing messages to numbers that begin with +1.',
  sms_once_per_cart: 'A US shopper may get only one SMS per cart, and it was already sent.',
  sms_too_late: 'In the US, an SMS about a cart may be sent only within 48 hours of abandonment.',
  cooldown: 'A message of the same kind was sent for this cart a short time ago.',
  quiet_hours: 'It is within quiet hours where the shopper lives.',
  domain_throttled: 'The receiving server is refusing more email for now. Recoup retries with one message at a time.',
  plan_required: 'SMS and WhatsApp in flows and planned campaigns are part of the Growth plan.',
  new_account:
    'New accounts have a daily limit on first emails to people without an order. Recoup retries automatically; the limit rises after a day, a week and a month.',
  budget: 'The monthly budget for SMS and WhatsApp is used up.',
  cart_missing: 'Cart not found in this store.',
  customer_missing: 'Customer not found in this store.',
}

/** Texts that differ for SMS and WhatsApp. */
const TEXT_MESSAGE_REASONS: Record<string, string> = {
  no_contact: 'No usable phone number has been captured yet.',
  'too_old:no_contact': 'No phone number was captured in time.',
  'too_old:contact_unconfirmed':
    'New contacts exceeded the limit, and no order or draft order confirmed this phone number in time.',
  contact_unconfirmed:
    'New contacts exceeded the limit. This phone number is used once an order or draft order confirms it.',
  suppressed_hard_bounce: 'The number does not accept messages.',
  suppressed_manual: 'The number was added to the suppression list manually.',
  suppressed_invalid: 'The number is not valid or does not accept messages.',
  suppressed_unsubscribed: 'The shopper has opted out of messages (STOP).',
  no_consent: 'The shopper has not opted in to messages on this channel, and opt-in is required.',
  consent_pending: 'The shopper was asked by SMS to confirm and has not replied YES yet.',
  retry: 'The provider temporarily refused the message. It will be retried.',
  accepted: 'The message was sent.',
  rejected: 'The provider permanently refused the message.',
}

/** Texts that differ for push. */
const PUSH_REASONS: Record<string, string> = {
  no_contact: 'The shopper has not allowed notifications in the browser that filled the cart.',
  'too_old:no_contact': 'The browser that filled the cart did not allow notifications in time.',
  no_consent: 'The shopper has not allowed notifications.',
  consent_withdrawn: 'The shopper has stopped these notifications.',
  delivered: 'The shopper’s browser has shown the notification.',
  suppressed_unsubscribed: 'The shopper has unsubscribed.',
  retry: 'The push service temporarily refused the notification. It will be retried.',
  accepted: 'The notification was sent.',
  rejected: 'The push service permanently refused the notification.',
  'rejected:push_gone': 'None of the shopper’s browsers accepts notifications any more.',
  'rejected:push_413': 'The notification is too large for the push service, even without its picture.',
  'rejected:push_private_address': 'The push service’s address is in a private network, so nothing was sent there.',
}

/**
 * The text of a reason. SMS and WhatsApp have variants, also by provider code (`undelivered:30005`). For temporary
 * failures, the code is in the provider's response (`190 Error validating access token`).
 */
export function explain(reason: string | null, channel?: string, response?: string | null): string {
  if (!reason) return ''
  const [kind = '', detail = ''] = reason.split(':')
  const isText = channel === 'sms' || channel === 'whatsapp'
  if (isText && textCodes[detail]) return textCodes[detail].text
  const answered = isText && reason === 'retry' ? textCodes[/^\d+/.exec(response ?? '')?.[0] ?? ''] : undefined
  if (answered) return `${answered.text} It will be retried.`
  return (
    (isText
      ? (TEXT_MESSAGE_REASONS[reason] ?? TEXT_MESSAGE_REASONS[kind])
      : channel === 'push'
        ? (PUSH_REASONS[reason] ?? PUSH_REASONS[kind])
        : undefined) ??
    reasonTexts[reason] ??
    describeStoreReason(reason) ??
    reasonTexts[kind] ??
    reason
  )
}

/** Names the store's error, such as a refused connection instead of a slow response. */
function describeStoreReason(reason: string): string | undefined {
  const [kind, problem] = reason.split(':')
  const ending = kind === 'store_unreachable' ? UNREAD : kind === 'coupon_unread' ? COUPON_WAITS : undefined
  const texts = ending && isStoreProblem(problem) ? STORE_PROBLEM_TEXT[problem] : undefined
  return texts && `${texts.sentence} ${ending}`
}
