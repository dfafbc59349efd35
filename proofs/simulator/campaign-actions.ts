import type pg from 'pg'
import type { Harness } from './harness.ts'
import { isCampaignSend } from './invariants/scene.ts'
import type { State } from './state.ts'

// Records which campaign actions a scenario performed and what happened to the messages, as evidence of coverage.

export const CAMPAIGN_ACTIONS = [
  ...(['create', 'send to all', 'edit', 'pause', 'play', 'cancel', 'delete', 'send now', 'send'] as const),
  ...(['edit while planned', 'pause midway', 'resume midway', 'play after the end'] as const),
  ...(['delete in flight', 'send now during a run', 'retry', 'guard pause', 'saved audience'] as const),
  ...(['recurring run', 'monthly run', 'crash in planning', 'crash in sending'] as const),
]
export type CampaignAction = (typeof CAMPAIGN_ACTIONS)[number]

/** Results of one scenario. */
export interface CampaignCoverage {
  campaignActions: CampaignAction[]
  runs: number
  /** Messages by their final state. */
  states: Record<string, number>
  /** Messages that were held at some time. */
  held: number
  /** Messages that a provider received. */
  sent: number
}

/** State of a campaign just before an action. */
export interface CampaignActivity {
  status: string
  isPlanned: boolean
  isDue: boolean
  isOpen: boolean
  isSending: boolean
}

export async function readCampaignActivity(pool: pg.Pool, id: string): Promise<CampaignActivity> {
  const { rows } = await pool.query<CampaignActivity>(ACTIVITY_SQL, [id])
  return rows[0]!
}

const ACTIVITY_SQL = `
  select g.status, g.next_run_at is not null as "isDue",
    exists (select 1 from campaign_runs r where r.store_id = g.store_id and r.campaign_id = g.id and r.planned_at is null) as "isPlanned",
    exists (select 1 from messages m where m.store_id = g.store_id and m.origin_kind = 'campaign' and m.origin_id = g.id
      and m.state in ('scheduled', 'held', 'claimed')) as "isOpen",
    exists (select 1 from messages m where m.store_id = g.store_id and m.origin_kind = 'campaign' and m.origin_id = g.id
      and m.state = 'sending') as "isSending"
  from campaigns g where g.id = $1`

const OVER: ReadonlySet<string> = new Set(['completed', 'sent', 'cancelled'])

/** Names the actions of a step by the campaign's previous state. */
export function listActions(
  step: 'edit' | 'pause' | 'play' | 'cancel' | 'delete' | 'send now' | 'send',
  busy: CampaignActivity,
): CampaignAction[] {
  const isMidway = busy.isPlanned || busy.isOpen || busy.isSending
  const more: Record<typeof step, CampaignAction | false> = {
    edit: busy.isPlanned && 'edit while planned',
    pause: isMidway && busy.status !== 'paused' && 'pause midway',
    play: OVER.has(busy.status) ? 'play after the end' : isMidway && busy.status === 'paused' && 'resume midway',
    cancel: false,
    delete: isMidway && 'delete in flight',
    'send now': (isMidway || busy.isDue) && 'send now during a run',
    send: (isMidway || busy.isDue) && 'send now during a run',
  }
  return [step, ...(more[step] ? [more[step]] : [])]
}

/** Records the death of a process, with or without campaign messages in flight. */
export async function recordWorkerDeath({ environment, campaignActions }: Harness, workerId: string): Promise<void> {
  const { rows } = await environment.pool.query(
    `select 1 from messages where worker_id = $1 and origin_kind = 'campaign' and state in ('claimed', 'sending') limit 1`,
    [workerId],
  )
  if (rows.length > 0) campaignActions.add('crash in sending')
}

/** Call after a step. */
export function recordRuns({ campaigns, campaignActions, everHeld }: Harness, { runs, messages }: State): void {
  for (const { id, state, origin } of messages) if (state === 'held' && isCampaignSend({ origin })) everHeld.add(id)
  for (const { id, requested: pressed, retried, versions } of campaigns) {
    const { frequency } = versions.at(-1)!.plan
    if (frequency === 'once') continue
    const requests = [...pressed, ...retried]
    const planned = runs.filter(
      ({ campaign, at }) => campaign === id && !requests.some(({ from, until }) => at >= from && at <= until),
    )
    if (planned.length > 1) campaignActions.add(frequency === 'monthly' ? 'monthly run' : 'recurring run')
  }
}

export function summarizeCampaigns(
  { campaignActions, everHeld, providers }: Harness,
  state: State | null,
): CampaignCoverage {
  const rows = state?.messages.filter(isCampaignSend) ?? []
  const groups = Object.entries(Object.groupBy(rows, (row) => row.state))
  return {
    campaignActions: [...campaignActions],
    runs: state?.runs.length ?? 0,
    states: Object.fromEntries(groups.map(([name, some]) => [name, some!.length])),
    held: everHeld.size,
    sent: providers.mails.filter(({ evidence }) => evidence && isCampaignSend(evidence)).length,
  }
}
