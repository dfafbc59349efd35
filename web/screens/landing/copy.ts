import { billingTexts } from '../../../shared/billing/billing-texts.ts'

// Texts of the landing page. Every sentence restates an engine rule: change the rule first. Liquid reads the running
// instance.

export const TITLE = 'Recoup: abandoned cart recovery that shows its proof'
export const DESCRIPTION =
  'Recoup wins back abandoned carts for WooCommerce and Shopify stores: never after the purchase, never twice, never without consent. It shows the proof for every message.'

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
      'Recoup decides about a message when it is due, not when the cart is abandoned. Right before sending, it reads the store’s orders, to the last page. An order with that email, an alias of it (ada+tea@…), phone or customer number ends the reminders. If the store does not answer, nothing is sent: the message waits, Recoup retries every 30 seconds, and after 24 hours the message is dropped.',
  },
  {
    id: 'twice',
    complaint: 'The same message twice',
    answer:
      'Each message belongs to one cart, step and channel, and the database refuses a second one. Recoup records each send before it happens. If no answer comes back, it is marked “unknown” and never resent automatically, because it may have arrived.',
  },
  {
    id: 'revenue',
    complaint: 'Inflated “recovered revenue”',
    answer:
      'Only a person’s click on our link, or “Restore Cart”, within five days before the order counts. Email opens never count, nor do machines that follow links. An order counts once, and refunds are subtracted. With a control group, you can see what would have been recovered anyway.',
  },
  {
    id: 'consent',
    complaint: 'Emails without consent',
    answer:
      'A consent ledger and a table of rules per country decide whether an email may be sent. Unknown consent is not consent, and where the country is unknown, the strictest rule applies. Every email has one-click unsubscribe; it stops all unsent messages within a second.',
  },
  {
    id: 'silence',
    complaint: 'Sending that stops silently',
    answer:
      'Cart capture, order sync, abandonment detection and sending are each checked every minute. The alarm thresholds come from your own store’s last four weeks, hour by hour.',
  },
]

export const steps = [
  {
    title: 'Detects the cart',
    text: 'A plugin for WooCommerce, or one line in your shop’s pages, reports carts and the contact details entered at checkout. Orders, products and customers come from your store itself.',
  },
  {
    title: 'Decides at the last moment',
    text: 'Is the cart still abandoned? Has the shopper bought? Is there consent? Are the limits respected? The first failed check decides, and its reason is recorded.',
  },
  {
    title: 'Brings shoppers back',
    text: 'An email with your text links to a refilled cart in your own store. The preview uses the same code that sends, so what you see is what is sent.',
  },
  {
    title: 'Counts revenue honestly',
    text: 'An order counts once, after a person’s click, net of refunds. A control group shows what would have been recovered anyway.',
  },
]

export const questions = [
  {
    question: 'What works today?',
    answer:
      'WooCommerce and Shopify stores, recovery by email, SMS, WhatsApp and (for WooCommerce) web push, campaigns and coupons. {% if hasCredits %}SMS go through our account at Twilio or one of your own, WhatsApp through one of your own at Twilio or Meta.{% else %}SMS and WhatsApp go through an account of your own at Twilio or Meta.{% endif %}',
  },
  {
    question: 'What do I need to connect my store?',
    answer:
      'For WooCommerce, our plugin: upload it and press Connect; there is no key to copy. A REST API key with Read/Write permissions and one line of script in your shop’s pages work too. For Shopify, an app made in the Dev Dashboard, the Grow plan or a higher one, and that line of script. Recoup guides you step by step and tells you what is missing.',
  },
  {
    question: 'Is anything sent before I switch it on?',
    answer:
      'No. A new store gets a ready-made flow that is switched off. You preview its emails with a real cart, exactly as your shoppers would get them, and then switch it on.',
  },
  {
    question: 'What happens when I reach a limit?',
    answer: billingTexts.atLimit,
  },
  {
    question: 'Can I run it myself?',
    answer:
      'Yes. One command starts everything on your own machine: Recoup, its database, a demo store, and a mailbox to read the emails.',
  },
]
