import { type PlanKey, plans, type SubscriptionSource } from '../../../shared/billing/billing.ts'
import type { OperatorAccount, OperatorAction, ProblemKind } from '../../../shared/workspace/operator.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { createListAddress, type Paged } from '../../core/ui/listQuery.ts'

// Address of the accounts list and texts of the operator screens. Pure.

interface AccountsFilter {
  search?: string
  show?: 'suspended' | ''
}

export type AccountsQuery = AccountsFilter & Paged<'newest'>

export const accountsAddress = createListAddress<AccountsFilter, 'newest'>({
  filters: ['search', 'show'],
  readFilter: (search) => {
    const text = search.get('search')
    return {
      ...(text && { search: text.slice(0, 200) }),
      ...(search.get('show') === 'suspended' && { show: 'suspended' as const }),
    }
  },
  sorts: ['newest'],
  largestFirst: ['newest'],
  limit: 25,
})

const sources: Record<SubscriptionSource, string> = {
  free: 'chosen by the owner',
  test: 'test billing',
  operator: 'set by an operator',
  default: 'the default plan',
  stripe: 'paid by card',
}

export const formatPlan = ({ plan, isUnlimited }: Pick<OperatorAccount, 'plan' | 'isUnlimited'>): string =>
  plan === null ? 'No plan' : `${plans[plan].name}${isUnlimited ? ', no limits' : ''}`

export const formatSource = (source: SubscriptionSource | null): string => (source ? sources[source] : '-')

export const operatorProblems: Record<ProblemKind, string> = {
  two_subscriptions: 'Two live subscriptions at Stripe',
  credits_used: 'Credits refunded after they were used',
  unknown_price: 'A subscription with an unknown price',
  chargeback: 'A payment was charged back',
}

/** The action as a sentence; its note or reason is shown beside it. */
export function describeAction({ action, data }: Pick<OperatorAction, 'action' | 'data'>): string {
  switch (action) {
    case 'create_account':
      return `Created the account${data.plan ? ` on ${formatPlan({ plan: data.plan as PlanKey, isUnlimited: data.isUnlimited === true })}` : ''}`
    case 'set_plan':
      return `Set the plan to ${formatPlan({ plan: data.plan as PlanKey, isUnlimited: data.isUnlimited === true })}`
    case 'adjust_credits':
      return `Changed credits by ${formatMoney(Number(data.dollars), 'USD')}`
    case 'suspend':
      return 'Suspended sending'
    case 'resume':
      return 'Resumed sending'
    case 'view':
      return 'Viewed the account'
    case 'resolve_problem':
      return `Closed: ${operatorProblems[data.kind as ProblemKind]}`
  }
}

export const getNote = ({ data }: Pick<OperatorAction, 'data'>): string | null => {
  const text = data.reason ?? data.note
  return typeof text === 'string' && text ? text : null
}
