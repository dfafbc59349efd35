import { describe, expect, it } from 'vitest'
import {
  copyOf,
  type FlowDraft,
  freshKeys,
  isSameDraft,
  letterOf,
  MOST_DELAY_MINUTES,
  placeUp,
  type StepDraft,
  sameWords,
  shared,
  withAdded,
  withFirstChannel,
  withMoved,
  withMovedUp,
  withNewVariant,
  withoutStep,
  withoutVariant,
  withStep,
  withWords,
  wordsOf,
} from './draft.ts'

const words = { email: { subject: 'Hi', body: 'Text' }, sms: { body: 'Short' }, push: { title: 'Hey', body: 'Cart' } }
const step = (key: string, delayMinutes: number): StepDraft => ({
  ...{ key, id: key, name: key, delayMinutes, channels: ['email'], conditions: null, coupon: null, couponShown: null },
  variants: [{ key: `${key}-a`, id: `${key}-a`, name: 'A', sharePercent: 100, words }],
  variantsSoFar: 1,
})
const flow = (...steps: StepDraft[]): FlowDraft => ({ name: 'Reminders', conditions: null, steps })
const three = flow(step('a', 60), step('b', 1_440), step('c', 4_320))
const timesOf = ({ steps }: FlowDraft) => steps.map(({ key, delayMinutes }) => [key, delayMinutes])

describe('the messages of a flow', () => {
  it('swap positions while the times stay in place', () => {
    expect(timesOf(withMoved(three, 2, 0))).toEqual([
      ['c', 60],
      ['a', 1_440],
      ['b', 4_320],
    ])
    expect(isSameDraft(withMoved(three, 1, 1), three)).toBe(true)
  })

  it('move up to where their time belongs, and keep their times', () => {
    const late = flow(...three.steps, step('d', 120))
    expect(placeUp(late, 'd')).toBe(1)
    expect(timesOf(withMovedUp(late, 3, 1))).toEqual([
      ['a', 60],
      ['d', 120],
      ['b', 1_440],
      ['c', 4_320],
    ])
    for (const key of ['a', 'b', 'c']) expect(placeUp(late, key)).toBeNull()
    // Two at the same time have no order, and one without a time has no position.
    expect(placeUp(flow(...three.steps, step('d', 60)), 'd')).toBeNull()
    expect(placeUp(flow(...three.steps, step('d', Number.NaN)), 'd')).toBeNull()
    expect(placeUp(flow(step('n', Number.NaN), step('b', 90), step('d', 60)), 'd')).toBe(1)
  })

  it('are added at the end a day later, or between two at a time between theirs', () => {
    const { delayMinutes: _, ...added } = step('x', 0)
    expect(timesOf(withAdded(three, added, null)).at(-1)).toEqual(['x', 5_760])
    expect(timesOf(withAdded(three, added, 'a'))[1]).toEqual(['x', 780])
    expect(timesOf(withAdded(three, added, 'b'))[2]).toEqual(['x', 2_880])
    expect(timesOf(withAdded(flow(), added, null))).toEqual([['x', 60]])
    expect(timesOf(withAdded(flow(step('a', MOST_DELAY_MINUTES - 1)), added, null)).at(-1)![1]).toBe(MOST_DELAY_MINUTES)
    // There is no minute between them, so the user must type the time.
    expect(timesOf(withAdded(flow(step('a', 1), step('b', 2)), added, 'a'))[1]![1]).toBeNaN()
    expect(timesOf(withAdded(flow(step('a', 1), step('b', 3)), added, 'a'))[1]![1]).toBe(2)
  })

  it('are removed and changed one at a time', () => {
    expect(timesOf(withoutStep(three, 'b')).map(([key]) => key)).toEqual(['a', 'c'])
    const changed = withStep(three, 'b', { delayMinutes: 90 })
    expect(changed.steps[1]!.delayMinutes).toBe(90)
    expect(changed.steps[0]).toBe(three.steps[0])
  })

  it('are copied under new keys', () => {
    const copy = copyOf(three.steps[0]!, freshKeys(three))
    expect(copy).toMatchObject({
      key: 'new-1',
      id: null,
      delayMinutes: 60,
      variants: [{ key: 'new-2', id: null, words }],
    })
    expect(freshKeys(flow(copy))()).toBe('new-3')
  })
})

