import type { Generated } from 'kysely'
import type { OperatorActionName, ProblemKind } from '../../../shared/workspace/operator.ts'

export interface OperatorSchema {
  operator_actions: OperatorActionsTable
  operator_problems: OperatorProblemsTable
}

export interface OperatorActionsTable {
  id: string
  at: Date
  operator_id: string | null
  operator_email: string
  account_id: string | null
  account_name: string | null
  action: OperatorActionName
  /** The operator's input: plan, reason, note. */
  data: Record<string, string | boolean | null>
}

export interface OperatorProblemsTable {
  id: string
  account_id: string
  kind: ProblemKind
  detail: string
  raised_at: Date
  resolved_at: Generated<Date | null>
}
