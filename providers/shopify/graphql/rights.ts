// Checks access field by field, by Shopify's statements published with the schema.
import {
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isCompositeType,
  isObjectType,
} from 'graphql'
import { type AdminSchema, type ProtectedContent, parseScopes } from '../schema/schema.ts'

export interface Rights {
  scopes: ReadonlySet<string>
  protectedData: ReadonlySet<ProtectedContent>
}

const scopeDocs = 'https://shopify.dev/api/usage/access-scopes'
const protectedDocs = 'https://shopify.dev/docs/apps/launch/protected-customer-data'

export function hasScope(scopes: ReadonlySet<string>, requested: string): boolean {
  return scopes.has(requested) || (requested.startsWith('read_') && scopes.has(`write_${requested.slice(5)}`))
}

/** Throws Shopify's error for a field that the app may not read. */
export function refuseDenied(admin: AdminSchema, rights: Rights, info: GraphQLResolveInfo) {
  const field = `${info.parentType.name}.${info.fieldName}`
  const needed = findRequiredAccess(admin, field, info.returnType)
  const scopes = needed ? parseScopes(needed) : []
  if (needed && scopes.length && !scopes.some((scope) => hasScope(rights.scopes, scope))) {
    const message = `Access denied for ${info.fieldName} field. Required access: ${needed}`
    throw createAccessDeniedError(message, { documentation: scopeDocs, requiredAccess: needed })
  }
  const content = admin.protectedContent(field)
  if (content && !rights.protectedData.has(content)) {
    const message = `This app is not approved to use the ${info.fieldName} field. See ${protectedDocs} for more details.`
    throw createAccessDeniedError(message, { documentation: protectedDocs })
  }
}

const createAccessDeniedError = (message: string, extensions: Record<string, string>) =>
  new GraphQLError(message, { extensions: { code: 'ACCESS_DENIED', ...extensions } })

/** A field's own requirement, otherwise its type's; for a connection that of its nodes. */
function findRequiredAccess(admin: AdminSchema, field: string, returned: GraphQLOutputType): string | undefined {
  const own = admin.requiredAccess(field)
  if (own) return own
  const type = getNamedType(returned)
  if (!isCompositeType(type)) return undefined
  const ofType = admin.requiredAccess(type.name)
  if (ofType || !isObjectType(type) || !type.name.endsWith('Connection')) return ofType
  const nodes = type.getFields().nodes
  return nodes && admin.requiredAccess(getNamedType(nodes.type).name)
}
