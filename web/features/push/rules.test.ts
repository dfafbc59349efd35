import { expect, test } from 'vitest'
import { DEFAULT_PROMPT } from '../../../shared/delivery/push.ts'
import { checkPrompt, describeReach, formatHost, parseDelay, parseMaximum, toFailure } from './rules.ts'

test('replaces an invalid delay by 0 and an invalid maximum by 1 (A 5)', () => {
  expect([0, 10_080, 10_081, -1, 1.5, '', 'x'].map(parseDelay)).toEqual([0, 10_080, 0, 0, 0, 0, 0])
  expect([1, 10, 11, 0, 2.5, '', 'x'].map(parseMaximum)).toEqual([1, 10, 1, 1, 1, 1, 1])
})

test('states the recipients of a test', () => {
  expect(describeReach(1_214)).toBe('This is sent to 1,214 real subscribers.')
  expect(describeReach(1)).toBe('This is sent to 1 real subscriber.')
})

test('shows an error’s own message (A 8)', () => {
  expect(toFailure(new Error('Store not found'))).toEqual({ isGood: false, text: 'Error: Store not found' })
})

test('requires texts and readable colors for the bar', () => {
  expect(checkPrompt(DEFAULT_PROMPT)).toEqual({})
  expect(Object.keys(checkPrompt({ ...DEFAULT_PROMPT, title: ' ', button: '#12', buttonColor: '#fff' }))).toEqual([
    'title',
    'button',
    'buttonColor',
  ])
  expect(checkPrompt({ ...DEFAULT_PROMPT, color: '#cccccc' }).color).toMatch(/contrast 1\.\d:1/)
})

test('shows a page by its host', () => {
  expect([formatHost('https://shop.example'), formatHost('http://localhost:3001')]).toEqual([
    'shop.example',
    'localhost:3001',
  ])
})
