import { z } from 'zod'
import { email, PersonName } from '../access/auth.ts'
import { PlanKey, readUsage, SubscriptionSource, SubscriptionStatus } from '../billing/billing.ts'
import { endpoint } from '../core/endpoint.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'

// Calls of operators (decision 90). For all other users they return 404.

export const problemKinds = ['two_subscriptions', 'unknown_price', 'chargeback', 'credits_used'] as const
export type ProblemKind = (typeof problemKinds)[number]

export const operatorActions = [
  'set_plan',
  'suspend',
  'resume',
  'view',
  'resolve_problem',
  'adjust_credits',
  'create_account',
] as const
export type OperatorActionName = (typeof operatorActions)[number]

export const MAX_REASON_LENGTH = 500
/** $1,000. */
export const MAX_CREDIT_CENTS = 100_000
export const operatorTexts = {
  reasonMissing: 'Enter a reason. The account sees it.',
  reasonLong: `A reason has at most ${MAX_REASON_LENGTH} characters.`,
  noteLong: `A note has at most ${MAX_REASON_LENGTH} characters.`,
  suspendedAlready: 'Sending of this account is suspended already.',
  creditsWrong: 'Enter an amount up to $1,000. A minus removes credits.',
  creditsMissing: 'The account has fewer credits than that.',
  notSuspended: 'Sending of this account is not suspended.',
  paysByCard:
    'This account pays by card. Cancel its subscription at Stripe first; otherwise the card is still charged.',
} as const

const Note = z.string().trim().max(MAX_REASON_LENGTH, operatorTexts.noteLong).default('')
const Reason = z.string().trim().min(1, operatorTexts.reasonMissing).max(MAX_REASON_LENGTH, operatorTexts.reasonLong)

const OperatorPlan = z.object({
  plan: PlanKey.nullable(),
  status: SubscriptionStatus.nullable(),
  source: SubscriptionSource.nullable(),
  isUnlimited: z.boolean(),
})

export const OperatorAccount = OperatorPlan.extend({
  id: z.uuid(),
  name: z.string(),
  /** The longest-serving owner. */
  ownerEmail: z.string().nullable(),
  isDemo: z.boolean(),
  createdAt: z.string(),
  /** Connected stores. */
  stores: z.number(),
  /** Sent in this calendar month (UTC), on all channels. */
  messages: z.number(),
  suspendedAt: z.string().nullable(),
})
export type OperatorAccount = z.infer<typeof OperatorAccount>

export const OperatorAction = z.object({
  id: z.uuid(),
  at: z.string(),
  operatorEmail: z.string(),
  accountId: z.uuid().nullable(),
  accountName: z.string().nullable(),
  action: z.enum(operatorActions),
  data: z.record(z.string(), z.union([z.string(), z.boolean(), z.null()])),
})
export type OperatorAction = z.infer<typeof OperatorAction>

const OperatorProblem = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  accountName: z.string(),
  kind: z.enum(problemKinds),
  detail: z.string(),
  raisedAt: z.string(),
})
export type OperatorProblem = z.infer<typeof OperatorProblem>

const OperatorStore = z.object({
  id: z.uuid(),
  name: z.string(),
  url: z.string(),
  platform: z.string(),
  isActive: z.boolean(),
  isPaused: z.boolean(),
  /** Stopped stages with an open alarm. */
  stopped: z.array(z.object({ stage: z.string(), cause: z.string(), since: z.string() })),
})

export const operatorShows = ['all', 'suspended'] as const

export const listOperatorAccounts = endpoint({
  method: 'GET',
  path: '/api/operator/accounts',
  permission: 'operator',
  summary: 'Accounts, the newest first; search by name, member’s address, store or id',
  query: z.object({
    ...buildPageFields({ limit: 25, max: 100 }),
    search: z.string().trim().max(200).default(''),
    show: z.enum(operatorShows).default('all'),
  }),
  reply: z.object({ accounts: z.array(OperatorAccount), pagination: Pagination }),
})

export const readOperatorAccount = endpoint({
  method: 'GET',
  path: '/api/operator/accounts/:accountId',
  permission: 'operator',
  summary: 'One account: plan, usage, stores, what waits, alarms, problems, and what operators did',
  params: z.object({ accountId: z.uuid() }),
  reply: z.object({
    account: OperatorAccount.extend({
      suspendedReason: z.string().nullable(),
      suspendedBy: z.string().nullable(),
      /** Millionths of a dollar. */
      creditMicros: z.number(),
      members: z.array(z.object({ name: z.string(), email: z.string(), role: z.string(), isConfirmed: z.boolean() })),
    }),
    usage: readUsage.reply,
    stores: z.array(OperatorStore),
    /** Waiting messages to be sent, by the reason of the hold; null: not held. */
    waiting: z.array(z.object({ reason: z.string().nullable(), count: z.number(), oldestAt: z.string() })),
    problems: z.array(OperatorProblem),
    actions: z.array(OperatorAction),
  }),
})

