import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'

// The control group of a store: what can be said before it begins, while it runs and after (decisions 58 to 61). Amounts are in whole units
// of `currency`; percent are whole numbers, of people.

/** How long an experiment is planned for, unless its owner says otherwise. */
export const PLANNED_DAYS = 90
/** A shorter one would end before anybody's window. */
export const PLANNED_DAYS_LEAST = 45
export const PLANNED_DAYS_MOST = 365

/** The shares whose smallest visible effect is told. */
export const shownShares = [10, 20, 30, 50] as const

/** Bounds of treated − control. */
const Interval = z.object({ low: z.number(), high: z.number() })
export type Interval = z.infer<typeof Interval>

/**
 * One measure. `few`: there are too few purchases to say anything. `unseen`: the difference may be none. `more`, `less`: the treated
 * bought more, or less, whenever one looks.
 */
const Finding = z.object({
  state: z.enum(['few', 'unseen', 'more', 'less']),
  /** Of the whole people who were written to: purchases, or an amount. To be looked at whenever one likes; null: `few`. */
  anytime: Interval.nullable(),
  /** The same on the planned day and for this one look; null: it has not come, it never will, or `few`. */
  planned: Interval.nullable(),
  /** With `few`: about so many people more, and so many days at the pace so far. null: nobody can tell. */
  missing: z.object({ people: z.number(), days: z.number().nullable() }).nullable(),
})
export type Finding = z.infer<typeof Finding>

const Arms = z.object({ treated: z.number(), control: z.number() })

export const ExperimentView = z.object({
  id: z.uuid(),
  sharePercent: z.number(),
  /** Of the store, by whose calendar its days are told. */
  timeZone: z.string(),
  startedAt: z.string(),
  plannedEndAt: z.string(),
  /** Nobody is drawn after this moment. */
  drawsUntil: z.string(),
  endedAt: z.string().nullable(),
  endReason: z.enum(['planned', 'stopped', 'changed']).nullable(),
  windowDays: z.number(),
  currency: z.string(),
  /** The most that one person's orders count for; null: no order was known when it began, so amounts are not compared. */
  capAmount: z.number().nullable(),
  /** Whose window is over, and who is compared. */
  people: Arms,
  purchases: Arms,
  /** Whose window is not over. */
  waiting: Arms,
  leftOut: z.number(),
  /** Of the control group, written to by hand all the same. */
  overridden: z.number(),
  /** People who keep an arm that was drawn before experiments; not compared. */
  drawnEarlier: z.number(),
  conversion: Finding,
  revenue: Finding,
  /** What not writing to the control group has cost, by the amounts of `revenue`; null: that is not shown. */
  cost: Interval.nullable(),
  /** Orders attributed to messages since it began, until its end (A2); another measure. */
  attributedAmount: z.number(),
  /** Whether the sizes of the arms can be chance: `few` people to check, `even`, or `off`. */
  health: z.enum(['few', 'even', 'off']),
})
export type ExperimentView = z.infer<typeof ExperimentView>

export const ExperimentsReply = z.object({
  /** What the store's last 30 days say. */
  pace: z.object({
    /** People with a contact who left a cart. */
    people: z.number(),
    /** How many of 100 of them bought; null: too few to tell, and `assumedPercent` is reckoned with. */
    boughtPercent: z.number().nullable(),
    assumedPercent: z.number(),
    /** Of 1: what is reckoned with. */
    rate: z.number(),
  }),
  /** null: no share would show anything in a store of this size. */
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
  /** Of people who get no automatic message. */
  sharePercent: z.number().int().min(1).max(50),
  days: z.number().int().min(PLANNED_DAYS_LEAST).max(PLANNED_DAYS_MOST).default(PLANNED_DAYS),
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
