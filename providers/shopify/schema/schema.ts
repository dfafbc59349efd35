// The pinned Admin API schema with Shopify's access statements: the scopes of types and fields, and which fields are
// protected customer data. Read once per process.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import {
  buildClientSchema,
  type GraphQLScalarType,
  type GraphQLSchema,
  type IntrospectionQuery,
  isScalarType,
} from 'graphql'

export const apiVersion = '2026-10'

export type ProtectedContent = 'name' | 'email' | 'phone' | 'address'

export interface AdminSchema {
  schema: GraphQLSchema
  /** Shopify's access statement on a type (`Order`) or field (`Order.email`); undefined: no requirement. */
  requiredAccess(name: string): string | undefined
  protectedContent(field: string): ProtectedContent | undefined
  /** A webhook topic needs one of these scopes; empty: none. */
  topicScopes(topic: string): string[]
}

interface RawField {
  name: string
  description?: string | null
  requiredAccess?: string
  isProtected?: boolean
  protectedContent?: string | string[]
}
interface RawType {
  name: string
  requiredAccess?: string
  fields?: RawField[] | null
  enumValues?: RawField[] | null
}

let cachedSchema: AdminSchema | undefined

export function loadAdminSchema(): AdminSchema {
  cachedSchema ??= readSchema()
  return cachedSchema
}

function readSchema(): AdminSchema {
  const file = readFileSync(new URL('./admin-2026-10.json.gz', import.meta.url))
  const { data } = JSON.parse(gunzipSync(file).toString()) as { data: IntrospectionQuery }
  const types = data.__schema.types as unknown as RawType[]
  const access = new Map<string, string>()
  const contents = new Map<string, ProtectedContent>()
  for (const type of types) {
    if (type.requiredAccess) access.set(type.name, type.requiredAccess)
    for (const field of type.fields ?? []) {
      const name = `${type.name}.${field.name}`
      if (field.requiredAccess) access.set(name, field.requiredAccess)
      if (field.isProtected) contents.set(name, [field.protectedContent].flat()[0] as ProtectedContent)
    }
  }
  const schema = buildClientSchema(data, { assumeValid: true })
  makeScalarsStrict(schema)
  return {
    schema,
    requiredAccess: (name) => access.get(name),
    protectedContent: (field) => contents.get(field),
    topicScopes: listTopicScopes(types),
  }
}

function listTopicScopes(types: RawType[]) {
  const topics = types.find(({ name }) => name === 'WebhookSubscriptionTopic')?.enumValues ?? []
  const scopes = new Map(topics.map(({ name, description }) => [name, parseScopes(description ?? '')] as const))
  return (topic: string) => scopes.get(topic) ?? []
}

/** Scopes in a statement, any of which is enough. The text after "Also:" concerns staff permissions. */
export function parseScopes(sentence: string): string[] {
  const text = sentence.split('Also:')[0]!
  return [...text.matchAll(/\b((?:read|write)_[a-z_]+)\b/g)].map(([, scope]) => scope!)
}

/** The introspected schema lacks scalar rules. These reject the server's own invalid values. */
const SCALAR_RULES: Record<string, (value: string) => boolean> = {
  DateTime: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value),
  Money: (value) => /^-?\d+\.\d{1,3}$/.test(value),
  Decimal: (value) => /^-?\d+(\.\d+)?$/.test(value),
  URL: (value) => URL.canParse(value),
  UnsignedInt64: (value) => /^\d+$/.test(value),
}

function makeScalarsStrict(schema: GraphQLSchema) {
  for (const [name, isRight] of Object.entries(SCALAR_RULES)) {
    const type = schema.getType(name)
    if (!isScalarType(type)) continue
    const scalar = type as GraphQLScalarType
    scalar.coerceOutputValue = (value) => {
      if (typeof value === 'string' && isRight(value)) return value
      throw new TypeError(`${name} cannot be ${JSON.stringify(value)}`)
    }
  }
  acceptTimeFormats(schema)
}

/** Accepts instants with any offset, in seconds or finer. */
function acceptTimeFormats(schema: GraphQLSchema) {
  const type = schema.getType('DateTime') as GraphQLScalarType
  const parse = (value: unknown) => {
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))) return value
    throw new TypeError(`Could not coerce value ${JSON.stringify(value)} to DateTime`)
  }
  type.coerceInputValue = parse
}
