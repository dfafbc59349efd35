import { subscriptionStatus } from '../../shared/billing/billing.ts'
import { type AudienceCount, countAudience, listAudiences } from '../../shared/marketing/audience.ts'
import {
  type CampaignReport,
  listCampaignRecipients,
  readCampaignReport,
} from '../../shared/marketing/campaign-report.ts'
import {
  type CampaignView,
  listCampaigns,
  listCampaignTemplates,
  readCampaign,
} from '../../shared/marketing/campaigns.ts'
import { type Api, fixture } from '../api.ts'
import {
  buildPagination,
  pressRole,
  SOME_ID,
  type State,
  signInAsViewer,
  UNKNOWN_ID,
  waitForButton,
  waitForDialog,
  waitForLoading,
  waitForText,
} from './state.ts'

// Campaigns: the list, the dialogs, and the page of one.

const counts = {
  planned: 1_240,
  waiting: 200,
  held: 40,
  inFlight: 10,
  sent: 800,
  skipped: 150,
  failed: 20,
  unknown: 5,
  cancelled: 15,
}
const revenue = [
  { amount: 1_204.5, currency: 'USD' },
  { amount: 80, currency: 'EUR' },
]

const buildCampaign = (more: Partial<CampaignView> = {}): CampaignView => ({
  ...(fixture(readCampaign).campaign as CampaignView),
  _id: SOME_ID,
  id: SOME_ID,
  name: 'Autumn pots',
  description: 'The new glaze',
  status: 'active',
  targetAudience: {
    type: 'abandoned_carts',
    mode: 'matching',
    filters: { minCartValue: 20 },
    customerEmails: [],
    customerPhones: [],
  },
  schedule: { startDate: '2026-11-01', timeOfDay: '10:00', frequency: 'weekly', delay: 12, spreadHours: 4 },
  nextRunAt: '2030-01-07T15:00:00Z',
  counts,
  revenue,
  ...more,
})

const several = [
  buildCampaign(),
  buildCampaign({
    id: UNKNOWN_ID,
    _id: UNKNOWN_ID,
    name: 'Bounced',
    status: 'paused',
    pausedBy: 'bounces',
    type: 'sms',
  }),
  buildCampaign({
    id: 'c3',
    _id: 'c3',
    name: `Quick Send - ${'Nov 23, 2026 '.repeat(6)}`,
    status: 'cancelled',
    nextRunAt: null,
  }),
]
const withheld = [
  buildCampaign({ id: 'c4', _id: 'c4', name: 'Lowered', status: 'paused', pausedBy: 'plan' }),
  buildCampaign({ id: 'c5', _id: 'c5', name: 'Young', status: 'scheduled', putOffBy: 'own_words' }),
]

export const serveAudienceCount = (api: Api, price: AudienceCount['price'] = null) => {
  api.answer(listAudiences, { audiences: [] })
  api.answer(countAudience, {
    total: 300,
    eligible: 280,
    reasons: [],
    judged: null,
    minutes: 40,
    left: null,
    quietPercent: 5,
    price,
  })
}
const serveCampaigns = (api: Api, campaigns: CampaignView[]) =>
  api.answer(listCampaigns, { campaigns, pagination: buildPagination(campaigns.length) })

const report: CampaignReport = {
  counts,
  delivered: 780,
  opened: 300,
  openedByMachines: 120,
  clicked: 90,
  orders: 12,
  unsubscribed: 4,
  bounced: 9,
  complained: 1,
  revenue,
  retryable: 18,
  held: {
    count: 40,
    firstUntil: '2030-01-07T15:00:00Z',
    explanation: 'The shopper has received as many messages as your limit allows for now.',
  },
  links: [{ target: 'https://shop.example/cart?restore=1&and=something-that-is-rather-long', clicks: 120, people: 90 }],
  runs: [2, 1].map((run) => ({
    run,
    startedAt: '2026-11-01T10:00:00Z',
    plannedAt: '2026-11-01T10:01:00Z',
    counts,
    orders: 6,
    revenue,
  })),
}
const recipients = (['sent', 'held', 'skipped', 'failed'] as const).map((state) => ({
  messageId: state,
  shopperId: SOME_ID,
  cartId: SOME_ID,
  customer: 'Ada Lovelace',
  to: 'ada@shoppers.example',
  run: 1,
  state,
  reason: null,
  explanation: 'The mail server accepted it.',
  dueAt: '2026-11-01T10:00:00Z',
  heldUntil: state === 'held' ? '2030-01-07T15:00:00Z' : null,
  sentAt: null,
}))

