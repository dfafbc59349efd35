import type { Generated } from 'kysely'

export interface ExperimentsSchema {
  experiments: ExperimentsTable
  assignments: AssignmentsTable
  experiment_days: ExperimentDaysTable
}

export interface ExperimentsTable {
  store_id: string
  id: Generated<string>
  salt: string
  control_bps: number
  started_at: Date
  planned_end_at: Date
  ended_at: Generated<Date | null>
  end_reason: Generated<'planned' | 'stopped' | 'changed' | null>
  window_days: number
  currency: string
  cap_minor: number | null
  cap_orders: number
  waiting_treated: Generated<number>
  waiting_control: Generated<number>
  drawn_earlier: Generated<number>
  alarm_at: Generated<Date | null>
}

export interface AssignmentsTable {
  store_id: string
  experiment_id: string
  id: string
  shopper_id: string
  arm: 'treated' | 'control'
  at: Date
  window_ends_at: Generated<Date | null>
  keys: Generated<string[]>
  bought: Generated<boolean | null>
  net_minor: Generated<number | null>
  is_overridden: Generated<boolean>
  closed_at: Generated<Date | null>
}

export interface ExperimentDaysTable {
  store_id: string
  experiment_id: string
  day: string
  arm: 'treated' | 'control'
  people: number
  purchases: number
  net_minor: number
  net_squares: string
  overridden: number
  left_out: number
}
