import { expect, test } from 'vitest'
import { DEFAULT_PROMPT } from '../../../shared/delivery/push.ts'
import {
  buildWording,
  buildWorkerUrl,
  computeClickRate,
  computeConversion,
  computeWordingId,
  renderPrompt,
} from './rules.ts'

test('the conversion rate is in whole percent, and 0 without customers (A 5)', { tags: ['A5'] }, () => {
  expect([
    computeConversion(1, 3),
    computeConversion(2, 3),
    computeConversion(1, 200),
    computeConversion(5, 5),
    computeConversion(0, 0),
  ]).toEqual([33, 67, 1, 100, 0])
})

test('the click rate has one decimal, and is 0 without sends', () => {
  expect([computeClickRate(1, 3), computeClickRate(3, 3), computeClickRate(0, 0)]).toEqual([33.3, 100, 0])
})

test('the id of a text depends on its content: another store or text has another id (C5)', () => {
  const text = buildWording(renderPrompt(null, 'Tea & Co'))
  expect(text).toContain('Tea & Co sends you a notification')
  expect(text).toContain('[Yes, remind me]')
  const others = [renderPrompt(null, 'Coffee'), renderPrompt({ ...DEFAULT_PROMPT, accept: 'OK' }, 'Tea & Co')]
  expect(others.map((prompt) => computeWordingId(buildWording(prompt)) === computeWordingId(text))).toEqual([
    false,
    false,
  ])
})

test("the worker's address is at the shop’s root and depends on the method (decision 75)", () => {
  expect(buildWorkerUrl('https://shop.example', 'plugin')).toBe('https://shop.example/?recoup-sw=1')
  expect(buildWorkerUrl('https://shop.example', 'functions')).toBe('https://shop.example/?recoup-sw=1')
  expect(buildWorkerUrl('https://shop.example/store/', 'plugin')).toBe('https://shop.example/store/?recoup-sw=1')
  expect(buildWorkerUrl('https://shop.example/store', 'functions')).toBe('https://shop.example/store/?recoup-sw=1')
  expect(buildWorkerUrl('https://shop.example/store', 'easy')).toBe('https://shop.example/sw.js')
  expect(buildWorkerUrl('https://shop.example', 'easy')).toBe('https://shop.example/sw.js')
  expect(buildWorkerUrl('https://shop.example', 'button')).toBe('https://shop.example/sw.js')
})
