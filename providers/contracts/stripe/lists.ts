import { createInvalidError, createMissingError } from './errors.ts'
import { createId, type Kind, type Kinds, listObjects, type StripeState } from './state.ts'

type Range = number | { gt?: number; gte?: number; lt?: number; lte?: number }

export interface ListParams {
  limit?: number
  starting_after?: string
  ending_before?: string
  created?: Range
}

/** Returns a page of a list: newest first, 10 rows by default and up to 100, after a cursor. */
export function pageRows<T extends { id: string; created?: number }>(
  all: T[],
  params: ListParams,
  url: string,
  noun: string,
) {
  const { limit = 10, starting_after, ending_before, created } = params
  if (limit < 1)
    throw createInvalidError('This value must be greater than or equal to 1.', 'limit', 'parameter_invalid_integer')
  if (limit > 100)
    throw createInvalidError('This value must be less than or equal to 100.', 'limit', 'parameter_invalid_integer')
  if (starting_after && ending_before) {
    throw createInvalidError('You can only specify one of these parameters: ending_before, starting_after.')
  }
  const newest = [...all].reverse().filter((one) => isWithin(one.created ?? 0, created))
  const findPosition = (id: string, param: string) => {
    const found = newest.findIndex((one) => one.id === id)
    if (found < 0) throw createMissingError(noun, id, param)
    return found
  }
  if (ending_before) {
    const end = findPosition(ending_before, 'ending_before')
    return listObjects(newest.slice(Math.max(0, end - limit), end), url, end > limit)
  }
  const start = starting_after ? findPosition(starting_after, 'starting_after') + 1 : 0
  return listObjects(newest.slice(start, start + limit), url, start + limit < newest.length)
}

function isWithin(created: number, range: Range | undefined): boolean {
  if (range === undefined) return true
  if (typeof range === 'number') return created === range
  const { gt = -1, gte = 0, lt = Infinity, lte = Infinity } = range
  return created > gt && created >= gte && created < lt && created <= lte
}

/** Lists objects of a kind, filtered by fields of the object such as `customer` or `active`. */
export function listKind<K extends Kind>(
  world: StripeState,
  kind: K,
  params: ListParams & Record<string, unknown>,
  filters: (keyof Kinds[K] & string)[] = [],
  where: (one: Kinds[K]) => boolean = () => true,
) {
  const present = filters.filter((name) => params[name] !== undefined)
  const rows = world.all(kind).filter((one) => {
    const fields = one as unknown as Record<string, unknown>
    const isMeant = present.every((name) => {
      const value = fields[name]
      return (typeof value === 'object' ? createId(value as { id: string }) : value) === params[name]
    })
    return isMeant && where(one)
  })
  const noun = kind.replace(/^.*\./, '')
  return pageRows(rows as (Kinds[K] & { id: string })[], params, `/v1/${kind.replace('.', '/')}s`, noun)
}

/** Merges metadata: an empty value removes its key, an empty string removes all. */
export function mergeMetadata(
  before: Record<string, string> | null,
  changes: Record<string, string | number | null> | '' | null | undefined,
): Record<string, string> {
  if (changes === undefined) return before ?? {}
  if (changes === null || changes === '') return {}
  const merged = { ...before }
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') delete merged[key]
    else if (String(value).length > 500) {
      throw createInvalidError('Metadata values can have up to 500 characters.', `metadata[${key}]`)
    } else merged[key] = String(value)
  }
  if (Object.keys(merged).length > 50) throw createInvalidError('You can have up to 50 keys in metadata.', 'metadata')
  return merged
}
