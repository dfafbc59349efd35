import { billingTexts } from '../../../shared/billing/billing-texts.ts'

// Texts of the landing page. Each sentence needs its proof in `test/claims.ts`: change the rule first. Liquid reads the
// running instance.

export const TITLE = 'Recoup: abandoned cart recovery that shows its proof'
export const DESCRIPTION =
  'Recoup wins back abandoned carts for WooCommerce and Shopify stores: never after the purchase, never twice, never without consent. It shows the proof for every message.'

/** The cart's path. Also the stations of the app's thread. */
export const path = [
  {
    id: 'cart',
    title: 'Cart',
    text: 'Our plugin for WooCommerce, or one line in your shop’s pages, reports the cart and the contact details entered at checkout.',
  },
  {
    id: 'abandoned',
    title: 'Abandoned',
    text: 'After a pause you choose, from 15 minutes to 7 days. Only the shopper’s own actions count as activity.',
  },
  {
    id: 'message',
    title: 'Message',
    text: 'Checked when it is due: the store’s orders, consent, limits. The first failed check decides, and its reason is recorded.',
  },
  {
    id: 'click',
    title: 'Click',
    text: 'The link refills the cart in your own store. The page names items that are sold out, dearer or fewer.',
  },
  {
    id: 'bought',
    title: 'Bought',
    text: 'The remaining reminders stop. The order counts once, net of refunds.',
  },
] as const

export interface Problem {
  id: string
  complaint: string
  answer: string
}

/** Common complaints about similar products, and why they do not happen here. Evidence: web/screens/site/HowWeTestPage.tsx. */
export const problems: Problem[] = [
  {
    id: 'after-purchase',
    complaint: 'A reminder after the purchase',
    answer:
      'Orders are read from your store less than a minute before sending. An order by the same email, an alias of it, phone or customer number ends the reminders. If the store does not answer, nothing is sent.',
  },
  {
    id: 'twice',
    complaint: 'The same message twice',
    answer:
      'The database accepts one message per cart, step and channel. If no answer comes back, the message is “unknown” and never sent again, because it may have arrived.',
  },
  {
    id: 'revenue',
    complaint: 'Inflated “recovered revenue”',
    answer:
      'Only a person’s click, a press of “Restore Cart” or the message’s own coupon code counts, within five days unless you choose otherwise. Opens and machines never count.',
  },
  {
    id: 'consent',
    complaint: 'Emails without consent',
    answer:
      'Rules per country and a ledger of consents decide. Where the country is unknown, the strictest rule applies. Every marketing email has one-click unsubscribe, and it stops all unsent messages.',
  },
  {
    id: 'silence',
    complaint: 'Sending that stops silently',
    answer:
      'Cart tracking, order sync, detection and sending are each checked every minute, against your own store’s last four weeks. Alerts come on screen and by email.',
  },
]

/** What few others can say. Each has a figure that a test or a measurement gives. */
export const facts = [
  { figure: 'Messages', text: `${billingTexts.pricedBy} A large list costs nothing until you write to it.` },
  {
    figure: '0.6 ms',
    text: 'The plugin’s own time per page (median, measured with WooCommerce 10.5). No page waits for Recoup.',
  },
  {
    figure: '300',
    text: 'reachable people a month are enough for a control group that detects a doubling of purchases in 90 days.',
  },
  { figure: '100+', text: 'reasons why a message was sent, waits or was not sent, each in a sentence.' },
  { figure: '1 zip', text: 'has everything your account holds. Deleting the account deletes its data within minutes.' },
  { figure: '1 file', text: 'is the whole backup if you run Recoup yourself, with your own mail server.' },
] as const

export const questions = [
  {
    question: 'What works today?',
    answer:
      'WooCommerce and Shopify stores, recovery by email, SMS, WhatsApp and (for WooCommerce) web push, campaigns and coupons. {% if hasCredits %}SMS go through our account at Twilio or one of your own, WhatsApp through one of your own at Twilio or Meta.{% else %}SMS and WhatsApp go through an account of your own at Twilio or Meta.{% endif %}',
  },
  {
    question: 'What do I need to connect my store?',
    answer:
      'For WooCommerce, our plugin: upload it and press Connect; there is no key to copy. A REST API key with Read/Write permissions and one line of script in your shop’s pages work too. For Shopify, an app made in the Dev Dashboard, the Grow plan or a higher one, and that line of script.',
  },
  {
    question: 'Is anything sent before I switch it on?',
    answer: 'No. A new store gets a ready-made flow that is switched off. You preview its emails first.',
  },
  {
    question: 'May I email everyone who abandons a cart?',
    answer:
      'That depends on the country. In the EU an email needs an opt-in or an earlier purchase; in the United States an opt-out ends it. Recoup checks it for every message and shows the rule.',
  },
  {
    question: 'What happens when I reach a limit?',
    answer: billingTexts.atLimit,
  },
  {
    question: 'Can I bring my consents from another tool?',
    answer:
      'Yes, from a CSV file. An opt-in needs an address, a date and a source; a no in the file is never read as a yes. Every import can be undone.',
  },
  {
    question: 'Can I run it myself?',
    answer:
      'Yes. One command starts everything on your own machine: Recoup, its database, a demo store, and a mailbox to read the emails.',
  },
]
