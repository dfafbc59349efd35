import { expect, it } from 'vitest'
import type { FlowChannels } from '../../../shared/marketing/flows.ts'
import { buildCoupon } from '../../../test/coupon-fixtures.ts'
import { applyCoupon } from '../../kits/message-editor/step-coupon.ts'
import type { FlowDraft, StepDraft } from './draft.ts'
import { buildContentField, checkFlow, findFirstContentError, hasProblems, mapRefusedFields } from './problems.ts'
import { buildSaveBody } from './saving.ts'

const texts = { email: { subject: 'Hi', body: 'Text' }, sms: { body: 'Short' }, push: { title: 'Hey', body: 'Cart' } }
const step = (key: string, delayMinutes: number, more: Partial<StepDraft> = {}): StepDraft => ({
  key,
  id: key,
  name: key,
  delayMinutes,
  channels: ['email'],
  conditions: null,
  coupon: null,
  couponShown: null,
  variants: [{ key: `${key}-a`, id: `${key}-a`, name: 'A', sharePercent: 100, words: texts }],
  variantsSoFar: 1,
  ...more,
})
const buildFlow = (...steps: StepDraft[]): FlowDraft => ({ name: 'Reminders', conditions: null, steps })
const free: FlowChannels = {
  sms: { problem: null },
  whatsapp: { problem: null, template: 'Hi {{1}}' },
  push: { problem: null },
}
const stored = buildFlow(step('a', 60), step('b', 1_440))
const check = (draft: FlowDraft, minDelayMinutes = 15, channels = free, before = stored) =>
  checkFlow(draft, { minDelayMinutes, stored: before, channels })
const findStepProblems = (draft: FlowDraft, key: string, ...more: [number?, FlowChannels?, FlowDraft?]) =>
  check(draft, ...more).steps.get(key)

it('requires a name, and allowed times in ascending order', () => {
  expect(hasProblems(check(stored))).toBe(false)
  expect(check({ ...stored, name: ' ' }).name).toBe('Enter a name')
  expect(findStepProblems(buildFlow(step('a', 5)), 'a')).toEqual({ delayMinutes: 'At least 15 minutes' })
  expect(findStepProblems(buildFlow(step('a', 60), step('b', 60)), 'b')).toEqual({
    delayMinutes: 'Must be later than the message before it',
  })
  expect(findStepProblems(buildFlow(step('a', Number.NaN)), 'a', 1)).toEqual({ delayMinutes: 'At least 1 minute' })
  expect(findStepProblems(buildFlow(step('a', 50_000)), 'a')).toEqual({ delayMinutes: 'At most 30 days' })
})

it('requires content for the message’s channels only', () => {
  const empty = { email: { subject: ' ', body: '' }, sms: { body: ' ' }, push: { title: '', body: '' } }
  const buildStep = (...channels: StepDraft['channels']) =>
    findStepProblems(
      buildFlow(
        step('a', 60, { channels, variants: [{ key: 'v', id: 'v', name: 'A', sharePercent: 100, words: empty }] }),
      ),
      'a',
    )
  expect(buildStep('email')).toEqual({
    [buildContentField('v', 'email', 'subject')]: 'An email needs a subject',
    [buildContentField('v', 'email', 'body')]: 'An email needs a text',
  })
  expect(buildStep('whatsapp')).toBeUndefined()
  expect(buildStep('sms')).toEqual({ [buildContentField('v', 'sms', 'body')]: 'An SMS needs a text' })
  expect(Object.values(buildStep('sms', 'push')!)).toEqual([
    'An SMS needs a text',
    'A notification needs a title',
    'A notification needs a text',
  ])
})

it('finds the content with the error', () => {
  expect(
    findFirstContentError({ delayMinutes: 'Later', [buildContentField('new-2', 'push', 'subject')]: 'Empty' }),
  ).toEqual(['new-2', 'push'])
  expect(findFirstContentError({ delayMinutes: 'Later' })).toBeNull()
})

it('requires a channel to be set up, unless the message already uses it', () => {
  const without: FlowChannels = {
    sms: { problem: 'Not set up.' },
    whatsapp: { problem: 'No template.', template: null },
    push: { problem: 'Not here.' },
  }
  const sms = buildFlow(step('a', 60, { channels: ['email', 'sms'] }))
  expect(findStepProblems(sms, 'a', 15, without)).toEqual({ channels: 'Not set up.' })
  expect(findStepProblems(buildFlow(step('a', 60, { channels: ['whatsapp'] })), 'a', 15, without)).toEqual({
    channels: 'No template.',
  })
  expect(findStepProblems(buildFlow(step('a', 60, { channels: ['push'] })), 'a', 15, without)).toEqual({
    channels: 'Not here.',
  })
  // Its messages are held with a reason; saving other changes stays possible.
  expect(findStepProblems(sms, 'a', 15, without, sms)).toBeUndefined()
})

it('requires shares to sum to 100', () => {
  const findShareProblems = (...shares: number[]) => {
    const variants = shares.map((sharePercent, index) => ({
      key: `v${index}`,
      id: null,
      name: null,
      sharePercent,
      words: texts,
    }))
    return findStepProblems(buildFlow(step('a', 60, { variants })), 'a')
  }
  expect(findShareProblems(60, 40)).toBeUndefined()
  expect(findShareProblems(60, 30)).toEqual({ shares: 'The shares must add up to 100%' })
  expect(findShareProblems(100, 0)).toEqual({ shares: 'Each needs a share of at least 1%' })
  expect(findShareProblems(100, Number.NaN)).toEqual({ shares: 'Each needs a share of at least 1%' })
})