describe('the channels of a message', () => {
  it('swap a new first choice with a fallback', () => {
    expect(withFirstChannel(['email'], 'sms')).toEqual(['sms'])
    expect(withFirstChannel(['email', 'push'], 'sms')).toEqual(['sms', 'push'])
    expect(withFirstChannel(['email', 'sms', 'push'], 'push')).toEqual(['push', 'sms', 'email'])
    expect(withFirstChannel(['email', 'sms'], 'email')).toEqual(['email', 'sms'])
  })

  it('have their own content, with the title as the subject', () => {
    expect(wordsOf(words, 'push')).toEqual({ subject: 'Hey', body: 'Cart' })
    expect(wordsOf(words, 'sms').body).toBe('Short')
    expect(withWords(words, 'push', { subject: 'Ho' })).toEqual({ ...words, push: { title: 'Ho', body: 'Cart' } })
    expect(withWords(words, 'sms', { subject: 'none', body: 'Other' })).toEqual({ ...words, sms: { body: 'Other' } })
    expect(withWords(words, 'email', { body: '' })).toEqual({ ...words, email: { subject: 'Hi', body: '' } })
  })
})

describe('the variants of a message', () => {
  it('share equally and sum to 100', () => {
    const of = (count: number) => shared(Array.from({ length: count }, () => three.steps[0]!.variants[0]!))
    for (const count of [1, 2, 3, 4]) {
      expect(of(count).reduce((sum, { sharePercent }) => sum + sharePercent, 0)).toBe(100)
    }
    expect(of(3).map(({ sharePercent }) => sharePercent)).toEqual([34, 33, 33])
  })

  it('start with the content of another, and share equally again after a removal', () => {
    const [only] = three.steps[0]!.variants
    const two = { ...three.steps[0]!, ...withNewVariant(three.steps[0]!, only!, 'new-1') }
    expect(two.variants).toMatchObject([
      { key: 'a-a', id: 'a-a', sharePercent: 50 },
      { key: 'new-1', id: null, sharePercent: 50, words },
    ])
    expect(withoutVariant(two, 'a-a').variants).toMatchObject([{ key: 'new-1', sharePercent: 100 }])
  })

  it('are reported if their content is identical in every channel of the message', () => {
    const [only] = three.steps[0]!.variants
    const two = { ...three.steps[0]!, ...withNewVariant(three.steps[0]!, only!, 'new-1') }
    expect(sameWords(three.steps[0]!)).toBeNull()
    expect(sameWords(two)).toEqual(['A', 'B'])
    const [a, b] = two.variants
    const other = { ...b!, words: { ...words, email: { subject: 'Hi ', body: 'Other' } } }
    expect(sameWords({ ...two, variants: [a!, other] })).toBeNull()
    // Content of unused channels does not matter, nor that of WhatsApp, which is one template.
    expect(sameWords({ ...two, variants: [a!, other], channels: ['sms', 'whatsapp'] })).toEqual(['A', 'B'])
    expect(sameWords({ ...two, variants: [a!, other, { ...other, key: 'new-2' }] })).toEqual(['B', 'C'])
  })

  it('keep their names after others ended; a new one is named after all of them', () => {
    const [only] = three.steps[0]!.variants
    const left = { ...three.steps[0]!, variants: [{ ...only!, name: 'B' }], variantsSoFar: 2 }
    const two = { ...left, ...withNewVariant(left, left.variants[0]!, 'new-1') }
    expect(two.variants.map(({ key }) => letterOf(two, key))).toEqual(['B', 'C'])
    const copy = copyOf(two, freshKeys(three))
    expect(copy.variants.map(({ key }) => letterOf(copy, key))).toEqual(['A', 'B'])
  })
})

it('detects changes from the stored flow, an emptied number, and ignores updates of the coupon', () => {
  const emptied = withStep(three, 'a', { delayMinutes: Number.NaN })
  expect(isSameDraft(emptied, three)).toBe(false)
  expect(isSameDraft({ ...three, name: 'Other' }, three)).toBe(false)
  const shown = { code: 'X' } as unknown as NonNullable<StepDraft['couponShown']>
  expect(isSameDraft(withStep(three, 'a', { couponShown: shown }), three)).toBe(true)
})
