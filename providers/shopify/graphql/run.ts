// Runs a valid document. Responses are checked against the schema: an invalid one becomes an error and is never sent.
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import type { Context, Source } from './context.ts'
import { buildMutations } from './mutations.ts'
import { createUnsupportedError } from './pages.ts'
import { buildQueries } from './queries.ts'
import { refuseDenied } from './rights.ts'

interface QueryRequest {
  variables?: Record<string, unknown>
  operationName?: string | undefined
}

export const findOperation = (document: DocumentNode, name: string | undefined) =>
  document.definitions.find(
    (each): each is OperationDefinitionNode =>
      each.kind === Kind.OPERATION_DEFINITION && (!name || each.name?.value === name),
  )

export const isMutation = (document: DocumentNode) => findOperation(document, undefined)?.operation === 'mutation'

export async function run(context: Context, document: DocumentNode, query: QueryRequest): Promise<ExecutionResult> {
  return execute({
    schema: context.admin.schema,
    document,
    rootValue: isMutation(document) ? buildMutations(context) : buildQueries(context),
    contextValue: context,
    variableValues: query.variables,
    operationName: query.operationName,
    fieldResolver: resolveField,
    typeResolver: (value) => (value as Source).__typename as string,
  })
}

const resolveField: GraphQLFieldResolver<Source, Context> = (source, args, context, info) => {
  refuseDenied(context.admin, context.rights, info)
  if (!(info.fieldName in source)) throw createUnsupportedError(`${info.parentType.name}.${info.fieldName}`)
  const value = source[info.fieldName]
  const answer = typeof value === 'function' ? value(context.bulk ? toBulkArgs(context.bulk, args, info) : args) : value
  if (answer !== null && isCompositeType(getNamedType(info.returnType))) {
    context.spent.points += countPoints(info.parentType.name, info.fieldName, answer)
    if (context.bulk && info.parentType.name === 'QueryRoot') recordBulkPosition(context.bulk, answer)
  }
  return answer
}

type Bulk = NonNullable<Context['bulk']>

/** The outer connection is read in pages; nested connections completely. */
function toBulkArgs({ after }: Bulk, args: Source, info: GraphQLResolveInfo): Source {
  if (!getNamedType(info.returnType).name.endsWith('Connection')) return args
  return info.parentType.name === 'QueryRoot'
    ? { ...args, first: 250, after, isDeep: true }
    : { ...args, first: 1, isWhole: true }
}

function recordBulkPosition(bulk: Bulk, answer: Source) {
  const info = answer.pageInfo as { hasNextPage: boolean; endCursor: string | null } | undefined
  bulk.hasNext = info?.hasNextPage ?? false
  bulk.after = info?.endCursor ?? null
}

function countPoints(parent: string, field: string, answer: unknown): number {
  if (Array.isArray(answer)) return answer.length
  return /(Connection|Edge)$/.test(parent) || field === 'pageInfo' ? 0 : 1
}
