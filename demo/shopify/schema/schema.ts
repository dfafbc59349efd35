// The pinned Admin API schema with what Shopify publishes beside it: which scope a type or field needs, and which fields are
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
  /** Shopify's sentence on what a type (`Order`) or a field (`Order.email`) needs; undefined: nothing. */
  requiredAccess(name: string): string | undefined
  protectedContent(field: string): ProtectedContent | undefined
  /** Scopes of which a webhook topic needs one; none: everybody may have it. */
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

let read: AdminSchema | undefined

export function adminSchema(): AdminSchema {
  read ??= readSchema()
  return read
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
  beStrict(schema)
  return {
    schema,
    requiredAccess: (name) => access.get(name),
    protectedContent: (field) => contents.get(field),
    topicScopes: topicScopes(types),
  }
}

function topicScopes(types: RawType[]) {
  const topics = types.find(({ name }) => name === 'WebhookSubscriptionTopic')?.enumValues ?? []
  const scopes = new Map(topics.map(({ name, description }) => [name, scopesIn(description ?? '')] as const))
  return (topic: string) => scopes.get(topic) ?? []
}

/** The scopes a sentence of Shopify's names, any of which will do. What follows "Also:" is about the members of the store's staff. */
export function scopesIn(sentence: string): string[] {
  const about = sentence.split('Also:')[0]!
  return [...about.matchAll(/\b((?:read|write)_[a-z_]+)\b/g)].map(([, scope]) => scope!)
}

/** Scalars come from an introspection without their rules: with these a wrong value of ours is refused like a missing one. */
const rules: Record<string, (value: string) => boolean> = {
  DateTime: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value),
  Money: (value) => /^-?\d+\.\d{1,3}$/.test(value),
  Decimal: (value) => /^-?\d+(\.\d+)?$/.test(value),
  URL: (value) => URL.canParse(value),
  UnsignedInt64: (value) => /^\d+$/.test(value),
}

function beStrict(schema: GraphQLSchema) {
  for (const [name, isRight] of Object.entries(rules)) {
    const type = schema.getType(name)
    if (!isScalarType(type)) continue
    const scalar = type as GraphQLScalarType
    scalar.coerceOutputValue = (value) => {
      if (typeof value === 'string' && isRight(value)) return value
      throw new TypeError(`${name} cannot be ${JSON.stringify(value)}`)
    }
  }
  readTimes(schema)
}

/** What an app sends as an instant: any offset, seconds or finer. */
function readTimes(schema: GraphQLSchema) {
  const type = schema.getType('DateTime') as GraphQLScalarType
  const parse = (value: unknown) => {
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))) return value
    throw new TypeError(`Could not coerce value ${JSON.stringify(value)} to DateTime`)
  }
  type.coerceInputValue = parse
}
