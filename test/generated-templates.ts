import fc from 'fast-check'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from '../server/messages/templates/ready-templates.ts'

// Templates as owners write them, and hostile ones.

const NAMES =
  'customer_name cart_total discounted_total checkout_link coupon_code coupon_amount coupon_offer coupon_minimum coupon_expires'.split(
    ' ',
  )
const name = fc.constantFrom(...NAMES, 'customer_name', 'cart_total', 'store_name', 'cart_items')

const filter = fc.constantFrom(
  ...['', '', '', '', '', ' | escape', " | default: 'friend'", ' | default: ""', " | escape | default: 'x'"],
  ...[
    ' | upcase',
    ' | capitalize',
    ' | truncate: 5',
    " | append: '<b>'",
    ' | size',
    " | replace: 'a', 'b'",
    ' | strip',
  ],
)

const output = fc
  .tuple(name, filter, fc.constantFrom('', '-'), fc.constantFrom('', '-'), fc.constantFrom(' ', '', '  '))
  .map(([of, how, before, after, blank]) => `{{${before}${blank || ' '}${of}${how}${blank || ' '}${after}}}`)

const literals = fc.constantFrom(
  ...[
    'Hi ',
    'Hello, ',
    'your cart',
    ' & ',
    '<3',
    'Total: ',
    'Total:',
    '\n',
    '\n\n',
    '\n\n',
    ' ',
    '  ',
    '…',
    '# Heading',
    '# ',
  ],
  ...[
    'https://shop.example/sale',
    'https://elsewhere.example/x.',
    'http',
    'https:',
    '://',
    '/',
    '//',
    ':',
    ';',
    '&',
    '&am',
    '&#',
    'amp;',
    '?a=1&b=2',
  ],
  ...[
    '{',
    '}',
    '{ {',
    '%}',
    '\u00a0',
    '\u200b',
    'שלום ',
    'e\u0301',
    '🛒',
    'x'.repeat(60),
    '"',
    "'",
    '<',
    '>',
    '<!--',
    '-->',
    'javascript:',
  ],
)

const html = fc.constantFrom(
  ...[
    '<p>',
    '</p>',
    '<br>',
    '<b>',
    '</b>',
    '<h1>',
    '</h1>',
    '<ul><li>',
    '</li></ul>',
    '<table><tr><td>',
    '</td></tr></table>',
    '<div style="color:red">',
  ],
  ...[
    '</div>',
    '<a href="https://shop.example/sale">',
    '<a href="https://elsewhere.example/y">',
    '<a href="mailto:x@y.example">',
    '</a>',
    '<img src="https://cdn.example/a.png" alt="a">',
  ],
  ...[
    '<!-- ',
    ' -->',
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<hr>',
    '<ol><li>',
    '<span title=',
    '<span title="',
    '">',
    '<td ',
    '<font color=',
    "<a href='",
  ],
)

const condition = fc.oneof(
  name,
  fc.constantFrom(
    ...[
      'discounted_total == cart_total',
      'cart_total != discounted_total',
      "coupon_code != ''",
      'coupon_expires == nil',
      'coupon_minimum and coupon_code',
    ],
    ...[
      'cart_items.size > 1',
      'cart_items.size == 0',
      'cart_items == empty',
      "customer_name == 'there'",
      "store_name == 'Harbour'",
      'customer_name contains "a"',
    ],
    ...['coupon_amount or customer_name', 'cart_total == blank', 'coupon_code == coupon_amount', 'cart_total > 5'],
  ),
)

const ofItem = fc.constantFrom(
  ...[
    '{{ item.name }}',
    '{{ item.quantity }}',
    '{{ item.price }}',
    '{{ item.total }}',
    '{{ forloop.index }}',
    '{{ item.name | upcase }}',
    ' × ',
    ', ',
  ],
  ...[
    '{% unless forloop.last %}, {% endunless %}',
    '{% if item.quantity > 1 %}s{% endif %}',
    '{% if item.price != "" %}{{ item.price }}{% endif %}',
    '<br>',
    '\n',
  ],
  ...[
    '{% if forloop.index > 3 %}{% break %}{% endif %}',
    "{{ item.total | default: '-' }}",
    '{{ item }}',
    '{{ customer_name }}',
  ],
)

const loop = fc
  .tuple(
    fc.constantFrom('cart_items', 'cart_items', 'cart_items limit: 3', 'cart_items reversed', 'coupon_code'),
    fc.array(ofItem, { minLength: 1, maxLength: 5 }),
  )
  .map(([list, inner]) => `{% for item in ${list} %}${inner.join('')}{% endfor %}`)

