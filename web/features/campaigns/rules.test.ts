import { describe, expect, it, test } from 'vitest'
import { getStatusAfter } from '../../../server/marketing/campaigns/rules.ts'
import { CampaignStatus, type CampaignView, campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { isComplete } from './content.ts'
import { chooseContent } from './default-content.ts'
import {
  actionTexts,
  campaignsAddress,
  checkDraft,
  copyCampaign,
  createDraft,
  type Draft,
  describeAudience,
  describeEnd,
  describeRun,
  explainNoEffect,
  findPlanGate,
  findProblemStep,
  hasInvalidNumbers,
  isSameDraft,
  isTimePast,
  mapRefusedFields,
  moveToTomorrow,
  parseStatus,
  removeCampaigns,
  rowActions,
  toCampaignInput,
  toDraft,
} from './rules.ts'
import { findStandstill } from './standstill.ts'

const ZONE = 'America/New_York'
const NOW = Date.parse('2026-11-23T20:00:00Z')
const TODAY = '2026-11-23'

const emptyDraft = createDraft(ZONE, NOW)
const completeDraft: Draft = {
  ...emptyDraft,
  name: 'Autumn',
  subject: 'Your cart',
  body: 'Hi',
  emails: ['ada@example.com'],
}
const buildDraft = (change: Partial<Draft>): Draft => ({ ...completeDraft, ...change })
const withSchedule = (change: Partial<Draft['schedule']>) => ({ schedule: { ...completeDraft.schedule, ...change } })
const rules = { fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null } as const
const withCoupon = (change: object) => ({ coupon: { couponId: 'k', ...rules, ...change } })

const view: CampaignView = {
  _id: 'c1',
  id: 'c1',
  name: 'Autumn',
  description: 'Pots',
  type: 'sms',
  status: 'sent',
  createdAt: '2026-11-01T10:00:00Z',
  updatedAt: '2026-11-01T10:00:00Z',
  platform: 'woocommerce',
  storeId: 's',
  targetAudience: {
    type: 'abandoned_carts',
    mode: 'matching',
    filters: { minCartValue: 20 },
    customerEmails: [],
    customerPhones: [],
  },
  content: { subject: '', body: 'Come back', template: 'custom', coupon: null },
  couponShown: null,
  schedule: { startDate: '2026-11-01', timeOfDay: '10:00', frequency: 'once', delay: 12, spreadHours: null },
  nextRunAt: null,
  counts: {
    planned: 0,
    waiting: 0,
    held: 0,
    inFlight: 0,
    sent: 0,
    skipped: 0,
    failed: 0,
    unknown: 0,
    cancelled: 0,
  },
  revenue: [],
  pausedBy: null,
  putOffBy: null,
}

describe('actions of a row (B 4)', () => {
  it.each([
    ['scheduled', 'edit pause send_now cancel'],
    ['paused', 'play send_now cancel'],
    ['active', 'edit pause delete send'],
    ['completed', 'edit play delete send'],
    ['sent', 'edit play delete send'],
    ['cancelled', 'edit play delete send'],
  ] as const)('of a campaign that is %s: %s', { tags: ['B4'] }, (status, actions) => {
    expect(rowActions[status].join(' ')).toBe(actions)
  })

  it('include nothing the server refuses', { tags: ['B4'] }, () => {
    for (const status of CampaignStatus.options) {
      for (const action of rowActions[status])
        expect([status, action, getStatusAfter(status, action)]).not.toContain(null)
    }
  })
})

test.each([
  ['play', 'Campaign resumed.', 'Failed to resume campaign.'],
  ['pause', 'Campaign paused.', 'Failed to pause campaign.'],
  ['send_now', 'Campaign sent immediately.', 'Failed to send campaign now.'],
  ['cancel', 'Campaign cancelled.', 'Failed to cancel campaign.'],
  ['delete', 'Campaign deleted.', 'Failed to delete campaign.'],
  ['send', 'Campaign sent successfully!', 'Failed to send campaign.'],
] as const)(
  '%s reports “%s”, and “%s” if the server sent no message (B 8)',
  { tags: ['B8'] },
  (action, done, failed) => {
    expect(actionTexts[action]).toEqual({ done, failed })
  },
)

test('starts a new campaign with the defaults of B 9: one to 72 hours, today at ten store time, once, immediately', {
  tags: ['B9'],
}, () => {
  expect(emptyDraft.filters).toEqual({ minAbandonTime: 1, maxAbandonTime: 72 })
  expect(emptyDraft.schedule).toEqual({
    startDate: TODAY,
    timeOfDay: '10:00',
    frequency: 'once',
    delay: 0,
    spreadHours: null,
  })
  expect(createDraft(ZONE, Date.parse('2026-11-24T03:00:00Z')).schedule.startDate).toBe(TODAY)
})

test('allows creating once name, subject and body are filled in (B 5)', { tags: ['B5'] }, () => {
  expect(isComplete(completeDraft)).toBe(true)
  for (const field of ['name', 'subject', 'body'] as const) expect(isComplete(buildDraft({ [field]: ' ' }))).toBe(false)
  expect(isComplete(buildDraft({ type: 'sms', subject: '', body: '', sms: 'Hi' }))).toBe(true)
  expect(isComplete(buildDraft({ type: 'sms', sms: '' }))).toBe(false)
  expect(isComplete(buildDraft({ type: 'whatsapp', subject: '', body: '' }))).toBe(true)
})

describe('validation', () => {
  it.each([
    [{ emails: [] }, 'people', 'Please select at least one customer to send the campaign to.', 'audience'],
    [{ emails: Array(1_001).fill('a@b.example') }, 'people', /^At most 1,000 customers/, 'audience'],
    [withSchedule({ startDate: '2026-11-22' }), 'startDate', 'Start date cannot be before today', 'schedule'],
    [withSchedule({ frequency: 'daily' }), 'frequency', /^A recurring campaign needs “All that match”/, 'schedule'],
    [{ name: '' }, 'name', 'Enter a name.', 'details'],
    [{ subject: '' }, 'subject', 'Enter a subject.', 'template'],
    [{ body: '' }, 'body', 'Enter a message.', 'template'],
    [withCoupon({ pauseDays: 0 }), 'pauseDays', 'Enter a whole number of days between 1 and 3,650', 'template'],
    [withCoupon({ aboveAmount: 0 }), 'aboveAmount', 'Enter an amount greater than 0', 'template'],
    [withSchedule({ startDate: '' }), 'startDate', 'Enter a date.', 'schedule'],
    [withSchedule({ timeOfDay: '' }), 'timeOfDay', 'Enter a time.', 'schedule'],
    [{ filters: { minCartValue: Number.NaN } }, 'minCartValue', 'Enter a number, such as 40 or 40.50.', 'audience'],
    [{ filters: { minAbandonTime: Number.NaN } }, 'minAbandonTime', 'Enter a number, such as 40 or 40.50.', 'audience'],
    [
      { mode: 'matching', filters: { minCartValue: 9, maxCartValue: 8 } },
      ...(['maxCartValue', 'The minimum must not be above the maximum.', 'audience'] as const),
    ],
    [
      { filters: { minAbandonTime: 9, maxAbandonTime: 8 } },
      ...(['maxAbandonTime', 'The minimum must not be above the maximum.', 'audience'] as const),
    ],
  ] as [Partial<Draft>, string, string | RegExp, string][])('%o: %s', { tags: ['B5'] }, (change, field, text, step) => {
    const problems = checkDraft(buildDraft(change), TODAY)
    expect(problems).toEqual({ [field]: typeof text === 'string' ? text : expect.stringMatching(text) })
    expect(findProblemStep(problems)).toBe(step)
  })

  it('rejects an invalid filter number, skips the count, and treats it as a change of the draft', () => {
    const wrong = buildDraft({ filters: { minCartValue: Number.NaN } })
    expect([hasInvalidNumbers(wrong), hasInvalidNumbers(completeDraft)]).toEqual([true, false])
    expect(hasInvalidNumbers({ ...wrong, audience: 'specific_customers' })).toBe(false)
    expect(checkDraft(wrong, TODAY)).toEqual({ minCartValue: 'Enter a number, such as 40 or 40.50.' })
    expect(isSameDraft(wrong, buildDraft({ filters: {} }))).toBe(false)
  })

  it('ignores filters for "all that match", and an unchanged start', () => {
    expect(checkDraft(completeDraft, TODAY)).toEqual({})
    expect(
      checkDraft(buildDraft({ mode: 'matching', emails: [], ...withSchedule({ frequency: 'weekly' }) }), TODAY),
    ).toEqual({})
    expect(checkDraft(buildDraft(withSchedule({ startDate: '2026-01-01' })), null)).toEqual({})
  })

  it('shows an error at the field the server names', () => {
    const errors = {
      'content.subject': 'a',
      customerEmails: 'b',
      'targetAudience.mode': 'c',
      'content.coupon': 'd',
      x: 'e',
    }
    expect(mapRefusedFields(errors)).toEqual({ subject: 'a', people: 'b', frequency: 'c', coupon: 'd' })
    for (const [path, step] of [
      ['type', 'details'],
      ['customerPhones', 'audience'],
      ['content.coupon', 'template'],
      ['targetAudience.mode', 'schedule'],
    ] as const) {
      expect([path, findProblemStep(mapRefusedFields({ [path]: 'x' }))]).toEqual([path, step])
    }
  })
})

describe('default texts for chosen customers, who may have no cart', () => {
  const draftForCustomers = (change: Partial<Draft>) => buildDraft({ audience: 'specific_customers', ...change })

  it.each([
    [{ body: 'See {{ cart_items }}' }, { body: campaignTexts.cartWords }],
    [{ subject: '{{ cart_total }}', body: 'Hi' }, { subject: campaignTexts.cartWords }],
    [{ type: 'sms', sms: 'Hi {{ checkout_link }}' }, { body: campaignTexts.cartWords }],
    [{ type: 'sms', sms: 'Hi', body: '{{ cart_items }}' }, {}],
    [{ subject: 'News', body: 'Hi {{ customer_name }}' }, {}],
  ] as [Partial<Draft>, object][])('%o', (change, problems) => {
    expect(checkDraft(draftForCustomers(change), TODAY)).toEqual(problems)
    expect(toCampaignInput(draftForCustomers(change)).content.template).toBe('custom')
  })

  it('replaces texts about a cart, restores them with the carts, and keeps the user’s own', () => {
    const cartDraft = buildDraft({
      template: 'first_reminder',
      subject: 'Cart',
      body: '{{ cart_items }}',
      sms: 'a {{ cart_total }}',
    })
    const neutral = { ...cartDraft, ...chooseContent('specific_customers', cartDraft, null) }
    expect(neutral).toMatchObject({ template: 'custom', subject: '', body: '', sms: '' })
    expect({ ...neutral, ...chooseContent('abandoned_carts', neutral, cartDraft) }).toMatchObject({
      template: 'first_reminder',
      subject: 'Cart',
      body: '{{ cart_items }}',
    })
    const own = buildDraft({ template: 'custom', subject: 'News', body: 'Hi', sms: 'Hi' })
    expect({ ...own, ...chooseContent('specific_customers', own, null) }).toEqual(own)
  })

  it('explains why the row’s Send has no recipients (B 5)', () => {
    const explainSend = (type: 'abandoned_carts' | 'specific_customers') =>
      explainNoEffect('send', {
        targetAudience: { type, mode: 'selected', filters: {}, customerEmails: [], customerPhones: [] },
      })
    expect([explainSend('specific_customers'), explainSend('abandoned_carts')]).toEqual([
      'Only abandoned cart campaigns can be sent automatically.',
      null,
    ])
  })
})

describe('the request to the server', () => {
  test('sends addresses beside the audience if they were chosen from abandoned carts (B 7)', { tags: ['B7'] }, () => {
    const input = toCampaignInput(completeDraft, {
      platform: 'woocommerce',
      storeId: 'https://shop.example',
      sendNow: true,
    })
    expect(input).toMatchObject({
      name: 'Autumn',
      customerEmails: ['ada@example.com'],
      platform: 'woocommerce',
      sendNow: true,
      targetAudience: { type: 'abandoned_carts', mode: 'selected' },
    })
    const all = toCampaignInput(buildDraft({ mode: 'matching' }))
    expect([all.customerEmails, all.targetAudience]).toEqual([
      undefined,
      {
        type: 'abandoned_carts',
        mode: 'matching',
        customerEmails: [],
        customerPhones: [],
        filters: emptyDraft.filters,
      },
    ])
  })

  test('sends no delay for chosen customers, no subject for SMS, and neither text nor coupon for WhatsApp', () => {
    const people = toCampaignInput(
      buildDraft({ audience: 'specific_customers', mode: 'matching', ...withSchedule({ delay: 24 }) }),
    )
    expect([people.schedule.delay, people.customerEmails]).toEqual([0, undefined])
    expect(people.targetAudience).toMatchObject({ mode: 'selected' })
    expect(toCampaignInput(buildDraft({ type: 'sms', sms: 'Back?' })).content).toMatchObject({
      subject: '',
      body: 'Back?',
    })
    expect(toCampaignInput(buildDraft({ type: 'whatsapp', ...withCoupon({}) })).content).toMatchObject({
      subject: '',
      body: '',
      coupon: null,
    })
  })

  test('sends an existing campaign unchanged if the draft has no changes', () => {
    expect(isSameDraft(toDraft(view), { ...toDraft(view), description: 'Pots ' })).toBe(true)
    expect(isSameDraft(toDraft(view), { ...toDraft(view), sms: 'Come' })).toBe(false)
    expect(copyCampaign(view, ZONE, NOW)).toMatchObject({
      name: 'Copy of Autumn',
      sms: 'Come back',
      schedule: { startDate: TODAY },
    })
  })
})

describe('features that need a larger plan', () => {
  it.each([
    ['free', {}, null],
    ['free', withSchedule({ startDate: '2026-11-24' }), 'schedule'],
    ['free', withSchedule({ frequency: 'daily' }), 'schedule'],
    ['free', { mode: 'matching' }, null],
    ['free', { mode: 'matching', filters: {} }, null],
    ['free', { mode: 'matching', filters: { minAbandonTime: 2 } }, 'audience'],
    ['free', { mode: 'selected', filters: { minAbandonTime: 2 } }, 'audience'],
    ['free', { audience: 'specific_customers', filters: { minAbandonTime: 2 } }, null],
    ['free', { type: 'sms' }, 'details'],
    ['starter', { type: 'sms' }, null],
    ['starter', { type: 'sms', ...withSchedule({ frequency: 'daily' }) }, 'schedule'],
    ['starter', { type: 'whatsapp' }, 'details'],
    ['starter', withSchedule({ frequency: 'daily' }), null],
    ['growth', { type: 'whatsapp', ...withSchedule({ frequency: 'daily' }) }, null],
    [null, { type: 'whatsapp' }, null],
  ] as [Parameters<typeof findPlanGate>[1], Partial<Draft>, string | null][])(
    '%s: %o',
    { tags: ['A6'] },
    (plan, change, step) => {
      expect(findPlanGate(buildDraft(change), plan, TODAY)?.step ?? null).toBe(step)
    },
  )

  test('requires Growth for WhatsApp at any time, and a plan for SMS only where one is needed', () => {
    const getGateText = (plan: 'free' | 'starter', change: Partial<Draft>) =>
      findPlanGate(buildDraft(change), plan, TODAY)?.text
    for (const plan of ['free', 'starter'] as const) {
      expect(getGateText(plan, { type: 'whatsapp' })).toBe(
        'All WhatsApp campaigns require the Growth plan. Please upgrade to send them.',
      )
    }
    expect(getGateText('starter', { type: 'sms', ...withSchedule({ frequency: 'daily' }) })).toBe(
      'Planned and recurring SMS campaigns require the Growth plan. Please upgrade to schedule them.',
    )
  })
})

describe('the schedule as text', () => {
  const describe = (change: Partial<Draft['schedule']>, isNew = true) =>
    describeRun({ ...completeDraft.schedule, ...change }, { zone: ZONE, now: NOW, isNew })

  test('uses the store’s time zone', { tags: ['B2'] }, () => {
    expect(describe({ startDate: '2026-11-24' })).toBe('Runs once on Tuesday, November 24, 2026 at 10:00 AM.')
    for (const [frequency, after] of [
      ['daily', 'day'],
      ['weekly', 'week'],
      ['monthly', 'month'],
    ] as const) {
      expect(describe({ startDate: '2026-11-24', frequency })).toBe(
        `Runs first on Tuesday, November 24, 2026 at 10:00 AM, then every ${after}.`,
      )
      expect(describe({ frequency }, false)).toBe(
        `Started on Monday, November 23, 2026 at 10:00 AM, then every ${after}.`,
      )
    }
    expect(describe({ frequency: 'daily' })).toBe('That time has passed. You can send now or pick another time.')
    expect(describe({})).toBe('That time has passed. You can send now or pick another time.')
    expect(describe({}, false)).toBe('Was due on Monday, November 23, 2026 at 10:00 AM.')
    expect(describe({ startDate: '' })).toBe('Enter a date and a time.')
  })

  test('asks about a past time today, even for a recurring campaign; tomorrow is at ten', () => {
    expect(
      [{}, { timeOfDay: '15:01' }, { frequency: 'daily' }].map((change) =>
        isTimePast({ ...completeDraft.schedule, ...(change as object) }, ZONE, NOW),
      ),
    ).toEqual([true, false, true])
    expect(moveToTomorrow({ ...completeDraft.schedule, timeOfDay: '07:00' }, ZONE, NOW)).toMatchObject({
      startDate: '2026-11-24',
      timeOfDay: '10:00',
    })
  })

  test('states when the schedule ends', () => {
    expect(describeEnd(40, null)).toBe('Takes about 40 minutes at your sending rate.')
    expect(describeEnd(180, null)).toBe('Takes about 3 hours at your sending rate.')
    expect([describeEnd(0.2, null), describeEnd(null, null), describeEnd(40, 4)]).toEqual([
      'Takes about a minute at your sending rate.',
      null,
      'Spread over 4 hours.',
    ])
  })
})

test.each([
  [{ status: 'paused', pausedBy: null, putOffBy: null }, null],
  [{ status: 'scheduled', pausedBy: null, putOffBy: null }, null],
  [{ status: 'paused', pausedBy: 'bounces', putOffBy: null }, 'Too many emails bounced'],
  [{ status: 'paused', pausedBy: 'complaints', putOffBy: null }, 'Too many spam complaints'],
  [{ status: 'cancelled', pausedBy: 'complaints', putOffBy: null }, null],
  [{ status: 'paused', pausedBy: 'cart_words', putOffBy: null }, 'Mentions a cart to customers without one'],
  [{ status: 'paused', pausedBy: 'plan', putOffBy: null }, 'No longer in your plan'],
  [{ status: 'paused', pausedBy: 'payment', putOffBy: null }, 'Your payment is overdue'],
  [
    { status: 'active', pausedBy: null, putOffBy: 'own_words' },
    'Postponed: new accounts have a daily limit on custom text',
  ],
] as const)('explains why %o does not run', (campaign, short) => {
  const standstill = findStandstill(campaign)
  expect(standstill?.short ?? null).toBe(short)
  expect(standstill?.isByPlan ?? false).toBe(['plan', 'payment'].includes(campaign.pausedBy ?? ''))
})

test('the list shows the audience, and its address keeps search and filter', { tags: ['B2'] }, () => {
  const describeTarget = (targetAudience: Partial<CampaignView['targetAudience']>) =>
    describeAudience({ targetAudience: { ...view.targetAudience, ...targetAudience } })
  expect([
    describeTarget({}),
    describeTarget({ mode: 'selected', customerEmails: ['a'], customerPhones: [] }),
    describeTarget({ type: 'specific_customers' }),
  ]).toEqual(['All that match', '1 customer, selected', '0 customers'])
  const query = campaignsAddress.read(new URLSearchParams('search=autumn&status=paused&page=2'))
  expect(query).toMatchObject({ search: 'autumn', status: 'paused', page: 2, limit: 50 })
  expect(campaignsAddress.read(new URLSearchParams('status=nonsense'))).not.toHaveProperty('status')
  expect([parseStatus('sent'), parseStatus('')]).toEqual(['sent', null])
})

it('leaves out removed campaigns and counts the others', () => {
  const [a, b] = [{ id: 'a' }, { id: 'b' }] as CampaignView[]
  const list = { campaigns: [a!, b!], pagination: { page: 1, limit: 50, total: 60, pages: 2 } }
  expect(removeCampaigns(list, new Set(['a', 'elsewhere']))).toEqual({
    campaigns: [b],
    pagination: { page: 1, limit: 50, total: 59, pages: 2 },
  })
})
