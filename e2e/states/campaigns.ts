import type { CampaignReport } from '../../shared/campaign-report.ts'
import type { CampaignView } from '../../shared/campaigns.ts'
import {
  alters,
  answers,
  asks,
  hangs,
  isViewer,
  NOT_HERE,
  offers,
  presses,
  refuses,
  type State,
  says,
  waits,
} from './steps.ts'

// Campaigns: the list, the dialogs, and the page of one.

const ID = '01990000-0000-7000-8000-000000000001'
const counts = {
  ...{ planned: 1_240, waiting: 200, held: 40, inFlight: 10, sent: 800, skipped: 150, failed: 20, unknown: 5 },
  cancelled: 15,
}

const aCampaign = (more: Partial<CampaignView> = {}): CampaignView => ({
  ...{ _id: ID, id: ID, name: 'Autumn pots', description: 'The new glaze', type: 'email', status: 'active' },
  ...{ createdAt: '2026-11-01T10:00:00Z', updatedAt: '2026-11-01T10:00:00Z' },
  ...{ platform: 'woocommerce', storeId: 'https://shop.example' },
  targetAudience: {
    type: 'abandoned_carts',
    mode: 'matching',
    filters: { minCartValue: 20 },
    customerEmails: [],
    customerPhones: [],
  },
  content: { subject: 'Your cart', body: 'Hi {{ customer_name }}', template: 'custom', coupon: null },
  couponShown: null,
  schedule: { startDate: '2026-11-01', timeOfDay: '10:00', frequency: 'weekly', delay: 12, spreadHours: 4 },
  ...{ nextRunAt: '2030-01-07T15:00:00Z', counts, pausedBy: null, putOffBy: null },
  revenue: [
    { amount: 1_204.5, currency: 'USD' },
    { amount: 80, currency: 'EUR' },
  ],
  ...more,
})

const several = [
  aCampaign(),
  aCampaign({ id: NOT_HERE, _id: NOT_HERE, name: 'Bounced', status: 'paused', pausedBy: 'bounces', type: 'sms' }),
  aCampaign({
    id: 'c3',
    _id: 'c3',
    name: `Quick Send - ${'Nov 23, 2026 '.repeat(6)}`,
    status: 'cancelled',
    nextRunAt: null,
  }),
]

const withheld = [
  aCampaign({ id: 'c4', _id: 'c4', name: 'Lowered', status: 'paused', pausedBy: 'plan' }),
  aCampaign({ id: 'c5', _id: 'c5', name: 'Young', status: 'scheduled', putOffBy: 'own_words' }),
]

const campaignsAre = (campaigns: CampaignView[]) =>
  answers('campaigns?', {
    campaigns,
    pagination: { page: 1, limit: 50, total: campaigns.length, pages: Math.min(1, campaigns.length) },
  })
const isCampaign = (more: Partial<CampaignView> = {}) => answers(`campaigns/${ID}`, { campaign: aCampaign(more) })

const report: CampaignReport = {
  ...{ counts, delivered: 780, opened: 300, openedByMachines: 120, clicked: 90, orders: 12, unsubscribed: 4 },
  ...{ bounced: 9, complained: 1, revenue: aCampaign().revenue, retryable: 18 },
  held: {
    ...{ count: 40, firstUntil: '2030-01-07T15:00:00Z' },
    explanation: 'The shopper has received as many messages as your limit allows for now.',
  },
  links: [{ target: 'https://shop.example/cart?restore=1&and=something-that-is-rather-long', clicks: 120, people: 90 }],
  runs: [2, 1].map((run) => ({
    ...{ run, startedAt: '2026-11-01T10:00:00Z', plannedAt: '2026-11-01T10:01:00Z', counts, orders: 6 },
    revenue: aCampaign().revenue,
  })),
}
const recipients = {
  recipients: (['sent', 'held', 'skipped', 'failed'] as const).map((state) => ({
    ...{ messageId: state, shopperId: ID, cartId: ID, customer: 'Ada Lovelace', to: 'ada@shoppers.example', run: 1 },
    ...{ state, reason: null, explanation: 'The mail server accepted it.', dueAt: '2026-11-01T10:00:00Z' },
    ...{ heldUntil: state === 'held' ? '2030-01-07T15:00:00Z' : null, handedOverAt: null },
  })),
  pagination: { page: 1, limit: 50, total: 120, pages: 3 },
}
const hasReport = [
  isCampaign(),
  answers(`campaigns/${ID}/report`, { report }),
  answers(`campaigns/${ID}/recipients`, recipients),
]

