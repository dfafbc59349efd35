import { createInvalidError } from './errors.ts'
import type { StripeState } from './state.ts'

// `expand` replaces ids of other objects by these objects, up to four levels deep.

export function expandIds(world: StripeState, answer: object, paths: string[]): void {
  for (const path of paths) {
    const steps = path.split('.')
    if (steps.length > 4) throw createInvalidError('You cannot expand more than 4 levels of a property.', 'expand')
    const first = steps[0]!
    if ((answer as { object?: string }).object === 'list' && first !== 'data') throw createExpandError(first)
    expandAt(world, answer as Fields, steps)
  }
}

type Fields = Record<string, unknown>

const createExpandError = (name: string) =>
  createInvalidError(`This property cannot be expanded (${name}).`, 'expand', 'property_not_expandable')

function expandAt(world: StripeState, object: Fields, [name, ...rest]: string[]): void {
  if (name === undefined) return
  const value = name in object ? object[name] : world.includable(object, name)
  if (value === undefined) throw createExpandError(name)
  if (Array.isArray(value)) {
    object[name] = value.map((one) => expandValue(world, one, name, rest))
  } else object[name] = expandValue(world, value, name, rest)
}

function expandValue(world: StripeState, value: unknown, name: string, rest: string[]): unknown {
  if (value === null) return null
  const found = typeof value === 'string' ? world.byId(value) : value
  if (typeof found !== 'object' || found === null) throw createExpandError(name)
  const copy = typeof value === 'string' ? structuredClone(found) : found
  expandAt(world, copy as Fields, rest)
  return copy
}
