import { type Declaration, findDeclaration, findResourceFile, type Node, readName } from './declarations.ts'

// A declared type as a schema to check values against. Fields are read on first use, because Stripe's types are cyclic.

export interface Field {
  schema: Schema
  isOptional: boolean
}

export interface ObjectSchema {
  kind: 'object'
  name: string
  fields: Map<string, Field>
  /** Type of fields with arbitrary names (`metadata`). */
  index: Schema | null
}

export type Schema =
  | { kind: 'string' | 'number' | 'boolean' | 'null' | 'any' | 'never' }
  | { kind: 'literal'; value: string | number | boolean }
  /** `isOpen`: Stripe may add values to the enumeration (`OtherString`). */
  | { kind: 'union'; of: Schema[]; isOpen: boolean }
  | { kind: 'array'; of: Schema }
  | ObjectSchema

interface Place {
  file: string
  scope: string[]
  /** Type arguments of a generic declaration. */
  typeArguments: Map<string, Schema>
}

const named = new Map<string, Schema>()

/** Finds a type by its file and name, such as `findDeclaredSchema('Checkout/Sessions', 'Session')`. */
export const findDeclaredSchema = (resource: string, name: string): Schema =>
  readSchema(findDeclaration(name, findResourceFile(resource), []), name)

export function readObjectSchema(resource: string, name: string): ObjectSchema {
  const schema = findDeclaredSchema(resource, name)
  if (schema.kind !== 'object') throw new Error(`${name} of ${resource} is no object`)
  return schema
}

export function readSchema(declaration: Declaration, name: string, typeArguments = new Map<string, Schema>()): Schema {
  const key = `${declaration.file}#${[...declaration.scope, readName(declaration.node.id as Node)].join('.')}`
  const known = typeArguments.size === 0 ? named.get(key) : undefined
  if (known) return known
  const place = { file: declaration.file, scope: declaration.scope, typeArguments: typeArguments }
  const schema =
    declaration.node.type === 'TSTypeAliasDeclaration'
      ? readTypeSchema(declaration.node.typeAnnotation as Node, place)
      : readInterfaceSchema(declaration.node, name, place)
  if (typeArguments.size === 0) named.set(key, schema)
  return schema
}

function readInterfaceSchema(node: Node, name: string, place: Place): ObjectSchema {
  const body = (node.body as Node).body as Node[]
  // Names in an interface are resolved first in the namespace of the same name.
  const inside = { ...place, scope: [...place.scope, readName(node.id as Node)] }
  return createLazyObject(name, () => {
    const own = readMembers(body, name, inside)
    for (const parent of (node.extends as Node[] | undefined) ?? []) {
      const base = readReference(readParentName(parent.expression as Node), parent, place)
      if (base.kind !== 'object') continue
      for (const [field, schema] of base.fields) if (!own.fields.has(field)) own.fields.set(field, schema)
      own.index ??= base.index
    }
    return own
  })
}

const readParentName = (node: Node): string =>
  node.type === 'MemberExpression'
    ? `${readParentName(node.object as Node)}.${readName(node.property as Node)}`
    : readName(node)

function createLazyObject(name: string, read: () => Pick<ObjectSchema, 'fields' | 'index'>): ObjectSchema {
  let members: Pick<ObjectSchema, 'fields' | 'index'> | null = null
  const loadAll = () => {
    members ??= read()
    return members
  }
  return {
    kind: 'object',
    name,
    get fields() {
      return loadAll().fields
    },
    get index() {
      return loadAll().index
    },
  }
}

function readMembers(body: Node[], name: string, place: Place) {
  const fields = new Map<string, Field>()
  let index: Schema | null = null
  for (const member of body) {
    const type = (member.typeAnnotation as Node | null)?.typeAnnotation as Node
    if (member.type === 'TSIndexSignature') index = readTypeSchema(type, place)
    if (member.type !== 'TSPropertySignature') continue
    const field = readName(member.key as Node)
    fields.set(field, { schema: readTypeSchema(type, place, `${name}.${field}`), isOptional: member.optional === true })
  }
  return { fields, index }
}

const KEYWORDS: Record<string, Schema> = {
  TSStringKeyword: { kind: 'string' },
  TSNumberKeyword: { kind: 'number' },
  TSBooleanKeyword: { kind: 'boolean' },
  TSNullKeyword: { kind: 'null' },
  TSUnknownKeyword: { kind: 'any' },
  TSAnyKeyword: { kind: 'any' },
  TSVoidKeyword: { kind: 'never' },
  TSUndefinedKeyword: { kind: 'never' },
}

export function readTypeSchema(node: Node, place: Place, name = ''): Schema {
  const keyword = KEYWORDS[node.type]
  if (keyword) return keyword
  switch (node.type) {
    case 'TSLiteralType':
      return { kind: 'literal', value: (node.literal as { value: string }).value }
    case 'TSUnionType':
      return makeUnion((node.types as Node[]).map((one) => readTypeSchema(one, place, name)))
    case 'TSArrayType':
      return { kind: 'array', of: readTypeSchema(node.elementType as Node, place, name) }
    case 'TSParenthesizedType':
      return readTypeSchema(node.typeAnnotation as Node, place, name)
    case 'TSTypeLiteral':
      return createLazyObject(name, () => readMembers(node.members as Node[], name, place))
    case 'TSTypeReference':
      return readReference(readName(node.typeName as Node), node, place)
  }
  throw new Error(`${node.type} in ${place.file} is not known here`)
}

/** `OtherString` marks an open enumeration in the package. */
const OTHER: Schema = { kind: 'string' }

function readReference(name: string, node: Node, place: Place): Schema {
  const typeArguments = place.typeArguments.get(name)
  if (typeArguments) return typeArguments
  const parameters = ((node.typeArguments as Node | null)?.params as Node[] | undefined) ?? []
  const first = () => readTypeSchema(parameters[0]!, place)
  if (name === 'Array' || name === 'ReadonlyArray') return { kind: 'array', of: first() }
  if (name === 'Partial') return makePartial(first())
  if (name === 'OtherString') return OTHER
  if (name === 'Decimal') return { kind: 'string' } // on the wire
  if (name === 'Date') return { kind: 'string' }
  const declaration = findDeclaration(name, place.file, place.scope)
  const names = ((declaration.node.typeParameters as Node | null)?.params as Node[] | undefined) ?? []
  const filled = new Map(names.map((one, at) => [readName(one.name as Node), readTypeSchema(parameters[at]!, place)]))
  return readSchema(declaration, name, filled)
}

function makePartial(schema: Schema): Schema {
  if (schema.kind === 'union') return { ...schema, of: schema.of.map(makePartial) }
  if (schema.kind !== 'object') return schema
  return createLazyObject(schema.name, () => ({
    fields: new Map([...schema.fields].map(([name, field]) => [name, { ...field, isOptional: true }])),
    index: schema.index,
  }))
}

function makeUnion(of: Schema[]): Schema {
  const flat = of.flatMap((one) => (one.kind === 'union' ? one.of : [one]))
  const isOpen = of.includes(OTHER) || of.some((one) => one.kind === 'union' && one.isOpen)
  const closed = isOpen ? flat.filter((one) => one !== OTHER) : flat
  return { kind: 'union', of: closed, isOpen }
}

export const listAlternatives = (schema: Schema): Schema[] => (schema.kind === 'union' ? schema.of : [schema])
export const isNullable = (schema: Schema) => listAlternatives(schema).some(({ kind }) => kind === 'null')