it('requires complete conditions and valid coupon numbers', () => {
  const open: StepDraft['conditions'] = {
    match: 'all',
    groups: [{ match: 'all', conditions: [{ fact: 'value', is: 'above', amount: Number.NaN }] }],
  }
  expect(check({ ...stored, conditions: open }).conditions).toBe('A condition is not complete yet')
  expect(findStepProblems(buildFlow(step('a', 60, { conditions: open })), 'a')).toEqual({
    conditions: 'A condition is not complete yet',
  })
  const wrong = { ...applyCoupon(null, buildCoupon()).coupon!, pauseDays: Number.NaN, aboveAmount: 0 }
  expect(findStepProblems(buildFlow(step('a', 60, { coupon: wrong })), 'a')).toEqual({
    pauseDays: 'Enter a whole number of days between 1 and 3,650',
    aboveAmount: 'Enter an amount greater than 0',
  })
  expect(findStepProblems(buildFlow(step('a', 60, { coupon: wrong, channels: ['whatsapp'] })), 'a')).toBeUndefined()
})

it('assigns the server’s field errors to their place', () => {
  const refused = mapRefusedFields(
    {
      name: 'Shorter.',
      conditions: 'Fewer.',
      'steps.1.coupon': 'Gone.',
      'steps.0.coupon.pauseDays': 'Less.',
      'steps.0.variants.0.words.email.body': 'Too long.',
      'steps.0.variants.0.words.push.title': 'Too long.',
      'steps.1.variants': 'Not 100.',
      'steps.9.delayMinutes': 'No.',
    },
    stored,
  )
  expect(refused).toMatchObject({ name: 'Shorter.', conditions: 'Fewer.' })
  expect([...refused.steps]).toEqual([
    ['b', { coupon: 'Gone.', shares: 'Not 100.' }],
    [
      'a',
      {
        pauseDays: 'Less.',
        [buildContentField('a-a', 'email', 'body')]: 'Too long.',
        [buildContentField('a-a', 'push', 'subject')]: 'Too long.',
      },
    ],
  ])
})

it('sends changed parts and omits the others', () => {
  expect(buildSaveBody(stored, stored)).toEqual({
    name: 'Reminders',
    seenSteps: ['a', 'b'],
    steps: [
      { id: 'a', delayMinutes: 60 },
      { id: 'b', delayMinutes: 1_440 },
    ],
  })
  const variants = [
    { key: 'a-a', id: 'a-a', name: 'A', sharePercent: 100, words: { ...texts, sms: { body: 'Shorter' } } },
  ]
  const changed = buildFlow(step('a', 60, { channels: ['email', 'sms'], variants }), step('b', 1_440))
  expect(buildSaveBody(changed, stored).steps[0]).toEqual({
    id: 'a',
    delayMinutes: 60,
    channels: ['email', 'sms'],
    variants: [{ id: 'a-a', sharePercent: 100, words: { sms: { body: 'Shorter' } } }],
  })
  const conditions: StepDraft['conditions'] = {
    match: 'all',
    groups: [{ match: 'all', conditions: [{ fact: 'phone', is: 'present' }] }],
  }
  expect(buildSaveBody({ ...stored, conditions }, stored).conditions).toEqual(conditions)
  expect(buildSaveBody(stored, { ...stored, conditions })).toHaveProperty('conditions', null)
})

it('sends all of a new message, with content for its channels only', () => {
  const added = step('new-1', 2_880, {
    id: null,
    channels: ['sms'],
    variants: [
      { key: 'new-2', id: null, name: null, sharePercent: 100, words: { ...texts, email: { subject: '', body: '' } } },
    ],
  })
  expect(buildSaveBody(buildFlow(...stored.steps, added), stored).steps[2]).toEqual({
    delayMinutes: 2_880,
    channels: ['sms'],
    conditions: null,
    coupon: null,
    variants: [{ sharePercent: 100, words: { sms: { body: 'Short' } } }],
  })
})

it('sends a changed coupon, and removes it from WhatsApp-only messages', () => {
  const coupon = buildCoupon()
  const stored = step('a', 60, applyCoupon(null, coupon))
  const buildSavedStep = (now: StepDraft, before: StepDraft) =>
    buildSaveBody(buildFlow(now), buildFlow(before)).steps[0]!
  expect(buildSavedStep(stored, step('a', 60)).coupon).toMatchObject({ couponId: coupon._id, pauseDays: 90 })
  // The server would refuse a coupon deleted in the store.
  expect(buildSavedStep({ ...stored, delayMinutes: 90 }, stored)).not.toHaveProperty('coupon')
  expect(buildSavedStep(step('a', 60), stored).coupon).toBeNull()
  expect(buildSavedStep({ ...stored, channels: ['whatsapp'] }, stored).coupon).toBeNull()
  expect(buildSavedStep({ ...stored, channels: ['whatsapp', 'email'] }, stored)).not.toHaveProperty('coupon')
})
