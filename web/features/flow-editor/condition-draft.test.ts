import { expect, it } from 'vitest'
import type { FlowCondition } from '../../../shared/carts/flow-conditions.ts'
import {
  addCondition,
  changeCondition,
  countConditions,
  createCondition,
  factNames,
  offeredFacts,
  setMatch,
} from './condition-draft.ts'
import { checkCondition, isUnfinished } from './problems.ts'

const returning: FlowCondition = { fact: 'buyer', is: 'returning' }
const phone: FlowCondition = { fact: 'phone', is: 'present' }

it('adds a condition to the first group, or to a new one', () => {
  const one = addCondition(null, returning, 0)
  expect(one).toEqual({ match: 'all', groups: [{ match: 'all', conditions: [returning] }] })
  const two = addCondition(one, phone, 0)
  expect(two.groups).toEqual([{ match: 'all', conditions: [returning, phone] }])
  expect(addCondition(two, phone, null).groups).toHaveLength(2)
  expect([null, one, two].map(countConditions)).toEqual([0, 1, 2])
})

it('changes and removes conditions, and is null without any', () => {
  const two = addCondition(addCondition(null, returning, 0), phone, null)
  expect(changeCondition(two, [0, 0], { fact: 'buyer', is: 'first_time' })!.groups[0]!.conditions[0]).toEqual({
    fact: 'buyer',
    is: 'first_time',
  })
  const one = changeCondition(two, [0, 0], null)!
  expect(one.groups).toEqual([{ match: 'all', conditions: [phone] }])
  expect(changeCondition(one, [0, 0], null)).toBeNull()
})

it('joins by all or any, within a group and between groups', () => {
  const two = addCondition(addCondition(null, returning, 0), phone, null)
  expect(setMatch(two, 'any', null)).toEqual({ ...two, match: 'any' })
  expect(setMatch(two, 'any', 1).groups.map(({ match }) => match)).toEqual(['all', 'any'])
})

it('offers every fact once and reports missing values', () => {
  const offered = offeredFacts.flatMap(({ facts }) => facts)
  expect(offered.toSorted()).toEqual(Object.keys(factNames).toSorted())
  const unfinished = offered.filter((fact) => checkCondition(createCondition(fact)) !== null)
  expect(unfinished).toEqual(['value', 'product', 'category', 'country', 'language'])
  expect(isUnfinished(addCondition(null, createCondition('value'), 0))).toBe(true)
  expect(isUnfinished(addCondition(null, returning, 0))).toBe(false)
  expect(checkCondition({ fact: 'hour', is: 'between', from: 9, until: 9 })).toBe('The two times must differ')
  expect(checkCondition({ fact: 'items', is: 'at_least', count: 1.5 })).toBe('Enter a whole number up to 1,000')
})
