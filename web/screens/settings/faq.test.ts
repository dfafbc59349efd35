import { expect, it } from 'vitest'
import { screens } from '../../../shared/screens.ts'
import { findQuestions, questions } from './FaqTab.tsx'

it('has fifteen questions, each with its own address', { tags: ['A2.8'] }, () => {
  expect(questions).toHaveLength(15)
  expect(new Set(questions.map(({ id }) => id)).size).toBe(15)
})

it('answers the specification’s questions in order (A 2.8)', { tags: ['A2.8'] }, () => {
  expect(questions.map(({ id }) => id)).toEqual([
    'connecting',
    'api-keys',
    'required-settings',
    'disconnecting',
    'sync',
    'abandoned',
    'emails',
    'templates',
    'analytics',
    'coupons',
    'customer-data',
    'notifications',
    'requirements',
    'security',
    'support',
  ])
})

it('states the specification’s figures: 15 minutes, 24 hours, 30 days, WooCommerce 5.0 (A 1, A 9)', {
  tags: ['A9'],
}, () => {
  expect(findAnswer('sync')).toContain('every 15 minutes')
  expect(findAnswer('abandoned')).toContain('24 hours')
  expect(findAnswer('disconnecting')).toContain('after 30 days')
  expect(findAnswer('requirements')).toContain('WooCommerce 5.0')
})

const findAnswer = (id: string) => questions.find((question) => question.id === id)!.answer.join(' ')

it.each([
  'connecting',
  'api-keys',
  'required-settings',
  'sync',
  'requirements',
])('knows the plugin, which needs neither keys nor a reachable shop, in the answer to %s', (id) =>
  expect(findAnswer(id)).toContain('plugin'))

it('states which notifications there are (decisions 65 and 71)', () => {
  expect(findAnswer('notifications')).toContain('bell')
  expect(findAnswer('notifications')).toContain('email')
  expect(findAnswer('notifications')).not.toContain('available')
})

it('states that coupons need a store that Recoup reaches', () => {
  expect(findAnswer('coupons')).toContain('the plugin does not')
})

it('links only to existing screens', () => {
  const paths = screens.filter(({ frame }) => frame !== 'page').map(({ path }) => path)
  for (const { link } of questions) if (link) expect(paths).toContain(link.to)
})

it('finds questions by all typed words, in any order and case', () => {
  expect(findQuestions('KEYS dashboard').map(({ id }) => id)).toEqual(['api-keys'])
  expect(findQuestions('  ')).toHaveLength(15)
  expect(findQuestions('zebra')).toEqual([])
})
