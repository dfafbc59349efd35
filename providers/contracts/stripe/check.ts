import { listAlternatives, type ObjectSchema, type Schema } from './schema.ts'

// Checks what the server sends against the declared types: a missing, wrong or unknown field is an error of this
// server.

export const findProblems = (value: unknown, schema: Schema): string[] => listProblems(value, schema, '')

function listProblems(value: unknown, schema: Schema, path: string): string[] {
  if (schema.kind !== 'union') return findValueProblems(value, schema, path)
  const candidates = findCandidates(value, schema.of)
  let first: string[] | null = null
  for (const one of candidates) {
    const found = findValueProblems(value, one, path)
    if (found.length === 0) return []
    first ??= found
  }
  if (schema.isOpen && typeof value === 'string') return []
  return first ?? [`${path}: ${JSON.stringify(value)?.slice(0, 60)} is none of its types`]
}

/** Of several declared objects, those whose fixed fields (`object`, `deleted`) match the value. */
function findCandidates(value: unknown, alternatives: Schema[]): Schema[] {
  if (typeof value !== 'object' || value === null) return alternatives
  const shaped = alternatives.filter((one) => one.kind === (Array.isArray(value) ? 'array' : 'object'))
  const fitting = shaped.filter((one) => one.kind !== 'object' || isNamedLike(value as Fields, one))
  return fitting.length > 0 ? fitting : shaped
}

type Fields = Record<string, unknown>

const isNamedLike = (value: Fields, schema: ObjectSchema) =>
  ['object', 'type', 'deleted'].every((name) => {
    const of = schema.fields.get(name)?.schema
    if (of?.kind === 'never') return value[name] === undefined
    return of?.kind !== 'literal' || of.value === value[name]
  })

function findValueProblems(value: unknown, schema: Schema, path: string): string[] {
  const reportWrong = () => [`${path}: ${JSON.stringify(value)?.slice(0, 60)} is not ${describe(schema)}`]
  switch (schema.kind) {
    case 'any':
      return []
    case 'union':
      return listProblems(value, schema, path)
    case 'null':
      return value === null ? [] : reportWrong()
    case 'never':
      return value === undefined ? [] : reportWrong()
    case 'literal':
      return value === schema.value ? [] : reportWrong()
    case 'array':
      if (!Array.isArray(value)) return reportWrong()
      return value.flatMap((one, at) => listProblems(one, schema.of, `${path}[${at}]`))
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return reportWrong()
      return findObjectProblems(value as Fields, schema, path)
    default:
      return typeof value === schema.kind ? [] : reportWrong()
  }
}

function findObjectProblems(value: Fields, schema: ObjectSchema, path: string): string[] {
  const found: string[] = []
  for (const [name, { isOptional, schema: of }] of schema.fields) {
    if (value[name] === undefined) {
      if (!isOptional && !listAlternatives(of).some(({ kind }) => kind === 'never'))
        found.push(`${path}.${name} is missing`)
    } else found.push(...listProblems(value[name], of, `${path}.${name}`))
  }
  for (const [name, one] of Object.entries(value)) {
    if (schema.fields.has(name) || one === undefined) continue
    if (schema.index) found.push(...listProblems(one, schema.index, `${path}.${name}`))
    else found.push(`${path}.${name} is not declared`)
  }
  return found
}

const describe = (schema: Schema) =>
  schema.kind === 'object' ? `an object ${schema.name}` : schema.kind === 'literal' ? String(schema.value) : schema.kind