const buildListState = (name: string, steps: State['steps'], given?: State['given'], path = '/campaigns'): State => ({
  name,
  path,
  steps,
  given(api, page) {
    serveAudienceCount(api)
    return given?.(api, page)
  },
})
/** One campaign, with a tab open. */
const buildPageState = (
  name: string,
  tab: string,
  more: Partial<CampaignView>,
  steps: State['steps'],
  given?: State['given'],
) =>
  buildListState(
    `campaign ${name}`,
    steps,
    (api, page) => {
      api.answer(readCampaign, { campaign: buildCampaign(more) })
      api.answer(readCampaignReport, { report })
      api.answer(listCampaignRecipients, { recipients, pagination: buildPagination(120) })
      return given?.(api, page)
    },
    `/campaigns/${SOME_ID}?tab=${tab}`,
  )

export const campaignStates: State[] = [
  buildListState('campaigns of every status', [waitForText('Bounced'), waitForText('No longer in your plan')], (api) =>
    serveCampaigns(api, [...several, ...withheld]),
  ),
  {
    ...buildListState('campaigns while loading', [waitForText('Loading campaigns...'), waitForLoading], (api) =>
      api.hold(listCampaigns),
    ),
    isLoading: true,
  },
  buildListState(
    'campaigns after a failed load',
    [waitForText('Failed to load campaigns'), waitForButton('Retry')],
    (api) => api.fail(listCampaigns, 400),
  ),
  buildListState('campaigns of a store without any', [waitForButton('Send to All Abandoned Carts')], (api) =>
    serveCampaigns(api, []),
  ),
  buildListState(
    'campaigns without a match',
    [waitForButton('Clear filters')],
    (api) => serveCampaigns(api, []),
    '/campaigns?search=x',
  ),
  buildListState('campaigns as a viewer', [waitForText('Bounced')], (api) => {
    serveCampaigns(api, several)
    signInAsViewer(api)
  }),
  buildListState(
    'campaign before it is deleted',
    [pressRole('Delete Autumn pots'), waitForDialog, waitForText('Are you sure you want to delete this campaign?')],
    (api) => serveCampaigns(api, [buildCampaign()]),
  ),
  buildListState('new campaign', [waitForDialog, waitForText('Campaign Details')], undefined, '/campaigns?form=new'),
  buildListState('message to all carts', [waitForDialog, waitForText('Template')], undefined, '/campaigns?form=all'),
  buildListState(
    'message to all carts after its templates failed to load',
    [waitForDialog, waitForText('Template')],
    (api) => api.fail(listCampaignTemplates, 400),
    '/campaigns?form=all',
  ),
  buildPageState(
    'audience on the free plan',
    'audience',
    {},
    [
      waitForText('Customer segmentation requires the Starter plan or higher.'),
      waitForText('A run has started with its recipients'),
    ],
    (api) =>
      api.alter(subscriptionStatus, (reply) => ({ ...reply, plan: 'free' as const, planInForce: 'free' as const })),
  ),
  buildPageState('template', 'template', {}, [waitForText('Variables')]),
  buildPageState(
    'after its templates failed to load',
    'template',
    {},
    [waitForText('The templates could not be loaded')],
    (api) => api.fail(listCampaignTemplates, 400),
  ),
  buildPageState('schedule', 'schedule', {}, [waitForText('Started on')]),
  buildPageState(
    'by SMS beyond the budget',
    'schedule',
    { type: 'sms' },
    [waitForText('estimated from'), waitForText('Your SMS and WhatsApp budget covers 88 of them')],
    (api) =>
      serveAudienceCount(api, {
        people: 280,
        sampled: 40,
        segments: 420,
        total: { amount: 31.5, currency: 'USD' },
        budgetLeft: { amount: 10, currency: 'USD' },
        covered: 88,
      }),
  ),
  buildPageState('report', 'report', {}, [waitForText('Recipients'), waitForText('Ada Lovelace')]),
  buildPageState(
    'after its report failed to load',
    'report',
    {},
    [waitForText('The report could not be loaded')],
    (api) => api.fail(readCampaignReport, 400),
  ),
  buildPageState('paused by its bounces', 'details', { status: 'paused', pausedBy: 'bounces' }, [
    waitForText('Paused to protect your sender'),
  ]),
  buildPageState('that the plan no longer includes', 'details', { status: 'paused', pausedBy: 'plan' }, [
    waitForText('Paused: no longer in your plan'),
  ]),
  buildPageState('whose run was postponed', 'details', { putOffBy: 'own_words' }, [
    waitForText('Its run was postponed'),
  ]),
  buildPageState('as a viewer', 'details', {}, [waitForText('The new glaze')], signInAsViewer),
  {
    ...buildPageState('while loading', 'details', {}, [waitForLoading], (api) => api.hold(readCampaign)),
    isLoading: true,
  },
  buildListState(
    'campaign that does not exist',
    [waitForText('Campaign not found')],
    (api) => api.fail(readCampaign, 404),
    `/campaigns/${UNKNOWN_ID}`,
  ),
]
