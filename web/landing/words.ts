// What the landing page says; Liquid's braces are filled in by the server. Every sentence is a rule of the engine or a figure of docs/reliability.md and
// docs/reliability-outages.md: change it there first.

export const TITLE = 'Recoup: abandoned cart recovery that shows its proof'
export const DESCRIPTION =
  'Recoup wins back abandoned carts for WooCommerce stores: never after the purchase, never twice, never without consent. And it shows you the proof for every message.'

export interface Proof {
  id: string
  complaint: string
  answer: string
  proofs: string[]
}

/** What owners complain of in products of this kind; why it does not happen here; how that is known. */
export const proofs: Proof[] = [
  {
    id: 'after-purchase',
    complaint: 'A reminder after the purchase',
    answer:
      'A message is decided when it is due, not when the cart was left. Right before it leaves, Recoup reads the store’s orders, to the last page. An order by that email, phone or customer number ends the reminders. If the store does not answer, orders known from the last 15 minutes are enough; if they are older, the message waits, and after 24 hours it is dropped.',
    proofs: [
      'Each message’s record shows what was known at that moment, and why it was sent or not.',
      'The simulator looks, after every step, for a mail that left although a reading less than 60 seconds old could tell of the purchase. One such mail is a failure.',
    ],
  },
  {
    id: 'twice',
    complaint: 'The same message twice',
    answer:
      'Cart, step and channel make a message’s key, and the key is unique in the database. It is marked as handed over before it goes on the wire. If no answer comes back, it is called “unknown” and never sent again by itself, because it may have arrived.',
    proofs: [
      'Tests kill the real server, and its database, while mail is on its way.',
      'The simulator kills workers after any statement, before or after the mail server took the mail. A key that is accepted twice is a failure.',
    ],
  },
  {
    id: 'revenue',
    complaint: '“Recovered revenue” nobody believes',
    answer:
      'Only a person’s click on our link, or “Restore Cart”, within five days before the order counts. Opened mails never count, nor do machines that follow links. An order counts once, and refunds come off. Leave some shoppers out as a control group, and you can see what would have come back anyway.',
    proofs: [
      'The cart’s page names the message an order is given to, or says that it is given to none.',
      'After every step of the simulator: revenue goes to the last human touch or to nobody, and is never more than the store took.',
    ],
  },
  {
    id: 'consent',
    complaint: 'Mails nobody consented to',
    answer:
      'A consent ledger and a table of rules per country decide whether a mail may go. Unknown is not a yes, and where the country is not known the strictest rule holds. Every mail has a one-click unsubscribe; it reaches whatever has not left yet within a second.',
    proofs: [
      'The reason is on screen{% if hasDemo %}: leave a cart in the demo as a shopper from Germany, and read the refusal{% endif %}.',
      'In the simulator, a mail that leaves a second after an unsubscribe is a failure, and so is one that stays open.',
    ],
  },
  {
    id: 'silence',
    complaint: 'Sending that silently stopped',
    answer:
      'Seeing carts, reading the store, noticing what was left, sending: each stage is looked at every minute. How much silence is too much comes from your own store’s last four weeks, hour by hour. You get one notice that says what stopped, since when, and what to do, and one more when it is over.',
    proofs: [
      'In made-up shops with 1,000 visits a day, a script that stopped at noon was noticed after about half an hour.',
      'In 700 made-up shop-months with weekends, holidays and quiet nights there was no false alarm.',
    ],
  },
]

export const steps = [
  {
    title: 'Sees the cart',
    text: 'One line in your shop’s pages reports carts and the contact typed at checkout. Orders, products and customers come from your store itself.',
  },
  {
    title: 'Decides at the last moment',
    text: 'Still left? Not bought meanwhile? Allowed to write? Room under the limits? The first check that fails decides, and its reason is kept.',
  },
  {
    title: 'Brings them back',
    text: 'A mail with your words leads to a refilled cart in your own store. What you see in the preview is what is sent, made by the same code.',
  },
  {
    title: 'Counts honestly',
    text: 'An order counts once, for a person’s click before it, net of refunds. A control group shows what would have come back anyway.',
  },
]

export const trials = [
  {
    title: 'Every rule, after every step',
    text: 'What the engine did is compared with what the store and the mail server really saw. One mail too many ends the run.',
  },
  {
    title: 'Killed at any statement',
    text: 'Two workers, either of which may end at any moment. Clocks jump, notices come late, twice or never, the mail server falls silent with the mail taken.',
  },
  {
    title: 'Mistakes made on purpose',
    text: 'For every rule a mistake is planted in the engine, and has to be caught. A check that cannot fail would prove nothing.',
  },
]

/** Said before somebody finds out. */
export const limits = [
  'An order that the store did not know of yet when it was read, moments before the mail left, cannot be seen.',
  'Accepted by a mail server is not the same as read in an inbox. Recoup says which of the two it knows.',
  'If a server dies with mail on the wire, those few messages stay “unknown”. They are not tried again by themselves.',
  'In a shop with five visits a day, silence says nothing. There, only the other stages are watched.',
]
export const notYet =
  'Today Recoup connects WooCommerce stores and sends email. Shopify, SMS and WhatsApp are being built; the plans already say what they will include.'

export const questions = [
  {
    question: 'What do I need to connect my store?',
    answer:
      'A WooCommerce REST API key with Read/Write permissions, and one line of script in your shop’s pages. Recoup tells you step by step where to click, and what is missing.',
  },
  {
    question: 'Does anything go out before I say so?',
    answer:
      'No. A new store gets a ready flow that is switched off. You read its mails as your shoppers would get them, with a real cart, and switch it on.',
  },
  {
    question: 'What happens when I reach a limit?',
    answer:
      'Sending stops and says so. You are never moved to another plan, and what waits is held while it still makes sense.',
  },
  {
    question: 'Can I run it myself?',
    answer:
      'Yes. One command starts all of it on your own machine, with its database, a demo store to abandon a cart in, and a mailbox to read the mail.',
  },
]
