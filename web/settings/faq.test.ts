import { expect, it } from 'vitest'
import { settingsScreens, shellScreens } from '../screens.ts'
import { findQuestions, questions } from './faq.ts'

it('has fifteen questions, each with an address of its own', () => {
  expect(questions).toHaveLength(15)
  expect(new Set(questions.map(({ id }) => id)).size).toBe(15)
})

it('answers what the specification names, in its order (A 2.8)', () => {
  expect(questions.map(({ id }) => id)).toEqual([
    ...['connecting', 'api-keys', 'required-settings', 'disconnecting', 'sync', 'abandoned', 'emails', 'templates'],
    ...['analytics', 'coupons', 'customer-data', 'notifications', 'requirements', 'security', 'support'],
  ])
})

it('leads only to screens that exist', () => {
  const paths = Object.keys({ ...shellScreens, ...settingsScreens })
  for (const { link } of questions) if (link) expect(paths).toContain(link.to)
})

it('is searched by all words typed, in any order and case', () => {
  expect(findQuestions('KEYS wordpress').map(({ id }) => id)).toEqual(['api-keys'])
  expect(findQuestions('  ')).toHaveLength(15)
  expect(findQuestions('zebra')).toEqual([])
})
