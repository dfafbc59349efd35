import { expect, test } from 'vitest'
import { DEFAULT_PROMPT } from '../../shared/push.ts'
import { delayOf, failed, hostOf, maximumOf, promptProblems, reachText } from './rules.ts'

test('replaces an invalid delay by 0 and an invalid maximum by 1 (A 5)', () => {
  expect([0, 10_080, 10_081, -1, 1.5, '', 'x'].map(delayOf)).toEqual([0, 10_080, 0, 0, 0, 0, 0])
  expect([1, 10, 11, 0, 2.5, '', 'x'].map(maximumOf)).toEqual([1, 10, 1, 1, 1, 1, 1])
})

test('states whom a test reaches', () => {
  expect(reachText(1_214)).toBe('This goes to 1,214 real subscribers.')
  expect(reachText(1)).toBe('This goes to 1 real subscriber.')
})

test('shows an error’s own message (A 8)', () => {
  expect(failed(new Error('Store not found'))).toEqual({ isGood: false, text: 'Error: Store not found' })
})

test('requires texts and readable colors for the bar', () => {
  expect(promptProblems(DEFAULT_PROMPT)).toEqual({})
  expect(Object.keys(promptProblems({ ...DEFAULT_PROMPT, title: ' ', button: '#12', buttonColor: '#fff' }))).toEqual([
    'title',
    'button',
    'buttonColor',
  ])
  expect(promptProblems({ ...DEFAULT_PROMPT, color: '#cccccc' }).color).toMatch(/contrast 1\.\d:1/)
})

test('names a place by its host', () => {
  expect([hostOf('https://shop.example'), hostOf('http://localhost:3001')]).toEqual(['shop.example', 'localhost:3001'])
})
