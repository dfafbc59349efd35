import { expect, test } from 'vitest'
import { type Feature, featurePlans, PlanKey } from '../shared/billing/billing.ts'
import { completeOrderCheck } from './factories.ts'
import { createShop, postWithWorker, type Shop } from './manual-send-scene.ts'
import { createWorld } from './world.ts'

// Every call that a plan can forbid, on every plan (decision 6): its error message, and the smallest plan that allows
// it. A feature without a row here fails the test.

const world = createWorld()

interface Gate {
  feature: Feature
  /** The smallest plan that includes it. */
  from: 'starter' | 'growth'
  call: string
  method: 'GET' | 'POST' | 'PUT'
  path: string | ((shop: Shop) => string)
  body?: (shop: Shop) => object
  sentence: string
}

const SMS = 'SMS feature requires Starter or Growth plan. Please upgrade to send SMS messages.'
const WHATSAPP = 'WhatsApp feature requires Starter plan or higher. Please upgrade to send WhatsApp messages.'
const FLOW_TEXTS = 'SMS and WhatsApp in flows and planned campaigns are part of the Growth plan.'
const FLOW_RULES = 'Multiple flows, conditions and A/B tests require the Starter plan. Please upgrade to use them.'
const RETURNING = {
  match: 'all',
  groups: [{ match: 'all', conditions: [{ fact: 'buyer', is: 'returning' }] }],
}
const SCHEDULED = 'Scheduled campaigns require the Starter plan or higher. Please upgrade to schedule campaigns.'
const FILTERS = 'Customer segmentation requires the Starter plan or higher. Please upgrade to filter the audience.'
const PLANNED_SMS = 'Planned and recurring SMS campaigns require the Growth plan. Please upgrade to schedule them.'
const WHATSAPP_CAMPAIGNS = 'All WhatsApp campaigns require the Growth plan. Please upgrade to send them.'
const ADVANCED = 'This is part of Advanced Analytics, on the Starter and Growth plans. Please upgrade.'
const ALL_STORES = 'Figures of all stores together require the Growth plan. Please upgrade.'
const ROI = 'ROI Tracking requires the Growth plan. Please upgrade.'
const EXPORT = 'Exporting analytics requires the Growth plan. Please upgrade.'

const getFirstCart = ({ cartIds }: Shop) => cartIds[0]!
const formatDay = (days: number) => new Date(world.now.getTime() + days * 86_400_000).toISOString().slice(0, 10)
let names = 0

const buildCampaign = (more: { type?: string; inDays?: number; frequency?: string; filters?: object } = {}) => ({
  name: `Spring ${++names}`,
  type: more.type ?? 'email',
  targetAudience: { mode: 'matching', filters: more.filters ?? {} },
  content: { subject: 'Your cart', body: 'Hi {{ customer_name }}: {{ checkout_link }}' },
  schedule: { startDate: formatDay(more.inDays ?? 0), timeOfDay: '00:00', frequency: more.frequency ?? 'once' },
})
const buildFlow = (channel: string) => ({
  name: 'Reminders',
  steps: [
    {
      delayMinutes: 60,
      channels: [channel],
      variants: [{ sharePercent: 100, words: { sms: { body: 'Your cart: {{ checkout_link }}' } } }],
    },
  ],
})

const campaigns = { method: 'POST', path: '/api/campaigns' } as const
const read = { method: 'GET' } as const
const filters = { country: 'DE' }

