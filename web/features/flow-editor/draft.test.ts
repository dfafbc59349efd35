import { describe, expect, it } from 'vitest'
import {
  addStep,
  addVariant,
  buildPreviewText,
  changeStep,
  copyStep,
  createKeys,
  type FlowDraft,
  findEqualVariants,
  findPlaceUp,
  getContent,
  getVariantLetter,
  isSameDraft,
  MOST_DELAY_MINUTES,
  moveStep,
  moveStepUp,
  removeStep,
  removeVariant,
  type StepDraft,
  setContent,
  setFirstChannel,
  shareEqually,
} from './draft.ts'

const texts = { email: { subject: 'Hi', body: 'Text' }, sms: { body: 'Short' }, push: { title: 'Hey', body: 'Cart' } }
const buildStep = (key: string, delayMinutes: number): StepDraft => ({
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
})
const buildFlow = (...steps: StepDraft[]): FlowDraft => ({ name: 'Reminders', conditions: null, steps })
const three = buildFlow(buildStep('a', 60), buildStep('b', 1_440), buildStep('c', 4_320))
const listTimes = ({ steps }: FlowDraft) => steps.map(({ key, delayMinutes }) => [key, delayMinutes])

describe('the messages of a flow', () => {
  it('swap positions while the times stay in place', () => {
    expect(listTimes(moveStep(three, 2, 0))).toEqual([
      ['c', 60],
      ['a', 1_440],
      ['b', 4_320],
    ])
    expect(isSameDraft(moveStep(three, 1, 1), three)).toBe(true)
  })

  it('move up to where their time belongs, and keep their times', () => {
    const late = buildFlow(...three.steps, buildStep('d', 120))
    expect(findPlaceUp(late, 'd')).toBe(1)
    expect(listTimes(moveStepUp(late, 3, 1))).toEqual([
      ['a', 60],
      ['d', 120],
      ['b', 1_440],
      ['c', 4_320],
    ])
    for (const key of ['a', 'b', 'c']) expect(findPlaceUp(late, key)).toBeNull()
    // Two at the same time have no order, and one without a time has no position.
    expect(findPlaceUp(buildFlow(...three.steps, buildStep('d', 60)), 'd')).toBeNull()
    expect(findPlaceUp(buildFlow(...three.steps, buildStep('d', Number.NaN)), 'd')).toBeNull()
    expect(findPlaceUp(buildFlow(buildStep('n', Number.NaN), buildStep('b', 90), buildStep('d', 60)), 'd')).toBe(1)
  })

  it('are added at the end a day later, or between two at a time between theirs', () => {
    const { delayMinutes: _, ...added } = buildStep('x', 0)
    expect(listTimes(addStep(three, added, null)).at(-1)).toEqual(['x', 5_760])
    expect(listTimes(addStep(three, added, 'a'))[1]).toEqual(['x', 780])
    expect(listTimes(addStep(three, added, 'b'))[2]).toEqual(['x', 2_880])
    expect(listTimes(addStep(buildFlow(), added, null))).toEqual([['x', 60]])
    expect(listTimes(addStep(buildFlow(buildStep('a', MOST_DELAY_MINUTES - 1)), added, null)).at(-1)![1]).toBe(
      MOST_DELAY_MINUTES,
    )
    // There is no minute between them, so the user must type the time.
    expect(listTimes(addStep(buildFlow(buildStep('a', 1), buildStep('b', 2)), added, 'a'))[1]![1]).toBeNaN()
    expect(listTimes(addStep(buildFlow(buildStep('a', 1), buildStep('b', 3)), added, 'a'))[1]![1]).toBe(2)
  })

  it('are removed and changed one at a time', () => {
    expect(listTimes(removeStep(three, 'b')).map(([key]) => key)).toEqual(['a', 'c'])
    const changed = changeStep(three, 'b', { delayMinutes: 90 })
    expect(changed.steps[1]!.delayMinutes).toBe(90)
    expect(changed.steps[0]).toBe(three.steps[0])
  })

  it('are copied under new keys', () => {
    const copy = copyStep(three.steps[0]!, createKeys(three))
    expect(copy).toMatchObject({
      key: 'new-1',
      id: null,
      delayMinutes: 60,
      variants: [{ key: 'new-2', id: null, words: texts }],
    })
    expect(createKeys(buildFlow(copy))()).toBe('new-3')
  })
})