/** On the smallest plan. */
const IS_FREE = alters('subscribe/status', (said) => ({ ...said, plan: 'free', planInForce: 'free' }))

const on = (name: string, path: string, more: Pick<State, 'steps'> & Partial<State>): State => ({
  ...{ name, of: 'owner', path },
  ...more,
})

const page = (tab: string) => `/campaigns/${ID}?tab=${tab}`

export const ofCampaigns: State[] = [
  on('campaigns', '/campaigns', {
    given: [campaignsAre([...several, ...withheld])],
    steps: [says('Bounced'), says('Not part of your plan any more')],
  }),
  on('campaigns on their way', '/campaigns', {
    isLoading: true,
    given: [hangs('campaigns?')],
    steps: [says('Loading campaigns...'), waits],
  }),
  on('campaigns not to be had', '/campaigns', {
    given: [refuses('campaigns?')],
    steps: [says('Failed to load campaigns'), offers('Retry')],
  }),
  on('no campaigns', '/campaigns', { given: [campaignsAre([])], steps: [offers('Send to All Abandoned Carts')] }),
  on('no campaign of a search', '/campaigns?search=x', {
    given: [campaignsAre([])],
    steps: [offers('Clear filters')],
  }),
  on('campaigns to a viewer', '/campaigns', { given: [campaignsAre(several), isViewer], steps: [says('Bounced')] }),
  on('campaign being deleted', '/campaigns', {
    given: [campaignsAre([aCampaign()])],
    steps: [presses('Delete Autumn pots'), asks, says('Are you sure you want to delete this campaign?')],
  }),
  on('new campaign', '/campaigns?form=new', { steps: [asks, says('Campaign Details')] }),
  on('send to all', '/campaigns?form=all', { steps: [asks, says('Template')] }),
  on('send to all, its templates not to be had', '/campaigns?form=all', {
    given: [refuses('campaigns/templates')],
    steps: [asks, says('Template')],
  }),
  on('campaign, its audience, on the free plan', page('audience'), {
    given: [isCampaign(), IS_FREE],
    steps: [says('Customer segmentation requires the Starter plan or higher.'), says('its recipients are set')],
  }),
  on('campaign, its template', page('template'), { given: [isCampaign()], steps: [says('Variables')] }),
  on('campaign, its templates not to be had', page('template'), {
    given: [isCampaign(), refuses('campaigns/templates')],
    steps: [says('The templates could not be loaded')],
  }),
  on('campaign, its schedule', page('schedule'), { given: [isCampaign()], steps: [says('Began on')] }),
  on('campaign by SMS, beyond the budget', page('schedule'), {
    given: [
      isCampaign({ type: 'sms' }),
      answers('campaigns/audience', {
        ...{ total: 300, eligible: 280, reasons: [], judged: null, minutes: 40, left: null, quietPercent: 5 },
        price: {
          ...{ people: 280, sampled: 40, segments: 420, total: { amount: 31.5, currency: 'USD' } },
          ...{ budgetLeft: { amount: 10, currency: 'USD' }, covered: 88 },
        },
      }),
    ],
    steps: [says('estimated from'), says('Your budget for SMS and WhatsApp lasts for 88 of them')],
  }),
  on('campaign, its report', page('report'), { given: hasReport, steps: [says('Recipients'), says('Ada Lovelace')] }),
  on('campaign, its report not to be had', page('report'), {
    given: [isCampaign(), refuses(`campaigns/${ID}/report`)],
    steps: [says('The report could not be loaded')],
  }),
  on('campaign paused by its bounces', page('details'), {
    given: [isCampaign({ status: 'paused', pausedBy: 'bounces' })],
    steps: [says('Paused to protect your sender')],
  }),
  on('campaign that its plan does not include any more', page('details'), {
    given: [isCampaign({ status: 'paused', pausedBy: 'plan' })],
    steps: [says('Paused: your plan does not include it any more')],
  }),
  on('campaign whose run was put off', page('details'), {
    given: [isCampaign({ putOffBy: 'own_words' })],
    steps: [says('Its run was put off')],
  }),
  on('campaign to a viewer', page('details'), { given: [isCampaign(), isViewer], steps: [says('The new glaze')] }),
  on('campaign on its way', page('details'), { isLoading: true, given: [hangs(`campaigns/${ID}`)], steps: [waits] }),
  on('campaign that is not there', `/campaigns/${NOT_HERE}`, { steps: [says('Campaign not found')] }),
]
