import { expect, it } from 'vitest'
import type { FlowCondition } from '../../shared/flow-conditions.ts'
import {
  countOf,
  factNames,
  newCondition,
  offeredFacts,
  withChanged,
  withCondition,
  withMatch,
} from './condition-draft.ts'
import { conditionProblem, isUnfinished } from './problems.ts'

const returning: FlowCondition = { fact: 'buyer', is: 'returning' }
const phone: FlowCondition = { fact: 'phone', is: 'present' }

it('adds a condition to the first group, or to a new one', () => {
  const one = withCondition(null, returning, 0)
  expect(one).toEqual({ match: 'all', groups: [{ match: 'all', conditions: [returning] }] })
  const two = withCondition(one, phone, 0)
  expect(two.groups).toEqual([{ match: 'all', conditions: [returning, phone] }])
  expect(withCondition(two, phone, null).groups).toHaveLength(2)
  expect([null, one, two].map(countOf)).toEqual([0, 1, 2])
})

it('changes and removes conditions, and is null without any', () => {
  const two = withCondition(withCondition(null, returning, 0), phone, null)
  expect(withChanged(two, [0, 0], { fact: 'buyer', is: 'first_time' })!.groups[0]!.conditions[0]).toEqual({
    ...{ fact: 'buyer', is: 'first_time' },
  })
  const one = withChanged(two, [0, 0], null)!
  expect(one.groups).toEqual([{ match: 'all', conditions: [phone] }])
  expect(withChanged(one, [0, 0], null)).toBeNull()
})

it('joins by all or any, within a group and between groups', () => {
  const two = withCondition(withCondition(null, returning, 0), phone, null)
  expect(withMatch(two, 'any', null)).toEqual({ ...two, match: 'any' })
  expect(withMatch(two, 'any', 1).groups.map(({ match }) => match)).toEqual(['all', 'any'])
})

it('offers every fact once and reports what is missing', () => {
  const offered = offeredFacts.flatMap(({ facts }) => facts)
  expect(offered.toSorted()).toEqual(Object.keys(factNames).toSorted())
  const unfinished = offered.filter((fact) => conditionProblem(newCondition(fact)) !== null)
  expect(unfinished).toEqual(['value', 'product', 'category', 'country', 'language'])
  expect(isUnfinished(withCondition(null, newCondition('value'), 0))).toBe(true)
  expect(isUnfinished(withCondition(null, returning, 0))).toBe(false)
  expect(conditionProblem({ fact: 'hour', is: 'between', from: 9, until: 9 })).toBe('The two times must differ')
  expect(conditionProblem({ fact: 'items', is: 'at_least', count: 1.5 })).toBe('Enter a whole number up to 1,000')
})
