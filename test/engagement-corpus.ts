import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { evaluateBurst } from '../server/delivery/engagement/burst.ts'
import { classifyRequest, type EngagementClass } from '../server/delivery/engagement/classify.ts'
import { openNetworks } from '../server/delivery/engagement/networks.ts'

// Labelled visits (test/fixtures/engagement) and how well they are classified. Each scenario is one message; times are
// seconds since its send. The label is the truth, which may not be observable.

const Scenario = z.strictObject({
  scenario: z.string().min(3),
  basis: z.string().min(20),
  visits: z
    .array(
      z.strictObject({
        kind: z.enum(['open', 'click', 'unsubscribe_link', 'honeypot']),
        at: z.number(),
        link: z.string().optional(),
        method: z.string().default('GET'),
        agent: z.string(),
        purpose: z.string().default(''),
        address: z.string(),
        is: z.enum(['human', 'machine']),
      }),
    )
    .min(1),
})

export interface EvaluatedVisit {
  file: string
  scenario: string
  kind: 'open' | 'click' | 'unsubscribe_link' | 'honeypot'
  is: 'human' | 'machine'
  classified: EngagementClass
  reason: string
}

const FOLDER = new URL('./fixtures/engagement/', import.meta.url)

/** Classifies every visit of the corpus, with all visits of its scenario known. */
export function evaluateCorpus(): EvaluatedVisit[] {
  const networkOf = openNetworks()
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const scenarios = z.array(Scenario).parse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))
      return scenarios.flatMap((each) => evaluateScenario(file.replace('.json', ''), each, networkOf))
    })
}

function evaluateScenario(
  file: string,
  { scenario, visits }: z.output<typeof Scenario>,
  networkOf: ReturnType<typeof openNetworks>,
): EvaluatedVisit[] {
  const alone = visits.map(({ kind, at, method, agent, purpose, address, is, link = '' }, index) => {
    const request = { kind, method, userAgent: agent, purpose, network: networkOf(address), sinceSendingMs: at * 1_000 }
    const { class: classified, reason } = classifyRequest(request)
    return { id: String(index), at: at * 1_000, link, class: classified, file, scenario, kind, is, classified, reason }
  })
  const late = new Map(evaluateBurst(alone).map(({ id, reason }) => [id, reason]))
  return alone.map(({ id, kind, is, classified, reason }) => {
    const lateReason = late.get(id)
    return { file, scenario, kind, is, classified: lateReason ? 'machine' : classified, reason: lateReason ?? reason }
  })
}

export interface Measure {
  /** Counts by [truth][classification]. */
  table: Record<'human' | 'machine', Record<EngagementClass, number>>
  /** Precision: share of visits classified as people that were people. */
  precision: number
  /** Recall: share of people that were classified as people. */
  recall: number
}

export function computeMeasure(visits: readonly EvaluatedVisit[]): Measure {
  const buildRow = () => ({ human: 0, machine: 0, unknown: 0 })
  const table = { human: buildRow(), machine: buildRow() }
  for (const { is, classified } of visits) table[is][classified]++
  const right = table.human.human
  const people = right + table.human.machine + table.human.unknown
  return { table, precision: right / (right + table.machine.human), recall: right / people }
}

export const GROUPS = {
  'links (clicks, unsubscribe page, hidden link)': ({ kind }: EvaluatedVisit) => kind !== 'open',
  'pictures (opens)': ({ kind }: EvaluatedVisit) => kind === 'open',
  all: () => true,
} as const
