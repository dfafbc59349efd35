import { STAGES, type Stage, SYNC_NOT_BEGUN } from '../../../shared/stages.ts'
import { notify } from '../../access/notifications/notifications.ts'
import { isShopDown } from '../../access/stores/rules.ts'
import { newId } from '../../core/common/ids.ts'
import { type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { ping } from './ping.ts'
import * as rules from './rules.ts'
import * as sql from './sql.ts'

// Alarms for stages that stopped silently. Each stage of each store is alive, suspected (it looks stopped in one check)
// or stopped (an open incident, reported once, resolved automatically). One process checks once a minute.

/** Rates change slowly; a hundred stores a minute are recomputed. */
const RATES_EVERY_MS = 6 * rules.HOUR_MS
const RATES_PER_LOOK = 100
const KEEP_HOURS_MS = 35 * 86_400_000

/** Tick: checks all stages. Throws if the database is unreachable; then the missing ping raises the alarm. */
export async function watchStages(deps: Deps): Promise<void> {
  const now = deps.now()
  const watchingSince = await sql.takeLook(deps.db, now, before(now, rules.WATCH_GAP_MS))
  if (!watchingSince) return
  await sql.watchStores(deps.db, STAGES, now)
  await sql.countCaptures(deps.db, now)
  await refreshRates(deps, now)
  if (now.getTime() - watchingSince.getTime() >= rules.SETTLE_MS) await evaluateStores({ deps, now, watchingSince })
  await sql.closeAlarmsOfGone(deps.db, now)
  await sql.forgetHours(deps.db, before(now, KEEP_HOURS_MS))
  const open = await sql.openAlarms(deps.db)
  await ping(deps, rules.isOperatorsConcern(open, await sql.countWatched(deps.db)) ? 'fail' : 'well')
}

/** For `/readyz`: stopped stages with their times, and whether the watch itself runs. Names no store. */
export async function listAlarms(deps: Pick<Deps, 'db' | 'now'>): Promise<{ stage: string; since: string }[]> {
  const open = await sql.openAlarms(deps.db)
  const looked = await sql.lastLook(deps.db)
  const isBlind = looked !== null && Math.abs(deps.now().getTime() - looked.getTime()) > rules.WATCH_GAP_MS
  return [
    ...open.map(({ stage, since }) => ({ stage, since: since.toISOString() })),
    ...(isBlind ? [{ stage: 'watch', since: looked.toISOString() }] : []),
  ]
}

const before = (instant: Date, ms: number) => new Date(instant.getTime() - ms)

function limitsAt(now: Date): sql.Limits {
  return {
    now,
    sync: before(now, rules.SYNC_LIMIT_MS),
    detection: before(now, rules.DETECTION_LIMIT_MS),
    sending: before(now, rules.SENDING_LIMIT_MS),
    reports: before(now, rules.REPORT_LIMIT_MS),
    history: before(now, rules.HISTORY_DAYS * 86_400_000),
  }
}

async function refreshRates(deps: Deps, now: Date): Promise<void> {
  const fresh: [Date, Date] = [before(now, RATES_EVERY_MS), new Date(now.getTime() + RATES_EVERY_MS)]
  for (const each of await sql.staleRates(deps.db, fresh, RATES_PER_LOOK)) {
    const store = { storeId: each.store_id, db: deps.db }
    const hours = await sql.readHours(store, 'capture', before(now, rules.HISTORY_DAYS * 86_400_000))
    const past = { since: each.watched_since, until: now, zone: each.time_zone }
    await sql.saveRates(store, 'capture', rules.expectedRates(hours, past), now)
  }
}

interface Watch {
  deps: Deps
  now: Date
  watchingSince: Date
}

interface Finding {
  stage: Stage
  /** null: alive. */
  cause: string | null
  since: Date
  waiting: number
  /** The error text of the store or the mail server. */
  detail: string | null
  excusedUntil?: Date | null
  quietUntil?: Date
}

async function evaluateStores(watch: Watch): Promise<void> {
  const { db } = watch.deps
  const looks = await sql.storesOfConcern(db, limitsAt(watch.now))
  const known = await sql.readHeartbeats(
    db,
    looks.map((look) => look.store_id),
  )
  const byStore = Map.groupBy(known, (each) => each.store_id)
  const marks: sql.Mark[] = []
  for (const look of looks) {
    const heartbeats = new Map((byStore.get(look.store_id) ?? []).map((each) => [each.stage, each]))
    for (const finding of await findings(watch, look, heartbeats)) {
      const heartbeat = heartbeats.get(finding.stage)
      const mark = heartbeat && (await settle(watch, heartbeat, finding))
      if (mark) marks.push(mark)
    }
  }
  if (marks.length > 0) await sql.saveMarks(db, marks)
}

async function findings(watch: Watch, look: sql.StoreLook, heartbeats: Map<Stage, sql.Heartbeat>) {
  return [
    syncFinding(watch, look),
    detectionFinding(watch, look),
    sendingFinding(watch, look, heartbeats.get('sending')),
    await captureFinding(watch, look, heartbeats.get('capture')),
    await reportsFinding(watch, look),
  ]
}

function syncFinding({ now }: Watch, look: sql.StoreLook): Finding {
  const evidence = {
    connectedAt: look.connected_at,
    completedAt: look.sync_completed_at,
    startedAt: look.sync_started_at,
    leaseUntil: look.sync_lease_until,
  }
  return {
    stage: 'sync',
    cause: rules.isSyncStopped(evidence, now) ? (look.sync_error_code ?? SYNC_NOT_BEGUN) : null,
    since: look.sync_completed_at ?? look.connected_at,
    waiting: 0,
    detail: look.sync_error_detail,
  }
}

function detectionFinding({ now }: Watch, { late_carts: waiting }: sql.StoreLook): Finding {
  return { stage: 'detection', cause: waiting > 0 ? 'late' : null, since: now, waiting, detail: null }
}

function sendingFinding({ now }: Watch, look: sql.StoreLook, heartbeat: sql.Heartbeat | undefined): Finding {
  const cause = rules.sendingCause({
    overdue: look.overdue,
    overdueBefore: heartbeat?.overdue ?? 0,
    claimed: look.claimed,
    retrying: look.retrying,
    lastTriedAt: look.last_tried_at,
    lastResponse: look.last_response,
    lastAcceptedAt: look.last_accepted_at,
  })
  return {
    stage: 'sending',
    cause,
    since: cause === 'rows' ? before(now, rules.SENDING_LIMIT_MS) : (heartbeat?.suspect_since ?? now),
    waiting: cause === 'mail_server' ? look.retrying : look.overdue,
    detail: cause === 'mail_server' ? look.last_response : null,
  }
}

async function captureFinding(
  watch: Watch,
  look: sql.StoreLook,
  heartbeat: sql.Heartbeat | undefined,
): Promise<Finding> {
  const { now } = watch
  const alive = { stage: 'capture', cause: null, since: now, waiting: 0, detail: null } as const
  // An offline shop has no shoppers; the sync stage reports it.
  if (look.sync_error_code && isShopDown(look.sync_error_code)) return { ...alive, excusedUntil: now }
  const { capture_seen_at: seenAt } = look
  if (!heartbeat?.rates || !seenAt) return alive
  const from = newest([seenAt, watch.watchingSince, heartbeat.excused_until])
  const offsetMs = rules.zoneOffsetMs(look.time_zone, now)
  const quietUntil = rules.quietUntil({ rates: heartbeat.rates, from, now, offsetMs })
  if (quietUntil > now) return { ...alive, quietUntil }
  const store = { storeId: look.store_id, db: watch.deps.db }
  const recent = await sql.readHours(store, 'capture', before(from, (rules.LEVEL_REACH_H + 1) * rules.HOUR_MS))
  const surprise = rules.captureSurprise({ rates: heartbeat.rates, from, now, offsetMs, recent })
  return surprise < rules.SURPRISE_LIMIT ? alive : { ...alive, cause: 'silence', since: from }
}

async function reportsFinding({ deps, now }: Watch, look: sql.StoreLook): Promise<Finding> {
  if (!look.lacks_reports) return { stage: 'reports', cause: null, since: now, waiting: 0, detail: null }
  const evidence = await sql.countReports({ storeId: look.store_id, db: deps.db }, limitsAt(now))
  const isStopped = rules.areReportsStopped(evidence)
  const since = evidence.newestAt ?? now
  return { stage: 'reports', cause: isStopped ? 'silence' : null, since, waiting: evidence.awaited, detail: null }
}

const newest = (instants: readonly (Date | null)[]) =>
  new Date(Math.max(...instants.map((each) => each?.getTime() ?? 0)))

/** Applies a finding to a stage. Returns the row to write, or null if nothing changed. */
async function settle(watch: Watch, heartbeat: sql.Heartbeat, finding: Finding): Promise<sql.Mark | null> {
  const { now, deps } = watch
  const store = { storeId: heartbeat.store_id, db: deps.db }
  const { stage, cause } = finding
  const overdue = stage === 'sending' ? finding.waiting : 0
  const suspectSince = cause === null ? null : earlier(heartbeat.suspect_since, now)
  if (cause === null && heartbeat.alarm_id) await resolve(deps, store, heartbeat, now)
  const isConfirmed = suspectSince !== null && now.getTime() - suspectSince.getTime() >= rules.confirmMs(cause!)
  if (isConfirmed && !heartbeat.alarm_id) await raise(deps, store, { ...finding, cause: cause! }, now)
  const excusedUntil = finding.excusedUntil ?? heartbeat.excused_until
  const quietUntil = finding.quietUntil ?? null
  const isSame =
    quietUntil?.getTime() === heartbeat.quiet_until?.getTime() &&
    suspectSince?.getTime() === heartbeat.suspect_since?.getTime() &&
    overdue === heartbeat.overdue &&
    excusedUntil?.getTime() === heartbeat.excused_until?.getTime()
  const { store_id } = heartbeat
  const mark = { store_id, stage, suspect_since: suspectSince, overdue }
  return isSame ? null : { ...mark, excused_until: excusedUntil, quiet_until: quietUntil }
}

/** Restarts a suspicion that lies in the future because the clock was set back. */
function earlier(suspectSince: Date | null, now: Date): Date {
  return suspectSince && suspectSince <= now ? suspectSince : now
}

async function raise(deps: Deps, store: StoreDb, finding: Finding & { cause: string }, now: Date): Promise<void> {
  const { stage, cause, since, waiting, detail } = finding
  const alarm = { id: newId(), stage, cause, now }
  const isNew = await transact(store, async (tx) => {
    if (!(await sql.insertAlarm(tx, alarm))) return false
    const data = { stage, cause, since: since.toISOString(), waiting, detail, alarmId: alarm.id }
    await notify(tx, { type: 'stage_failed', data, at: now })
    return true
  })
  if (isNew) deps.log.error({ storeId: store.storeId, stage, cause, since }, 'alarm.raised')
}

async function resolve(deps: Deps, store: StoreDb, heartbeat: sql.Heartbeat, now: Date): Promise<void> {
  const { stage, alarm_id: alarmId, raised_at: raisedAt } = heartbeat
  const isOurs = await transact(store, async (tx) => {
    if (!(await sql.resolveAlarm(tx, alarmId!, now))) return false
    const data = { stage, lastedMs: now.getTime() - raisedAt!.getTime(), alarmId: alarmId! }
    await notify(tx, { type: 'stage_resumed', data, at: now })
    return true
  })
  if (isOurs) deps.log.warn({ storeId: store.storeId, stage }, 'alarm.resolved')
}
