import { isNullable, listAlternatives, type ObjectSchema, readObjectSchema, type Schema } from './schema.ts'

// Builds complete Stripe objects from given fields. Every other field that the type requires gets its emptiest allowed
// value; a field without such a value has to be given.

type Fields = Record<string, unknown>

export function buildObject<T>(resource: string, name: string, fields: { [K in keyof T]?: unknown }): T {
  return fill(fields as Fields, readObjectSchema(resource, name)) as T
}

function fill(fields: Fields, schema: ObjectSchema): Fields {
  const filled: Fields = {}
  for (const [name, { schema: of, isOptional }] of schema.fields) {
    const value = fields[name]
    if (value !== undefined) filled[name] = complete(value, of)
    else if (!isOptional) {
      const empty = findEmptiestValue(of, `${schema.name}.${name}`)
      if (empty !== undefined) filled[name] = empty
    }
  }
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || schema.fields.has(name)) continue
    if (!schema.index) throw new Error(`${schema.name} has no ${name}`)
    filled[name] = value
  }
  return filled
}

/** Completes nested objects too. An object with an `id` is another resource and already complete. */
function complete(value: unknown, schema: Schema): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'id' in value || 'object' in value)
    return value
  const of = listAlternatives(schema).filter((one) => one.kind === 'object')
  return of.length === 1 ? fill(value as Fields, of[0]!) : value
}

function findEmptiestValue(schema: Schema, path: string): unknown {
  if (isNullable(schema)) return null
  const [only, ...others] = listAlternatives(schema)
  if (others.length > 0 || !only) throw new Error(`${path} must be given`)
  switch (only.kind) {
    case 'array':
      return []
    case 'boolean':
      return false
    case 'literal':
      return only.value
    case 'object':
      return fill({}, only)
    case 'never':
      return undefined
  }
  throw new Error(`${path} must be given`)
}