describe('the channels of a message', () => {
  it('swap a new first choice with a fallback', () => {
    expect(setFirstChannel(['email'], 'sms')).toEqual(['sms'])
    expect(setFirstChannel(['email', 'push'], 'sms')).toEqual(['sms', 'push'])
    expect(setFirstChannel(['email', 'sms', 'push'], 'push')).toEqual(['push', 'sms', 'email'])
    expect(setFirstChannel(['email', 'sms'], 'email')).toEqual(['email', 'sms'])
  })

  it('have their own content, with the title as the subject', () => {
    expect(getContent(texts, 'push')).toEqual({ subject: 'Hey', body: 'Cart' })
    expect(getContent(texts, 'sms').body).toBe('Short')
    expect(setContent(texts, 'push', { subject: 'Ho' })).toEqual({ ...texts, push: { title: 'Ho', body: 'Cart' } })
    expect(setContent(texts, 'sms', { subject: 'none', body: 'Other' })).toEqual({ ...texts, sms: { body: 'Other' } })
    expect(setContent(texts, 'email', { body: '' })).toEqual({ ...texts, email: { subject: 'Hi', body: '' } })
  })
})

describe('the variants of a message', () => {
  it('share equally and sum to 100', () => {
    const shareAmong = (count: number) =>
      shareEqually(Array.from({ length: count }, () => three.steps[0]!.variants[0]!))
    for (const count of [1, 2, 3, 4]) {
      expect(shareAmong(count).reduce((sum, { sharePercent }) => sum + sharePercent, 0)).toBe(100)
    }
    expect(shareAmong(3).map(({ sharePercent }) => sharePercent)).toEqual([34, 33, 33])
  })

  it('start with the content of another, and share equally again after a removal', () => {
    const [only] = three.steps[0]!.variants
    const two = { ...three.steps[0]!, ...addVariant(three.steps[0]!, only!, 'new-1') }
    expect(two.variants).toMatchObject([
      { key: 'a-a', id: 'a-a', sharePercent: 50 },
      { key: 'new-1', id: null, sharePercent: 50, words: texts },
    ])
    expect(removeVariant(two, 'a-a').variants).toMatchObject([{ key: 'new-1', sharePercent: 100 }])
  })

  it('are reported if their content is identical in every channel of the message', () => {
    const [only] = three.steps[0]!.variants
    const two = { ...three.steps[0]!, ...addVariant(three.steps[0]!, only!, 'new-1') }
    expect(findEqualVariants(three.steps[0]!)).toBeNull()
    expect(findEqualVariants(two)).toEqual(['A', 'B'])
    const [a, b] = two.variants
    const other = { ...b!, words: { ...texts, email: { subject: 'Hi ', body: 'Other' } } }
    expect(findEqualVariants({ ...two, variants: [a!, other] })).toBeNull()
    // Content of unused channels does not matter, nor that of WhatsApp, which is one template.
    expect(findEqualVariants({ ...two, variants: [a!, other], channels: ['sms', 'whatsapp'] })).toEqual(['A', 'B'])
    expect(findEqualVariants({ ...two, variants: [a!, other, { ...other, key: 'new-2' }] })).toEqual(['B', 'C'])
  })

  it('keep their names after others ended; a new one is named after all of them', () => {
    const [only] = three.steps[0]!.variants
    const reduced = { ...three.steps[0]!, variants: [{ ...only!, name: 'B' }], variantsSoFar: 2 }
    const two = { ...reduced, ...addVariant(reduced, reduced.variants[0]!, 'new-1') }
    expect(two.variants.map(({ key }) => getVariantLetter(two, key))).toEqual(['B', 'C'])
    const copy = copyStep(two, createKeys(three))
    expect(copy.variants.map(({ key }) => getVariantLetter(copy, key))).toEqual(['A', 'B'])
  })
})

it('detects changes from the stored flow, an emptied number, and ignores updates of the coupon', () => {
  const emptied = changeStep(three, 'a', { delayMinutes: Number.NaN })
  expect(isSameDraft(emptied, three)).toBe(false)
  expect(isSameDraft({ ...three, name: 'Other' }, three)).toBe(false)
  const coupon = { code: 'X' } as unknown as NonNullable<StepDraft['couponShown']>
  expect(isSameDraft(changeStep(three, 'a', { couponShown: coupon }), three)).toBe(true)
})

it('shows the beginning of a text without headings, conditions and bare variables', () => {
  const body =
    '# We saved your cart\n\nHi {{ customer_name }},\n\n{{ cart_items }}\n{% if a == b %}\nTotal: {{ cart_total }}\n{% endif %}'
  expect(buildPreviewText(body)).toBe('Hi [customer name], Total: [cart total]')
})
