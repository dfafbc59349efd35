import pg from 'pg'

// Query plans of the statements that the code sends, captured while they run.

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Heap Fetches'?: number
  Plans?: PlanNode[]
}

export interface ExplainedStatement {
  text: string
  plan: PlanNode
  /** The plan from the sixth execution on, when PostgreSQL may use a generic plan. */
  isRepeated: boolean
}

export interface PlanWatch {
  during(work: () => Promise<unknown>): Promise<ExplainedStatement[]>
}

/** A scan of a large table, or a sort, with more rows than this reads the whole store. */
export const FEW_ROWS = 2_000

export const listPlanNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listPlanNodes)]

interface Limits {
  /** Tables without sequential scans. */
  large: readonly string[]
  /** Most rows of one scan of a large table. */
  rows: number
  /** Most rows of one sort; by default as many as of one scan. */
  sorted?: number
}

export const findPlanFaults = (plans: readonly ExplainedStatement[], limits: Limits): string[] =>
  plans.flatMap(({ text, plan, isRepeated }) =>
    listPlanNodes(plan).flatMap((node) => {
      const fault = findPlanFault(node, limits)
      const start = text.replace(/\s+/g, ' ').trim().slice(0, 140)
      return fault ? [`${fault}${isRepeated ? ' (repeated)' : ''} in: ${start}`] : []
    }),
  )

function findPlanFault(node: PlanNode, { large, rows, sorted = rows }: Limits): string | null {
  const table = node['Relation Name']
  const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  if (/Sort$/.test(node['Node Type']) && read > sorted) return `sorts ${read} rows`
  if (!table || !large.includes(table)) return null
  if (node['Node Type'] === 'Seq Scan') return `reads through ${table}`
  return read > rows && node['Node Type'] !== 'ModifyTable' ? `reads ${read} rows of ${table}` : null
}

const PLANNED_EACH_TIME = /^\s*\/\*/

/**
 * Explains every statement with its values just before it runs, and rolls back what explaining changed. `repeated`:
 * also as a prepared statement that the server has used before.
 */
export function watchPlans(pool: pg.Pool, { repeated = false } = {}): PlanWatch {
  let plans: ExplainedStatement[] | null = null
  const watched = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (watched.has(client)) return
    watched.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>
    let isInTransaction = false
    client.query = (async (text: string, values?: unknown[], ...rest: unknown[]) => {
      if (typeof text !== 'string' || rest.length > 0) return query(text, values, ...rest)
      if (/^(begin|start transaction)/i.test(text)) isInTransaction = true
      if (/^(commit|rollback)$/i.test(text)) isInTransaction = false
      if (plans && /^\s*(\/\*.*?\*\/)?[\s(]*(select|insert|update|delete|with)\b/i.test(text)) {
        await query(isInTransaction ? 'savepoint explained' : 'begin')
        plans.push({ text, plan: await explainOnce(query, text, values), isRepeated: false })
        if (repeated && values?.length && !PLANNED_EACH_TIME.test(text)) {
          await query(isInTransaction ? 'rollback to savepoint explained' : 'rollback and chain')
          plans.push({ text, plan: await explainRepeated(query, text, values), isRepeated: true })
        }
        await query(isInTransaction ? 'rollback to savepoint explained' : 'rollback')
      }
      return query(text, values)
    }) as typeof client.query
  })
  return {
    async during(work) {
      plans = []
      await work()
      const plan = plans
      plans = null
      return plan
    },
  }
}

type Query = (...args: unknown[]) => Promise<pg.QueryResult>

async function explainOnce(query: Query, text: string, values?: unknown[]): Promise<PlanNode> {
  const { rows } = await query(`explain (analyze, format json) ${text}`, values)
  return rows[0]['QUERY PLAN'][0].Plan
}

let prepared = 0

async function explainRepeated(query: Query, text: string, values: readonly unknown[]): Promise<PlanNode> {
  const name = `explained_${prepared++}`
  const execute = `execute ${name}(${values.map(quoteLiteral).join(', ')})`
  await query(`prepare ${name} as ${text}`)
  for (let n = 0; n < 5; n++) await query(`explain ${execute}`)
  const plan = await explainOnce(query, execute)
  await query(`deallocate ${name}`)
  return plan
}

function quoteLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const sent = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer } }).utils.prepareValue(value)
  return pg.escapeLiteral(typeof sent === 'string' ? sent : `\\x${sent.toString('hex')}`)
}
