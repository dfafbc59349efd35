// The built-in templates that owners start from. They claim nothing unknown: no invented scarcity, no countdown, and a
// discount only where the message carries one.

export interface ReadyTemplate {
  id: string
  name: string
  subject: string
  body: string
}

const ITEMS_AND_TOTAL = `{{ cart_items }}

{% if discounted_total == cart_total %}
Total: {{ cart_total }}
{% endif %}

{{ checkout_link }}`

/** For flows and campaigns (the wizard's choice). `custom` starts blank. */
export const CAMPAIGN_TEMPLATES: readonly ReadyTemplate[] = [
  {
    id: 'first_reminder',
    name: 'First reminder',
    subject: 'You left something in your cart at {{ store_name }}',
    body: `# We saved your cart

Hi {{ customer_name }},

You didn't finish checking out at {{ store_name }}. No problem: we saved your cart, and the button below brings you back to it.

${ITEMS_AND_TOTAL}

Did something go wrong at checkout, or do you have a question? We're happy to help.

Warm regards,
{{ store_name }}`,
  },
  {
    id: 'second_reminder',
    name: 'Second reminder',
    subject: 'Still thinking it over? Your cart is saved',
    body: `# Take your time

Hi {{ customer_name }},

Still deciding? Your cart at {{ store_name }} is saved.

${ITEMS_AND_TOTAL}

Not sure about a size, the delivery or a return? Ask us before you decide; that is what we are here for.

Warm regards,
{{ store_name }}`,
  },
  {
    id: 'last_reminder',
    name: 'Last reminder',
    subject: 'Last reminder about your cart at {{ store_name }}',
    body: `# One last note about your cart

Hi {{ customer_name }},

This is our last email about the cart you left with us. If you still want it, it is one step away.

${ITEMS_AND_TOTAL}

If you have changed your mind, there is nothing to do. Anything we could have done better? We'd love to hear it.

Thank you for stopping by,
{{ store_name }}`,
  },
  { id: 'custom', name: 'Custom (blank)', subject: '', body: '' },
]

/** Sentences that were replaced, each with the former one: stores keep the texts they were created with. */
export const FORMER_SENTENCES: readonly (readonly [now: string, before: string])[] = [
  ["We're happy to help.", 'Get in touch: we are happy to help.'],
  [
    'Still deciding? Your cart at {{ store_name }} is saved.',
    'Some things are worth sleeping on. Your cart at {{ store_name }} is still saved, in case you would like another look.',
  ],
  [
    "Anything we could have done better? We'd love to hear it.",
    'And if we could have done something better, we would be glad to hear it.',
  ],
]

/** For "Send to All Abandoned Carts". */
export const QUICK_SEND_TEMPLATES: readonly ReadyTemplate[] = [
  {
    id: 'default',
    name: 'Default',
    subject: 'Your cart at {{ store_name }} is waiting for you',
    body: `# Your cart is waiting

Hi {{ customer_name }},

You left something in your cart at {{ store_name }}. The button below brings you back to it, and from there you can continue to checkout.

${ITEMS_AND_TOTAL}

Warm regards,
{{ store_name }}`,
  },
  {
    id: 'discount',
    name: 'Discount (10% off)',
    subject: '{{ coupon_amount }} off your cart at {{ store_name }}',
    body: `{% if coupon_amount %}
# {{ coupon_amount }} off your cart
{% else %}
# Your cart is waiting
{% endif %}

Hi {{ customer_name }},

We would love to see you back, so here is {{ coupon_amount }} off what is in your cart.

${ITEMS_AND_TOTAL}

Enjoy,
{{ store_name }}`,
  },
  {
    id: 'urgency',
    name: 'Urgency',
    subject: 'Your cart will not wait forever',
    body: `# Still want these?

Hi {{ customer_name }},

A quick heads-up: we cannot hold the items in your cart, and prices and stock can change at any time. If you still want them, now is a good moment.

${ITEMS_AND_TOTAL}

Warm regards,
{{ store_name }}`,
  },
]

/** For a manual text. An SMS names its sender and how to stop it. */
export const READY_TEXTS = {
  sms: 'Hi {{ customer_name }}, you left {{ cart_items }} in your cart at {{ store_name }}. Pick up where you left off: {{ checkout_link }}\nReply STOP to opt out.',
  whatsapp:
    'Hi {{ customer_name }}, you left {{ cart_items }} in your cart at {{ store_name }} ({{ cart_total }}). Pick up where you left off: {{ checkout_link }}',
} as const

/** For a manual mail when the store has no template left. */
export const READY_EMAIL = QUICK_SEND_TEMPLATES[0]!
