// Bulk operations: a query without pages whose result is a JSONL file that another request downloads.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql'
import type { UserError } from './discounts.ts'
import type { Context } from './graphql/context.ts'
import { parseQuery, validateQuery } from './graphql/errors.ts'
import { run } from './graphql/run.ts'
import type { Bulk } from './model.ts'
import { find, listWhere, save, takeNextId } from './records.ts'
import { buildGid, type Shop } from './shop.ts'

type BulkStart = { bulk: Bulk } | { errors: UserError[] }

/** Starts the operation. The file exists some event loop ticks later. */
export function startBulk(context: Context, query: string, isGrouped: boolean): BulkStart {
  const { shop } = context
  const [running] = listWhere<'bulk'>(
    shop.db,
    `kind = ? and json_extract(doc, '$.status') in ('CREATED', 'RUNNING') limit 1`,
    'bulk',
  )
  if (running) return refuseStart('OPERATION_IN_PROGRESS', refuseRunning(running))
  const document = parseQuery(query)
  if (!('kind' in document)) return refuseStart('INVALID', document.message)
  const [wrong] = validateQuery(context.admin.schema, document)
  if (wrong) return refuseStart('INVALID', wrong.message)
  const problem = findShapeProblem(document)
  if (problem) return refuseStart('INVALID', problem)
  const at = shop.now()
  const id = takeNextId(shop.db, 'bulk')
  const fresh = { id, createdAt: at, updatedAt: at, query, status: 'CREATED' as const, errorCode: null }
  const bulk = save(shop.db, 'bulk', { ...fresh, completedAt: null, objects: 0, roots: 0, lines: null })
  context.later(() => executeBulk(context, bulk.id, document, isGrouped).catch(() => failBulk(shop, bulk.id)))
  return { bulk }
}

const refuseRunning = ({ id }: Bulk) =>
  `A bulk query operation for this app and shop is already in progress: ${buildGid('BulkOperation', id)}.`

const refuseStart = (code: string, message: string): BulkStart => ({ errors: [{ field: ['query'], message, code }] })

export function cancelBulk(shop: Shop, id: number): Bulk | null {
  const bulk = find(shop.db, 'bulk', id)
  if (!bulk) return null
  const isOpen = bulk.status === 'CREATED' || bulk.status === 'RUNNING'
  return isOpen ? save(shop.db, 'bulk', { ...bulk, status: 'CANCELED', updatedAt: shop.now() }) : bulk
}

/**
 * "At least one connection, at most five, nested at most two levels deep". Children refer to their parent by its id.
 */
function findShapeProblem(document: DocumentNode): string | null {
  const operation = document.definitions.find(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  )
  if (operation?.operation !== 'query') return 'Bulk operations take one query.'
  const found = { connections: 0, depth: 0, isIdMissing: false }
  measureConnections(operation.selectionSet, 0, found)
  if (found.connections === 0) return 'Bulk queries must contain at least one connection.'
  if (found.connections > 5) return 'Bulk queries cannot contain more than 5 connections.'
  if (found.depth > 2) return 'Bulk queries cannot contain connections with a nesting depth greater than 2.'
  return found.isIdMissing ? 'The parent field for a nested connection must select the ID field.' : null
}

interface Measure {
  connections: number
  depth: number
  isIdMissing: boolean
}

function measureConnections(selection: SelectionSetNode, depth: number, found: Measure) {
  for (const node of selection.selections) {
    if (node.kind === Kind.FRAGMENT_SPREAD || !node.selectionSet) continue
    const nodes = node.kind === Kind.FIELD ? findNodeSelection(node.selectionSet) : undefined
    if (!nodes) {
      measureConnections(node.selectionSet, depth, found)
      continue
    }
    found.connections += 1
    found.depth = Math.max(found.depth, depth + 1)
    const before = found.connections
    measureConnections(nodes, depth + 1, found)
    const hasId = nodes.selections.some((each) => each.kind === Kind.FIELD && each.name.value === 'id')
    if (found.connections > before && !hasId) found.isIdMissing = true
  }
}

/** The selection of a connection's nodes; undefined: the field is no connection. */
function findNodeSelection({ selections }: SelectionSetNode): SelectionSetNode | undefined {
  for (const node of selections) {
    if (node.kind !== Kind.FIELD) continue
    if (node.name.value === 'nodes') return node.selectionSet
    if (node.name.value === 'edges') return node.selectionSet && findNodeField(node.selectionSet)
  }
  return undefined
}

