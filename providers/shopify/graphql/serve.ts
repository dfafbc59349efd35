// POST /admin/api/<version>/graphql.json: authorization, cost and response.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DocumentNode, type ExecutionResult, GraphQLError, getVariableValues } from 'graphql'
import type { Faults } from '../faults.ts'
import { apiVersion, loadAdminSchema } from '../schema/schema.ts'
import { readSetup, type Shop } from '../shop.ts'
import { findTokenScopes } from '../tokens.ts'
import type { Context, Source } from './context.ts'
import { type Bucket, computeRequestedCost, maxCost } from './cost.ts'
import { parseQuery, validateQuery, type WireError } from './errors.ts'
import { findOperation, isMutation, run } from './run.ts'

const limitDocs = 'https://shopify.dev/api/usage/rate-limits'

export interface Api {
  shop: Shop
  bucket: Bucket
  faults: Faults
  /** Does it when the answer has been given. */
  later: (work: () => Promise<void>) => void
}

interface QueryRequest {
  query: string
  variables: Record<string, unknown>
  operationName: string | undefined
}

export function serveGraphql(app: FastifyInstance, api: Api) {
  app.post('/admin/api/:version/graphql.json', async (request, reply) => {
    reply.header('x-request-id', crypto.randomUUID()).header('x-shopify-api-version', apiVersion)
    reply.header('content-type', 'application/json; charset=utf-8')
    const context = authorizeRequest(api, request, reply)
    if (!context) return reply
    const query = parseRequest(request.body)
    if (!query) return reply.code(400).send({ errors: { query: 'Required parameter missing or invalid' } })
    const answer = await answerQuery(api, context, query)
    api.faults.record(query.query, answer)
    return reply.send(answer)
  })
}

/** null: the request was rejected and answered. */
function authorizeRequest(api: Api, request: FastifyRequest, reply: FastifyReply): Context | null {
  const { shop } = api
  const refuse = (status: number, errors: string) => {
    reply.code(status).send({ errors })
    return null
  }
  const { state, app } = readSetup(shop)
  if ((request.params as { version: string }).version !== apiVersion) return refuse(404, 'Not Found')
  const token = request.headers['x-shopify-access-token']
  const scopes = typeof token === 'string' ? findTokenScopes(shop, token) : null
  if (state === 'frozen') return refuse(402, 'Unavailable Shop')
  if (state === 'locked') return refuse(423, 'Locked')
  if (!scopes) return refuse(401, '[API] Invalid API key or access token (unrecognized login or wrong password)')
  const protectedData = new Set(readSetup(shop).plan === 'basic' ? [] : app.protectedData)
  return {
    shop,
    admin: loadAdminSchema(),
    rights: { scopes: new Set(scopes), protectedData },
    spent: { points: 0 },
    bulk: null,
    later: api.later,
  }
}

function parseRequest(body: unknown): QueryRequest | null {
  const { query, variables, operationName } = (body ?? {}) as Record<string, unknown>
  if (typeof query !== 'string' || !query.trim()) return null
  return {
    query,
    variables: (variables ?? {}) as Record<string, unknown>,
    operationName: typeof operationName === 'string' ? operationName : undefined,
  }
}

async function answerQuery(api: Api, context: Context, query: QueryRequest): Promise<Source> {
  const { bucket, faults } = api
  const document = validatedQueries.get(query.query) ?? parseQuery(query.query)
  if (!('kind' in document)) return { errors: [document] }
  const isSound = validatedQueries.has(query.query)
  const unsound = isSound ? [] : validateQuery(context.admin.schema, document)
  if (!isSound && unsound.length === 0 && validatedQueries.size < MAX_VALIDATED_QUERIES)
    validatedQueries.set(query.query, document)
  const wrong = [...unsound, ...findVariableErrors(context, document, query)]
  if (wrong.length) return { errors: wrong }
  const cost = computeRequestedCost(context.admin.schema, document, query.variables)
  if (cost > maxCost) return { errors: [createMaxCostError(cost)] }
  if (faults.takesThrottle() || cost > bucket.available) return buildThrottledResponse(bucket, cost)
  bucket.take(cost)
  const result = await run(context, document, query)
  const spent = Math.min(cost, context.spent.points + (isMutation(document) ? 10 : 0))
  bucket.giveBack(cost - spent)
  const status = { requestedQueryCost: cost, actualQueryCost: spent, throttleStatus: bucket.status() }
  return { ...toResponse(result), extensions: { cost: status } }
}

/** Validated queries. Apps send the same few queries repeatedly. */
const validatedQueries = new Map<string, DocumentNode>()
const MAX_VALIDATED_QUERIES = 200

const createMaxCostError = (cost: number): WireError => ({
  message: `Query cost is ${cost}, which exceeds the single query max cost limit (${maxCost}).\n\nSee ${limitDocs} for more information on how the\ncost of a query is calculated.\n\nTo query larger amounts of data with fewer limits, bulk operations should be used instead.\nSee https://shopify.dev/api/usage/bulk-operations/queries for usage details.\n`,
  extensions: { code: 'MAX_COST_EXCEEDED', cost, maxCost, documentation: limitDocs },
})

const buildThrottledResponse = (bucket: Bucket, cost: number): Source => ({
  errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED', documentation: limitDocs } }],
  extensions: { cost: { requestedQueryCost: cost, actualQueryCost: null, throttleStatus: bucket.status() } },
})

function findVariableErrors(
  { admin }: Context,
  document: DocumentNode,
  { variables, operationName }: QueryRequest,
): WireError[] {
  const operation = findOperation(document, operationName)
  const { errors } = getVariableValues(admin.schema, operation?.variableDefinitions ?? [], variables)
  return (errors ?? []).map((error) => {
    const name = /^Variable "\$(\w+)"/.exec(error.message)?.[1]
    const definition = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === name)
    const type =
      definition &&
      admin.schema &&
      definition.type.loc?.source.body.slice(definition.type.loc.start, definition.type.loc.end)
    return {
      message: `Variable $${name} of type ${type} was provided invalid value`,
      locations: error.locations ?? [],
      extensions: {
        code: 'INVALID_VARIABLE',
        value: name ? (variables[name] ?? null) : null,
        problems: [{ path: [], explanation: error.message }],
      },
    }
  })
}

function toResponse({ data, errors }: ExecutionResult): Source {
  if (!errors?.length) return { data }
  return { data: data ?? null, errors: errors.map(toResponseError) }
}

function toResponseError(error: GraphQLError): WireError {
  const { message, locations, path, extensions } = error
  const inner = error.originalError
  // An error of this server, such as an invalid response, fails tests with its location.
  const code = extensions.code ?? 'INTERNAL_SERVER_ERROR'
  return {
    message: inner && !(inner instanceof GraphQLError) ? `Internal error: ${message}` : message,
    locations: locations ?? [],
    path: path ?? [],
    extensions: { ...extensions, code },
  }
}
