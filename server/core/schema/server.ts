import type { Generated } from 'kysely'

export interface ServerSchema {
  live_watches: LiveWatchesTable
  instance: InstanceTable
  workers: WorkersTable
  rate_limits: RateLimitsTable
  heartbeats: HeartbeatsTable
  heartbeat_hours: HeartbeatHoursTable
  alarms: AlarmsTable
  alarm_watch: AlarmWatchTable
}

export interface LiveWatchesTable {
  store_id: string
  until: Date
}

export interface InstanceTable {
  is_only: Generated<boolean>
  fingerprint: string
  is_paused: Generated<boolean>
  paused_reason: Generated<string | null>
  created_at: Date
}

export interface WorkersTable {
  id: string
  started_at: Date
  seen_at: Date
  steady_since: Date
}

export interface RateLimitsTable {
  key: string
  points: Generated<number>
  expire: Generated<number | null>
}

export interface HeartbeatsTable {
  store_id: string
  stage: string
  watched_since: Date
  seen_at: Generated<Date | null>
  suspect_since: Generated<Date | null>
  overdue: Generated<number>
  excused_until: Generated<Date | null>
  rates: Generated<number[] | null>
  rated_at: Generated<Date | null>
  quiet_until: Generated<Date | null>
}

export interface HeartbeatHoursTable {
  store_id: string
  stage: string
  hour: Date
  minutes: number
}

export interface AlarmsTable {
  store_id: string
  id: string
  stage: string
  cause: string
  raised_at: Date
  resolved_at: Generated<Date | null>
}

export interface AlarmWatchTable {
  is_only: Generated<boolean>
  ticked_at: Date
  watching_since: Date
}