const block = fc.constantFrom(
  ...[
    '\n\n{{ cart_items }}\n\n',
    '\n\n{{ checkout_link }}\n\n',
    '\n\nTotal: {{ cart_total }}\n\n',
    '\nYou pay: {{ discounted_total }}\n',
    '<a href="{{ checkout_link }}">Back</a>',
  ],
  ...[
    '<a href="{{ checkout_link }}">{{ customer_name }}</a>',
    '<a class="button" href="{{checkout_link}}">{{ checkout_link }}</a>',
    '<img src="{{ checkout_link }}">',
    '<p>{{ cart_total }}</p>',
  ],
  ...[
    '<a href="https://shop.example/{{ coupon_code }}">',
    '<a href="https://elsewhere.example/z">{{ customer_name }}</a>',
    '{{ cart_items[0].name }}',
    '{{ cart_items.first.price }}',
    '{{ cart_items.size }}',
  ],
  ...[
    "{% assign x = customer_name | split: ' ' %}{{ x[0] }}",
    '{% assign y = coupon_code %}{{ y }}',
    '{% comment %} {{ customer_name }} {% endcomment %}',
    '{{ nothing }}',
    '{{ customer_name',
    '{% if %}',
  ],
  ...[
    'Use {{ coupon_code }} for {{ coupon_amount }} off, until {{ coupon_expires }}.',
    '{{ coupon_code }}{{ coupon_amount }}',
    '&{{ coupon_code }};',
    'http{{ customer_name }}://x.example',
    'https://x.example/{{ cart_total }}',
  ],
)

const piece: fc.Arbitrary<string> = fc.letrec<{ piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    { weight: 6, arbitrary: literals },
    { weight: 4, arbitrary: output },
    { weight: 2, arbitrary: html },
    { weight: 3, arbitrary: block },
    { weight: 1, arbitrary: loop },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('if', 'unless'), condition, tie('piece'), fc.option(tie('piece')))
        .map(([tag, when, then, other]) =>
          [`{% ${tag} ${when} %}`, then, other === null ? '' : `{% else %}${other}`, `{% end${tag} %}`].join(''),
        ),
    },
  ),
})).piece

const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ body }) => body !== '')

/** A third consists of harmless parts, so that most of those can be planned. */
export const generatedTemplate: fc.Arbitrary<{ subject: string; body: string }> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...ready).map(({ subject, body }) => ({ subject, body })) },
  {
    weight: 9,
    arbitrary: fc.record({
      subject: fc
        .array(fc.oneof(literals, output, fc.constant('Your cart')), { minLength: 1, maxLength: 4 })
        .map((parts) => parts.join('')),
      body: fc.array(piece, { minLength: 1, maxLength: 9 }).map((parts) => parts.join('')),
    }),
  },
  {
    // Only harmless parts, so that most of them can be planned.
    weight: 9,
    arbitrary: fc.record({
      subject: fc.constantFrom(
        'Your cart, {{ customer_name }}',
        '{{ cart_items }} at {{ store_name }}',
        'Hi',
        '{{ coupon_amount }} off',
        `${'a'.repeat(145)}{{ cart_total }}`,
      ),
      body: fc
        .array(
          fc.constantFrom(
            ...[
              'Hi {{ customer_name }},',
              '\n\n',
              '\n',
              ' ',
              '\n\n{{ cart_items }}\n\n',
              '\n\nTotal: {{ cart_total }}\n\n',
              '\n\n{{ checkout_link }}\n\n',
              '{{ discounted_total }}',
            ],
            ...[
              '{% if coupon_code %}{{ coupon_code }}: {{ coupon_offer }}{% else %}No coupon{% endif %}',
              '{% if discounted_total == cart_total %}Total: {{ cart_total }}{% endif %}',
              '<p>{{ cart_total }}</p>',
            ],
            ...[
              '{% for i in cart_items %}{{ i.quantity }} × {{ i.name }} {{ i.total }}\n{% endfor %}',
              '<ul>{% for i in cart_items limit: 4 %}<li>{{ i.name }}</li>{% endfor %}</ul>',
              "{{ customer_name | default: 'you' }}",
            ],
            ...[
              '<b>{{ customer_name }}</b>',
              '<a href="https://shop.example/sale">Sale</a>',
              '<a href="{{ checkout_link }}">{{ customer_name }}</a>',
              'https://shop.example/new',
              'Use {{ coupon_code }} until {{ coupon_expires }}.',
            ],
          ),
          { minLength: 2, maxLength: 10 },
        )
        .map((parts) => parts.join('')),
    }),
  },
)
