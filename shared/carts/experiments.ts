import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// The store's control group: forecast, running results and final results (decisions 58 to 61). Amounts are in whole
// units of `currency`; percentages are whole numbers, of people.

/** Default duration of an experiment in days. */
export const PLANNED_DAYS = 90
/** A shorter experiment would end before any observation window. */
export const MIN_PLANNED_DAYS = 45
export const MAX_PLANNED_DAYS = 365

/** The shares whose smallest detectable effect is shown. */
export const exampleShares = [10, 20, 30, 50] as const

/** Bounds of treated − control. */
const Interval = z.object({ low: z.number(), high: z.number() })
export type Interval = z.infer<typeof Interval>

/**
 * One measure. `few`: too few purchases for a result. `unseen`: the difference may be zero. `more`, `less`: the treated
 * group bought more or less; valid at any time.
 */
const Finding = z.object({
  state: z.enum(['few', 'unseen', 'more', 'less']),
  /** Confidence interval for all treated people, in purchases or an amount, valid at any time; null: `few`. */
  anytime: Interval.nullable(),
  /**
   * The interval for the planned day, valid for that single analysis; null: not reached yet, never reached, or `few`.
   */
  planned: Interval.nullable(),
  /** With `few`: about how many people are missing, and how many days that takes at the current pace. null: unknown. */
  missing: z.object({ people: z.number(), days: z.number().nullable() }).nullable(),
})
export type Finding = z.infer<typeof Finding>

const Arms = z.object({ treated: z.number(), control: z.number() })

export const ExperimentView = z.object({
  id: z.uuid(),
  sharePercent: z.number(),
  /** The store's time zone, which defines the days. */
  timeZone: z.string(),
  startedAt: z.string(),
  plannedEndAt: z.string(),
  /** Shoppers are assigned until this moment. */
  drawsUntil: z.string(),
  endedAt: z.string().nullable(),
  endReason: z.enum(['planned', 'stopped', 'changed']).nullable(),
  windowDays: z.number(),
  currency: z.string(),
  /** Cap for the order total of one person; null: no order was known at the start, so amounts are not compared. */
  capAmount: z.number().nullable(),
  /** People whose window is over, who are compared. */
  people: Arms,
  purchases: Arms,
  /** People whose window is still open. */
  waiting: Arms,
  leftOut: z.number(),
  /** People of the control group who got a manual message nonetheless. */
  overridden: z.number(),
  /** People who keep a group assigned before experiments; not compared. */
  drawnEarlier: z.number(),
  conversion: Finding,
  revenue: Finding,
  /** Estimated cost of not writing to the control group, from the amounts of `revenue`; null: not shown. */
  cost: Interval.nullable(),
  /** Orders attributed to messages from start to end (A2), a different measure. */
  attributedAmount: z.number(),
  /** Check of the group sizes against chance: `few` people to check, `even`, or `off`. */
  health: z.enum(['few', 'even', 'off']),
})
export type ExperimentView = z.infer<typeof ExperimentView>

export const ExperimentsReply = z.object({
  /** The store's last 30 days. */
  pace: z.object({
    /** People with a contact who abandoned a cart. */
    people: z.number(),
    /** Percentage of them who bought; null: too few to tell, so `assumedPercent` is used. */
    boughtPercent: z.number().nullable(),
    assumedPercent: z.number(),
    /** The fraction used in the calculation. */
    rate: z.number(),
  }),
  /** null: no share would show an effect in a store of this size. */
  proposedPercent: z.number().nullable(),
  running: ExperimentView.nullable(),
  past: z.array(ExperimentView),
})
export type ExperimentsReply = z.infer<typeof ExperimentsReply>

export const readExperiments = endpoint({
  method: 'GET',
  path: '/api/experiments',
  permission: 'flows:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The store’s control group: what it would show, what it shows, and those before it',
  reply: ExperimentsReply,
})

const choice = z.object({
  /** Percentage of people without automatic messages. */
  sharePercent: z.number().int().min(1).max(50),
  days: z.number().int().min(MIN_PLANNED_DAYS).max(MAX_PLANNED_DAYS).default(PLANNED_DAYS),
})

export const startExperiment = endpoint({
  method: 'POST',
  path: '/api/experiments',
  permission: 'flows:switch',
  scope: 'store',
  query: storeQuery,
  summary: 'Begin a control group',
  body: choice,
  reply: ExperimentsReply,
})

export const changeExperiment = endpoint({
  method: 'PUT',
  path: '/api/experiments/running',
  permission: 'flows:switch',
  scope: 'store',
  query: storeQuery,
  summary: 'Another share: the control group ends, and another one begins',
  body: choice,
  reply: ExperimentsReply,
})

export const stopExperiment = endpoint({
  method: 'POST',
  path: '/api/experiments/running/stop',
  permission: 'flows:switch',
  scope: 'store',
  query: storeQuery,
  summary: 'End the control group: everybody gets messages from now on',
  reply: ExperimentsReply,
})