export const readOperatorHealth = endpoint({
  method: 'GET',
  path: '/api/operator/health',
  permission: 'operator',
  summary: 'Checks, queues, messages that are late, alarms and problems of the whole installation',
  reply: z.object({
    checks: z.array(z.object({ name: z.string(), state: z.string() })),
    queues: z.array(
      z.object({ name: z.string(), ready: z.number(), active: z.number(), later: z.number(), failed: z.number() }),
    ),
    /** Stores with messages overdue by more than a minute, and the due time of the first. */
    late: z.object({ stores: z.number(), since: z.string().nullable() }),
    alarms: z.array(
      z.object({
        stage: z.string(),
        cause: z.string(),
        since: z.string(),
        storeName: z.string(),
        accountId: z.uuid(),
        accountName: z.string(),
      }),
    ),
    problems: z.array(OperatorProblem),
  }),
})

export const listOperatorActions = endpoint({
  method: 'GET',
  path: '/api/operator/actions',
  permission: 'operator',
  summary: 'What operators did, the newest first',
  query: z.object(buildPageFields({ limit: 50, max: 100 })),
  reply: z.object({ actions: z.array(OperatorAction), pagination: Pagination }),
})

export const createOperatorAccount = endpoint({
  method: 'POST',
  path: '/api/operator/accounts',
  permission: 'operator',
  summary: 'Create an account and invite its owner by email; an owner who has an account keeps it',
  body: z.strictObject({
    email,
    /** Of the owner; the account takes it, as on registration. */
    name: PersonName,
    /** null: the plan a new account has. */
    planKey: PlanKey.nullable().default(null),
    isUnlimited: z.boolean().default(false),
    note: Note,
  }),
  reply: z.object({
    accountId: z.uuid(),
    /** false: this owner had the account before. */
    isNew: z.boolean(),
    /** Sets the owner's password: works once, for seven days. null: the owner can sign in already. */
    invitationUrl: z.string().nullable(),
    /** The link was mailed to the owner as well. */
    isMailed: z.boolean(),
  }),
})

const Done = z.object({ success: z.literal(true) })
const ofAccount = z.object({ accountId: z.uuid() })

export const setOperatorPlan = endpoint({
  method: 'POST',
  path: '/api/operator/accounts/:accountId/plan',
  permission: 'operator',
  summary: 'Put an account on a plan without card payment, with or without limits',
  params: ofAccount,
  body: z.strictObject({ planKey: PlanKey, isUnlimited: z.boolean().default(false), note: Note }),
  reply: Done,
})

export const adjustCredits = endpoint({
  method: 'POST',
  path: '/api/operator/accounts/:accountId/credits',
  permission: 'operator',
  summary: 'Add or remove an account’s SMS credits',
  params: ofAccount,
  /** `reason`: shown to the account in its ledger. */
  body: z.strictObject({
    cents: z
      .number()
      .int(operatorTexts.creditsWrong)
      .min(-MAX_CREDIT_CENTS, operatorTexts.creditsWrong)
      .max(MAX_CREDIT_CENTS, operatorTexts.creditsWrong)
      .refine((cents) => cents !== 0, operatorTexts.creditsWrong),
    reason: Reason,
  }),
  reply: Done,
})

export const suspendAccount = endpoint({
  method: 'POST',
  path: '/api/operator/accounts/:accountId/suspend',
  permission: 'operator',
  summary: 'Suspend all sending of an account; its members read the reason',
  params: ofAccount,
  body: z.strictObject({ reason: Reason }),
  reply: Done,
})

export const resumeAccount = endpoint({
  method: 'POST',
  path: '/api/operator/accounts/:accountId/resume',
  permission: 'operator',
  summary: 'Let a suspended account send again',
  params: ofAccount,
  body: z.strictObject({ note: Note }),
  reply: Done,
})

export const viewAccount = endpoint({
  method: 'POST',
  path: '/api/operator/accounts/:accountId/view',
  permission: 'operator',
  summary: 'A read-only token to view an account for 30 minutes',
  params: ofAccount,
  body: z.strictObject({ storeId: z.uuid().nullable().default(null) }),
  reply: z.object({ token: z.string(), until: z.string() }),
})

export const resolveOperatorProblem = endpoint({
  method: 'POST',
  path: '/api/operator/problems/:problemId/resolve',
  permission: 'operator',
  summary: 'Close a resolved problem',
  params: z.object({ problemId: z.uuid() }),
  body: z.strictObject({ note: Note }),
  reply: Done,
})
