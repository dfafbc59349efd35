import { createInvalidError } from './errors.ts'
import { listAlternatives, type ObjectSchema, type Schema } from './schema.ts'

// Reads form parameters (`items[0][price]=price_1`) by their declared type. Invalid ones get Stripe's error.

export interface Tree {
  [key: string]: string | Tree
}
export type Params = Record<string, unknown>

export function decodeForm(text: string): Tree {
  const root: Tree = Object.create(null)
  for (const [key, value] of new URLSearchParams(text)) {
    const path = [...key.matchAll(/([^[\]]+)|\[\]/g)].map(([, name]) => name ?? '')
    let at = root
    for (const [depth, name] of path.entries()) {
      const step = name || String(Object.keys(at).length)
      if (depth === path.length - 1) at[step] = value
      else {
        if (typeof at[step] !== 'object') at[step] = Object.create(null)
        at = at[step] as Tree
      }
    }
  }
  return root
}

export function readParameters(schema: ObjectSchema | null, tree: Tree): Params {
  if (schema) return readObject(tree, schema, '')
  const [unknown] = Object.keys(tree)
  if (unknown) throw createUnknownError(unknown)
  return {}
}

const createUnknownError = (path: string) =>
  createInvalidError(`Received unknown parameter: ${path}`, path, 'parameter_unknown')

function readObject(tree: Tree, schema: ObjectSchema, path: string): Params {
  const read: Params = {}
  const nestName = (name: string) => (path ? `${path}[${name}]` : name)
  for (const [name, value] of Object.entries(tree)) {
    const of = schema.fields.get(name)?.schema ?? schema.index
    if (!of) throw createUnknownError(nestName(name))
    read[name] = readValue(value, of, nestName(name))
  }
  for (const [name, { isOptional }] of schema.fields) {
    if (isOptional || name in tree) continue
    throw createInvalidError(`Missing required param: ${nestName(name)}.`, nestName(name), 'parameter_missing')
  }
  return read
}

function readValue(value: string | Tree, schema: Schema, path: string): unknown {
  const alternatives = listAlternatives(schema)
  if (value === '') return readEmpty(alternatives, path)
  return typeof value === 'string' ? readText(value, alternatives, path) : readTree(value, alternatives, path)
}

/** An empty value unsets a parameter that can be unset; the client sends null as one. */
function readEmpty(alternatives: Schema[], path: string): null {
  const canBeUnset = alternatives.some((one) => one.kind === 'null' || (one.kind === 'literal' && one.value === ''))
  if (canBeUnset) return null
  throw createInvalidError(
    `You passed an empty string for '${path}'. We assume empty values are an attempt to unset a parameter; however '${path}' cannot be unset. You should remove '${path}' from your request or supply a non-empty value.`,
    path,
    'parameter_invalid_empty',
  )
}

function readText(value: string, alternatives: Schema[], path: string): unknown {
  const literals = alternatives.flatMap((one) => (one.kind === 'literal' && one.value !== '' ? [one.value] : []))
  const found = literals.find((one) => String(one) === value)
  if (found !== undefined) return found
  const kinds = new Set(alternatives.map(({ kind }) => kind))
  if (kinds.has('number') && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value)
  if (kinds.has('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  if (kinds.has('string') || kinds.has('any')) return value
  throw createTypeError(value, kinds, literals, path)
}

function createTypeError(value: string, kinds: Set<Schema['kind']>, literals: unknown[], path: string) {
  if (kinds.has('number')) return createInvalidError(`Invalid integer: ${value}`, path, 'parameter_invalid_integer')
  if (kinds.has('boolean')) return createInvalidError(`Invalid boolean: ${value}`, path)
  if (kinds.has('array')) return createInvalidError('Invalid array', path)
  if (kinds.has('object')) return createInvalidError('Invalid object', path)
  return createInvalidError(`Invalid ${path}: must be one of ${joinWithOr(literals.map(String))}`, path)
}

const joinWithOr = (parts: string[]) =>
  parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')}${parts.length > 2 ? ',' : ''} or ${parts.at(-1)}`

function readTree(tree: Tree, alternatives: Schema[], path: string): unknown {
  const array = alternatives.find((one) => one.kind === 'array')
  const objects = alternatives.filter((one) => one.kind === 'object')
  if (array && Object.keys(tree).every((key) => /^\d+$/.test(key))) {
    return Object.entries(tree)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([key, value]) => readValue(value, array.of, `${path}[${key}]`))
  }
  if (objects.length === 0) throw createInvalidError(array ? 'Invalid array' : 'Invalid string', path)
  return readFirstFit(tree, objects, path)
}

/** Of several object types, uses the first that fits; if none does, reports the errors of the first. */
function readFirstFit(tree: Tree, objects: ObjectSchema[], path: string): Params {
  let refusal: unknown
  for (const one of objects) {
    try {
      return readObject(tree, one, path)
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}