const gates: Gate[] = [
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'one SMS',
    method: 'POST',
    sentence: SMS,
    path: '/api/sms/send-reminder',
    body: (shop) => ({ cartId: getFirstCart(shop) }),
  },
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'one WhatsApp message',
    method: 'POST',
    sentence: WHATSAPP,
    path: '/api/whatsapp/send-reminder',
    body: (shop) => ({ cartId: getFirstCart(shop) }),
  },
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'many WhatsApp messages',
    method: 'POST',
    sentence: WHATSAPP,
    path: '/api/whatsapp/send-bulk',
    body: ({ cartIds }) => ({ cartIds }),
  },
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'SMS to many carts',
    method: 'POST',
    sentence: SMS,
    path: '/api/carts/send',
    body: ({ cartIds }) => ({ channel: 'sms', cartIds }),
  },
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'WhatsApp to many carts',
    method: 'POST',
    sentence: WHATSAPP,
    path: '/api/carts/send',
    body: ({ cartIds }) => ({ channel: 'whatsapp', cartIds }),
  },
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'a test by SMS',
    method: 'POST',
    sentence: SMS,
    path: '/api/messages/test-send',
    body: (shop) => ({ channel: 'sms', cartId: getFirstCart(shop), to: '+4930123499' }),
  },
  {
    feature: 'manual_texts',
    from: 'starter',
    call: 'a campaign by SMS, at once',
    sentence: SMS,
    ...campaigns,
    body: () => buildCampaign({ type: 'sms' }),
  },
  {
    feature: 'flow_texts',
    from: 'growth',
    call: 'a step by SMS',
    method: 'PUT',
    sentence: `Step 1: ${FLOW_TEXTS}`,
    path: ({ flowId }) => `/api/flows/${flowId}`,
    body: () => buildFlow('sms'),
  },
  {
    feature: 'flow_texts',
    from: 'growth',
    call: 'a step by WhatsApp',
    method: 'PUT',
    path: ({ flowId }) => `/api/flows/${flowId}`,
    body: () => buildFlow('whatsapp'),
    sentence: `Step 1: ${FLOW_TEXTS}`,
  },
  {
    feature: 'flow_rules',
    from: 'starter',
    call: 'another flow',
    method: 'POST',
    sentence: FLOW_RULES,
    path: '/api/flows',
    body: () => ({ from: 'ready_email' }),
  },
  {
    feature: 'flow_rules',
    from: 'starter',
    call: 'a copy of a flow',
    method: 'POST',
    sentence: FLOW_RULES,
    path: ({ flowId }) => `/api/flows/${flowId}/copy`,
    body: () => ({}),
  },
  {
    feature: 'flow_rules',
    from: 'starter',
    call: 'conditions of a flow',
    method: 'PUT',
    sentence: FLOW_RULES,
    path: ({ flowId }) => `/api/flows/${flowId}`,
    body: () => ({ ...buildFlow('email'), conditions: RETURNING }),
  },
  {
    feature: 'flow_rules',
    from: 'starter',
    call: 'conditions of a step',
    method: 'PUT',
    sentence: FLOW_RULES,
    path: ({ flowId }) => `/api/flows/${flowId}`,
    body: () => ({ name: 'Reminders', steps: [{ delayMinutes: 60, conditions: RETURNING }] }),
  },
  {
    feature: 'flow_rules',
    from: 'starter',
    call: 'a split step',
    method: 'PUT',
    sentence: FLOW_RULES,
    path: ({ flowId }) => `/api/flows/${flowId}`,
    body: () => ({
      name: 'Reminders',
      steps: [{ delayMinutes: 60, variants: [{ sharePercent: 50 }, { sharePercent: 50 }] }],
    }),
  },
  {
    feature: 'scheduled_campaigns',
    from: 'starter',
    call: 'a campaign for another day',
    sentence: SCHEDULED,
    ...campaigns,
    body: () => buildCampaign({ inDays: 2 }),
  },
  {
    feature: 'scheduled_campaigns',
    from: 'starter',
    call: 'a campaign that repeats',
    sentence: SCHEDULED,
    ...campaigns,
    body: () => buildCampaign({ frequency: 'weekly' }),
  },
  {
    feature: 'audience_filters',
    from: 'starter',
    call: 'a filtered campaign',
    sentence: FILTERS,
    ...campaigns,
    body: () => buildCampaign({ filters }),
  },
  {
    feature: 'audience_filters',
    from: 'starter',
    call: 'a saved audience',
    method: 'POST',
    path: '/api/audiences',
    body: () => ({ name: `Germany ${++names}`, filters }),
    sentence: FILTERS,
  },
  {
    feature: 'audience_filters',
    from: 'starter',
    call: 'Send to All with filters',
    method: 'POST',
    path: '/api/campaigns/send-to-abandoned-carts',
    body: () => ({ subject: 'Hello', htmlContent: '{{ checkout_link }}', filters }),
    sentence: FILTERS,
  },
  {
    feature: 'audience_filters',
    from: 'starter',
    call: 'customers for a discount mail by filters',
    method: 'POST',
    path: '/api/email/discount-eligibility',
    body: () => ({ matching: { abandonedOnly: true, filters } }),
    sentence: FILTERS,
  },
  {
    feature: 'campaign_texts',
    from: 'growth',
    call: 'a campaign by WhatsApp',
    sentence: WHATSAPP_CAMPAIGNS,
    ...campaigns,
    body: () => buildCampaign({ type: 'whatsapp' }),
  },
  {
    feature: 'campaign_texts',
    from: 'growth',
    call: 'SMS for another day',
    sentence: PLANNED_SMS,
    ...campaigns,
    body: () => buildCampaign({ type: 'sms', inDays: 2 }),
  },
  ...['?range=90d', '?range=1y', '/details', '/products', '/recovery-rate-trend', '/revenue-trend'].map(
    (path): Gate => ({
      feature: 'advanced_analytics',
      from: 'starter',
      call: `analytics${path}`,
      ...read,
      sentence: ADVANCED,
      path: `/api/analytics${path}`,
    }),
  ),
  ...['', '/link'].map(
    (path): Gate => ({
      feature: 'analytics_export',
      from: 'growth',
      call: `the export${path}`,
      ...read,
      sentence: EXPORT,
      path: `/api/analytics/export${path}`,
    }),
  ),
  ...['dashboard/stats', 'dashboard/chart', 'analytics'].map(
    (path): Gate => ({
      feature: 'multi_store_dashboard',
      from: 'growth',
      call: `${path} of all stores`,
      ...read,
      path: `/api/${path}?stores=all`,
      sentence: ALL_STORES,
    }),
  ),
  { feature: 'roi_tracking', from: 'growth', call: 'ROI', ...read, sentence: ROI, path: '/api/analytics/roi' },
]