function findNodeField({ selections }: SelectionSetNode): SelectionSetNode | undefined {
  for (const node of selections) {
    if (node.kind === Kind.FIELD && node.name.value === 'node') return node.selectionSet
  }
  return undefined
}

/** An error of this server fails the operation, as one of Shopify's would. */
function failBulk(shop: Shop, id: number) {
  const bulk = find(shop.db, 'bulk', id)
  const at = shop.now()
  if (bulk) save(shop.db, 'bulk', { ...bulk, status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR', completedAt: at })
}

async function executeBulk(context: Context, id: number, document: DocumentNode, isGrouped: boolean): Promise<void> {
  const { shop } = context
  const isOpen = () => ['CREATED', 'RUNNING'].includes(find(shop.db, 'bulk', id)?.status ?? '')
  const change = (part: Partial<Bulk>) =>
    save(shop.db, 'bulk', { ...find(shop.db, 'bulk', id)!, ...part, updatedAt: shop.now() })
  const out: Lines = { own: [], children: [], roots: 0, isGrouped }
  const range = { after: null as string | null, hasNext: true }
  if (isOpen()) change({ status: 'RUNNING' })
  while (range.hasNext && isOpen()) {
    range.hasNext = false
    const { data, errors } = await run({ ...context, bulk: range }, document, {})
    if (errors?.length) {
      const code = errors[0]!.extensions.code === 'ACCESS_DENIED' ? 'ACCESS_DENIED' : 'INTERNAL_SERVER_ERROR'
      change({ status: 'FAILED', errorCode: code, completedAt: shop.now() })
      return
    }
    for (const root of Object.values(data ?? {})) flatten(root, null, out)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (!isOpen()) return
  const all = [...out.own, ...out.children]
  const lines = all.length ? `${all.join('\n')}\n` : null
  change({ status: 'COMPLETED', completedAt: shop.now(), objects: all.length, roots: out.roots, lines })
}

interface Lines {
  own: string[]
  /** Rows of nested connections. Only `groupObjects` puts them right below their parents. */
  children: string[]
  roots: number
  isGrouped: boolean
}

type Row = Record<string, unknown>

function flatten(connection: unknown, parentId: string | null, out: Lines) {
  for (const node of readNodes(connection) ?? []) {
    const own: Row = {}
    const nested: unknown[] = []
    for (const [name, value] of Object.entries(node)) {
      if (readNodes(value)) nested.push(value)
      else own[name] = value
    }
    if (parentId === null) out.roots += 1
    const line = JSON.stringify(parentId === null ? own : { ...own, __parentId: parentId })
    if (parentId === null || out.isGrouped) out.own.push(line)
    else out.children.push(line)
    for (const inner of nested) flatten(inner, String(node.id), out)
  }
}

function readNodes(value: unknown): Row[] | null {
  if (typeof value !== 'object' || value === null) return null
  const { nodes, edges } = value as { nodes?: Row[]; edges?: { node: Row }[] }
  if (Array.isArray(nodes)) return nodes
  return Array.isArray(edges) && edges.every((edge) => 'node' in edge) ? edges.map(({ node }) => node) : null
}

/** Requires no token: Shopify stores these files in another company's bucket. */
export function serveBulkFiles(app: FastifyInstance, shop: Shop) {
  app.get('/bulk-operation-outputs/:file', (request, reply) => {
    if (request.headers['x-shopify-access-token']) return reply.code(400).send({ errors: 'No token is wanted here' })
    const id = Number(/^(\d+)\.jsonl$/.exec((request.params as { file: string }).file)?.[1])
    const bulk = Number.isNaN(id) ? undefined : find(shop.db, 'bulk', id)
    if (!bulk?.lines) return reply.code(404).send('Not Found')
    return sendRange(reply.header('content-type', 'application/jsonl').header('accept-ranges', 'bytes'), {
      content: Buffer.from(bulk.lines),
      range: request.headers.range,
    })
  })
}

/** Sends the whole file or the requested byte range. */
function sendRange(reply: FastifyReply, { content, range }: { content: Buffer; range: string | undefined }) {
  const match = /^bytes=(\d{1,12})-(\d{0,12})$/.exec(range ?? '')
  if (!match) return reply.send(content)
  const from = Number(match[1])
  const to = Math.min(content.length - 1, match[2] ? Number(match[2]) : content.length - 1)
  if (from > to) return reply.code(416).header('content-range', `bytes */${content.length}`).send()
  return reply
    .code(206)
    .header('content-range', `bytes ${from}-${to}/${content.length}`)
    .send(content.subarray(from, to + 1))
}
