// The parts of `npm run proofs`: what takes too long for `npm test`. `code`: files whose change makes the part due
// again. `command`: arguments for Node, once for each of its `steps`; `seed` is drawn for each run and printed.

import { readFileSync } from 'node:fs'

const ENGINE = [
  'server/core/',
  'server/messages/',
  'server/platforms/',
  'server/shoppers/',
  'server/carts/',
  'server/delivery/',
  'server/marketing/',
]
const SQL = ['db/', 'server/', 'demo/']
const WEB = ['web/', 'shared/', 'screens/']

const listFlakyFiles = () => {
  const listed = JSON.parse(readFileSync(new URL('../test/unsteady.json', import.meta.url), 'utf8'))
  return listed.length > 0 ? listed.map(({ file }) => file) : ['none is listed']
}
const buildProofsCommand = (...files) => ['vitest', 'run', '--project', 'proofs', ...files]
const buildFullSizeCommand = (...files) => ['vitest', 'run', '--project', 'unit', ...files]
const SCENARIOS_PER_STEP = 100

export const parts = [
  {
    name: 'histories',
    what: '2,000 random scenarios of shops, shoppers and failures break no rule of the engine',
    code: [...ENGINE, 'proofs/simulator/', 'db/'],
    steps: 20,
    command: ({ seed, step }) => [
      'proofs/simulator/main.ts',
      '--scenarios',
      String(SCENARIOS_PER_STEP),
      '--from',
      String(seed + step * SCENARIOS_PER_STEP),
    ],
    /**
     * Pattern of a failed scenario's output; its seed becomes a case of `proofs/cases.json`, which `npm test` plays.
     */
    failedSeed: /^Seed (\d+) breaks /gm,
  },
  {
    name: 'mutations',
    what: 'each mutation of the engine is found by a scenario',
    code: [...ENGINE, 'proofs/simulator/'],
    command: () => ['proofs/simulator/main.ts', '--mutations'],
  },
  {
    name: 'crashes',
    what: 'processes and PostgreSQL killed at every boundary of a send: nothing sent twice, nothing lost',
    code: [...ENGINE, 'proofs/crash/', 'proofs/crashes.test.ts', 'server/core/postgres/'],
    steps: 2,
    command: ({ seed, step }) =>
      step === 0
        ? buildProofsCommand('proofs/crashes')
        : ['proofs/crash/main.ts', '--times', '1', '--seed', String(seed)],
  },
  {
    name: 'lift',
    what: 'lift intervals are correct for shops with a known lift',
    code: ['server/core/lift/', 'server/carts/experiments/', 'proofs/lift/'],
    command: ({ seed }) => ['proofs/lift/main.ts', '--seed', String(seed)],
  },
  {
    name: 'plans',
    what: 'statements on large tables use an index, and none sorts a store’s rows',
    code: [...SQL, 'proofs/plans/', 'test/plans.ts', 'test/many-carts.ts'],
    steps: 2,
    command: ({ step }) =>
      step === 0
        ? buildProofsCommand('proofs/plans')
        : buildFullSizeCommand('server/insights/analytics/figure-triggers.test'),
  },
  {
    name: 'fuzz',
    what: 'malformed requests, deliveries, links, templates and payments at full size',
    code: ['server/', 'shared/', 'test/malformed', 'test/malformed-requests.ts', 'test/field-errors.test.ts'],
    command: () =>
      buildFullSizeCommand(
        ...[
          'test/malformed',
          'test/field-errors',
          'server/delivery/restore/restore.test',
          'shared/messages/mail-fill.test',
        ],
        ...[
          'server/billing/payments/webhook-orders.test',
          'server/carts/carts/attribution.test',
          'server/carts/carts/fold-order.test',
        ],
        ...['server/carts/capture/post-check.test', 'server/platforms/woocommerce/hostile.test'],
        ...['server/platforms/shopify/hostile.test', 'server/workspace/plugin-calls/hostile.test'],
      ),
  },
  {
    name: 'large-shops',
    what: 'throttled imports of 50,000 orders and 20,000 checkouts from Shopify while tokens expire',
    code: ['server/carts/sync/', 'server/platforms/shopify/', 'test/large-shop.ts', 'providers/contracts/shopify'],
    command: () =>
      buildFullSizeCommand(
        'server/carts/sync/shopify-import',
        'server/platforms/shopify/bulk-scale',
        'server/platforms/shopify/scale',
      ),
  },
  {
    name: 'many-messages',
    what: 'requests with 10,000 carts or people, and reads of a member in three months',
    code: [
      'server/marketing/manual-sends/',
      'server/marketing/discount-mail/',
      'server/marketing/customers/',
      'server/access/notifications/',
      'server/delivery/send/',
    ],
    command: () =>
      buildFullSizeCommand(
        ...['server/marketing/manual-sends/bulk-sends.test', 'server/marketing/discount-mail/recipients.test'],
        ...[
          'server/access/notifications/compact.test',
          'server/marketing/campaigns/steps.test',
          'server/billing/billing/usage.test',
        ],
        'test/plan-counters.test',
      ),
  },
  {
    name: 'pooler',
    what: 'a campaign of 1,000 and 10,000 statements through PgBouncer (Debian: apt-get install pgbouncer)',
    code: ['server/core/db/', 'server/core/database/', 'test/pgbouncer.ts', 'test/pooler.test.ts'],
    command: () => buildFullSizeCommand('test/pooler.test'),
  },
  {
    name: 'themes',
    what: 'every screen and state in every theme at two widths, with axe',
    code: [...WEB, 'proofs/themes.test.ts'],
    command: () => buildProofsCommand('proofs/themes'),
  },
  {
    name: 'outages',
    what: 'outages of database, disk, mail server, store or clock: nothing sent twice, nothing lost, the owner notified',
    code: [...ENGINE, 'server/core/postgres/', 'server/insights/alarms/', 'proofs/outages'],
    command: () => buildProofsCommand('proofs/outages'),
  },
  {
    name: 'coupon-codes',
    what: 'personal codes are created although the store is down for a while',
    code: [
      'server/carts/coupon-codes/',
      'server/carts/coupons/',
      'server/delivery/decide/',
      'proofs/crash/',
      'proofs/coupon-codes.test.ts',
    ],
    command: () => buildProofsCommand('proofs/coupon-codes'),
  },
  {
    name: 'firefox',
    what: 'web push in a real Firefox (Debian: apt-get install firefox-esr; as root, it is installed)',
    needs: 'firefox',
    code: [
      'storefront/push',
      'server/delivery/push',
      'providers/woocommerce/',
      'proofs/firefox',
      'proofs/marionette.ts',
      'proofs/push-demo.ts',
    ],
    command: () => buildProofsCommand('proofs/firefox'),
  },
  {
    name: 'chromium-push',
    what: 'web push in Chromium (Debian: apt-get install chromium; the headless shell shows no notifications)',
    code: ['storefront/push', 'server/delivery/push', 'providers/woocommerce/', 'proofs/push-'],
    command: () => buildProofsCommand('proofs/push-chromium'),
  },
  {
    name: 'postfix',
    what: 'mail through a real Postfix, and its replies and bounces (as root, after apt-get install postfix)',
    code: ['server/delivery/email/', 'server/delivery/mail-reports/', 'proofs/postfix'],
    command: () => buildProofsCommand('proofs/postfix'),
  },
  {
    name: 'demo',
    what: 'the demo as its first visitor finds it, and its history of ninety days',
    code: ['demo/', 'providers/', 'proofs/demo.test.ts'],
    steps: 2,
    command: ({ step }) => (step === 0 ? buildProofsCommand('proofs/demo') : buildFullSizeCommand('demo/history.test')),
  },
  {
    name: 'billing-life',
    what: 'months of a subscription, with the clocks of Recoup, Stripe and the browser moved together',
    code: [
      'server/billing/billing/',
      'server/billing/payments/',
      'server/billing/subscribing/',
      'web/features/billing/',
      'proofs/billing-life',
    ],
    command: () => buildProofsCommand('proofs/billing-life'),
  },
  {
    name: 'notification-day',
    what: 'a day of 10,000 carts leaves fewer than 80 notifications',
    code: [
      'server/access/notifications/',
      'server/insights/alarms/',
      'test/shop-day.ts',
      'proofs/notification-day.test.ts',
    ],
    command: () => buildProofsCommand('proofs/notification-day'),
  },
  {
    name: 'account-mails',
    what: 'every account mail at every width in the light and dark theme',
    code: [
      'server/workspace/accounts/',
      'server/workspace/notification-mails/',
      'server/workspace/analytics-reports/',
      'screens/account-mails.ts',
      'proofs/account-mails.test.ts',
    ],
    command: () => buildProofsCommand('proofs/account-mails'),
  },
  {
    name: 'shopify-shop',
    what: 'the theme script in a Shopify shop',
    code: ['storefront/', 'server/platforms/shopify/', 'providers/shopify/', 'proofs/shopify-shop.test.ts'],
    command: () => buildProofsCommand('proofs/shopify-shop'),
  },
  {
    name: 'live',
    what: 'an open page reconnects to a killed and restarted server',
    code: ['server/workspace/live/', 'web/features/live/', 'proofs/live.test.ts'],
    command: () => buildProofsCommand('proofs/live'),
  },
  {
    name: 'flaky',
    what: 'the tests of test/unsteady.json',
    code: ['test/unsteady.json'],
    command: () => ['vitest', 'run', '--passWithNoTests', ...listFlakyFiles()],
  },
]
