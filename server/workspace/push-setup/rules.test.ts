import { expect, test } from 'vitest'
import { DEFAULT_PROMPT } from '../../../shared/push.ts'
import { clickRateOf, conversionOf, renderPrompt, wordingId, wordingOf, workerUrlOf } from './rules.ts'

test('the conversion rate is in whole percent, and 0 without customers (A 5)', { tags: ['A5'] }, () => {
  expect([
    conversionOf(1, 3),
    conversionOf(2, 3),
    conversionOf(1, 200),
    conversionOf(5, 5),
    conversionOf(0, 0),
  ]).toEqual([33, 67, 1, 100, 0])
})

test('the click rate has one decimal, and is 0 without sends', () => {
  expect([clickRateOf(1, 3), clickRateOf(3, 3), clickRateOf(0, 0)]).toEqual([33.3, 100, 0])
})

test('the id of a text depends on its content: another store or text has another id (C5)', () => {
  const words = wordingOf(renderPrompt(null, 'Tea & Co'))
  expect(words).toContain('Tea & Co sends you a notification')
  expect(words).toContain('[Yes, remind me]')
  const others = [renderPrompt(null, 'Coffee'), renderPrompt({ ...DEFAULT_PROMPT, accept: 'OK' }, 'Tea & Co')]
  expect(others.map((prompt) => wordingId(wordingOf(prompt)) === wordingId(words))).toEqual([false, false])
})

test("the worker's address is at the shop’s root and depends on the method (decision 75)", () => {
  expect(workerUrlOf('https://shop.example', 'plugin')).toBe('https://shop.example/?recoup-sw=1')
  expect(workerUrlOf('https://shop.example', 'functions')).toBe('https://shop.example/?recoup-sw=1')
  expect(workerUrlOf('https://shop.example/store/', 'plugin')).toBe('https://shop.example/store/?recoup-sw=1')
  expect(workerUrlOf('https://shop.example/store', 'functions')).toBe('https://shop.example/store/?recoup-sw=1')
  expect(workerUrlOf('https://shop.example/store', 'easy')).toBe('https://shop.example/sw.js')
  expect(workerUrlOf('https://shop.example', 'easy')).toBe('https://shop.example/sw.js')
  expect(workerUrlOf('https://shop.example', 'button')).toBe('https://shop.example/sw.js')
})