test('every feature of a larger plan has its calls here, from the plan in the price list', () => {
  const smallest = Object.entries(featurePlans).map(([feature, plans]) => [feature, plans[0]])
  const named = gates.map(({ feature, from }) => [feature, from])
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(smallest))
  for (const plans of Object.values(featurePlans)) expect(PlanKey.options.slice(-plans.length)).toEqual(plans)
})

const isIncluded = ({ from }: Gate, plan: PlanKey) => PlanKey.options.indexOf(plan) >= PlanKey.options.indexOf(from)

/** On the free plan, SMS for another day lacks two features; the error names the smaller one. */
const findSentence = ({ sentence, call }: Gate, plan: PlanKey) =>
  plan === 'free' && call === 'SMS for another day' ? SMS : sentence

for (const plan of PlanKey.options) {
  test.each(gates)(`on ${plan}: $call`, async (gate) => {
    const shop = await createShopOn(plan)
    const path = typeof gate.path === 'string' ? gate.path : gate.path(shop)
    const reply =
      gate.method === 'POST'
        ? await postWithWorker(world, shop, path, gate.body!(shop))
        : await world.request(gate.method, path, { token: shop.token, ...(gate.body && { body: gate.body(shop) }) })
    if (isIncluded(gate, plan)) expect([reply.status, reply.body]).toEqual([200, expect.anything()])
    else {
      const refused = { code: 'plan_required', error: findSentence(gate, plan) }
      expect(reply).toMatchObject({ status: 403, body: refused })
    }
  })
}

/** Creates a shop per call, so that earlier sends do not interfere. */
async function createShopOn(plan: PlanKey): Promise<Shop> {
  const shop = await createShop(world, 1, { plan })
  await completeOrderCheck(world, shop.storeId)
  return shop
}
