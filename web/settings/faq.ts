// The fifteen questions of A 2.8, answered for what this product does today. Paragraphs; `link` leads to where it is done.

export interface Question {
  /** The part of the address behind #, so that an answer can be linked. */
  id: string
  question: string
  answer: readonly string[]
  steps?: 'keys'
  link?: { to: string; label: string }
}

export const questions: readonly Question[] = [
  {
    id: 'connecting',
    question: 'How do I connect my store?',
    answer: [
      'Enter the address of your WooCommerce store and a consumer key with its secret. Recoup tries them at once, says in words what is wrong if anything is, and then begins to read your orders, customers and products.',
      'Shopify stores cannot be connected to this server yet.',
    ],
    link: { to: '/settings', label: 'Store connection' },
  },
  {
    id: 'api-keys',
    question: 'Where do I find my API keys?',
    answer: ['You make them in your own WordPress admin, in five steps:'],
    steps: 'keys',
  },
  {
    id: 'required-settings',
    question: 'Which settings are needed before anything is sent?',
    answer: [
      'A sender name and a postal address: the law asks for both in marketing mail, and no flow can be switched on without them. Then read the preview of the recovery flow and switch it on. Until then nothing is sent to anyone.',
      'In your store, permalinks must not be “Plain”, and the capture script should be on every page.',
    ],
    link: { to: '/settings/sending', label: 'Sender and address' },
  },
  {
    id: 'disconnecting',
    question: 'What happens when I disconnect my store?',
    answer: [
      'Sending stops at once, messages not yet sent are cancelled, and the keys are deleted. The store’s data is deleted after 30 days. Connecting the same store before that brings everything back.',
    ],
    link: { to: '/settings', label: 'Disconnect Store' },
  },
  {
    id: 'sync',
    question: 'How often is my store’s data synced?',
    answer: [
      'Orders are read every 15 minutes, and once more right before messages go out, so that nobody is reminded of what they have just bought. Where your store can reach this server it also tells of each order as it happens, and the capture script tells of carts within seconds.',
    ],
    link: { to: '/settings', label: 'Connection doctor' },
  },
  {
    id: 'abandoned',
    question: 'What counts as an abandoned cart?',
    answer: [
      'A cart with items whose shopper has done nothing for 24 hours. You can choose from 15 minutes to 7 days. A flow that is on and writes earlier than that counts from its first message.',
    ],
    link: { to: '/settings/recovery-rules', label: 'Recovery rules' },
  },
  {
    id: 'emails',
    question: 'How do recovery emails work?',
    answer: [
      'Every store has a ready flow of three emails: after 1 hour, 24 hours and 72 hours without activity. It is off until you switch it on. Each email carries a link that brings the cart back, and a link to unsubscribe.',
      'Before each one Recoup checks that the shopper has not bought, may be written to in their country, and has not had too many messages. What was sent or not, and why, is shown with the cart.',
    ],
    link: { to: '/flows', label: 'Recovery flows' },
  },
  {
    id: 'templates',
    question: 'Can I change the email templates?',
    answer: [
      'Yes: subject and text of each step, with the shopper’s name, the cart’s items and the link where you want them. The preview is made from one of your real carts by the same code that sends.',
    ],
    link: { to: '/flows', label: 'Recovery flows' },
  },
  {
    id: 'analytics',
    question: 'How is recovered revenue measured?',
    answer: [
      'An order counts as recovered when the same shopper had clicked a link in a message, or restored the cart from it, in the days before: five, unless you choose otherwise. Opening a mail never counts. Refunds are taken off again, and each order is counted once.',
    ],
    link: { to: '/settings/recovery-rules', label: 'Attribution window' },
  },
  {
    id: 'coupons',
    question: 'Can I offer coupons?',
    answer: [
      'Recoup does not make coupons yet. A code that exists in your store can be written into the text of an email, and is redeemed in your checkout as always.',
    ],
    link: { to: '/flows', label: 'Recovery flows' },
  },
  {
    id: 'customer-data',
    question: 'Which customer data is kept, and for how long?',
    answer: [
      'Name, email, phone and country of your customers, their carts and orders, and the messages to them. No payment data and no IP addresses. It is kept while the store is connected and 30 days after that.',
      'You can export everything as a file, and delete the account with all that is in it. Under Settings, Consent you export or erase one person.',
    ],
    link: { to: '/settings/account', label: 'Export and delete' },
  },
  {
    id: 'notifications',
    question: 'Am I told when something stops working?',
    answer: [
      'Recoup watches itself: when carts, readings or messages stop coming although there should be some, it raises an alarm that whoever runs this server is told of. You see the state of each part of your store’s connection at any time in the connection doctor. Notifications in the app and in the browser do not exist yet.',
    ],
    link: { to: '/settings', label: 'Connection doctor' },
  },
  {
    id: 'requirements',
    question: 'What does my store need?',
    answer: [
      'WooCommerce 5.0 or later, permalinks other than “Plain”, and an address this server can reach. https is what you want; over http the keys are not sent but used to sign each request.',
      'Carts that are left before “Place order” need the capture script on the pages of your shop.',
    ],
    link: { to: '/settings', label: 'Capture script' },
  },
  {
    id: 'security',
    question: 'How is my data protected?',
    answer: [
      'Store keys are encrypted (AES-256-GCM) and never shown again, not even to you. Passwords are kept as Argon2 hashes. Each store’s data is kept apart from every other account’s, and every member of your team sees and does only what their role allows. You can see all your sessions and sign out everywhere.',
    ],
    link: { to: '/settings/account', label: 'Team and sessions' },
  },
  {
    id: 'support',
    question: 'How do I get help?',
    answer: [
      'Write to the support address below; the name of your store and what you see on the screen help most. Never send us a consumer secret or a password.',
    ],
  },
]

/** Those in which every word typed occurs. */
export function findQuestions(typed: string): readonly Question[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return questions.filter(({ question, answer }) => {
    const text = `${question} ${answer.join(' ')}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
