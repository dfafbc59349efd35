import { STAGES, type Stage, SYNC_NOT_BEGUN } from '../../../shared/insights/stages.ts'
import { notify } from '../../access/notifications/public.ts'
import { isShopDown } from '../../access/stores/public.ts'
import { createId } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import { openGuardedHttp } from '../../core/net/public.ts'
import type { Deps } from '../../deps.ts'
import { isAccepted, isClaimed, isDelivered, isHeld, isOpen, isSending } from '../../messages/messages/public.ts'
import * as rules from './rules.ts'
import { type HourCount, MIN_AWAITED } from './rules.ts'

// Alarms for stages that stopped silently. Each stage of each store is alive, suspected (it looks stopped in one check)
// or stopped (an open incident, reported once, resolved automatically). One process checks once a minute.

/** Rates change slowly; a hundred stores a minute are recomputed. */
const RATES_EVERY_MS = 6 * rules.HOUR_MS
const RATES_PER_TICK = 100
const KEEP_HOURS_MS = 35 * 86_400_000

/** Tick: checks all stages. Throws if the database is unreachable; then the missing ping raises the alarm. */
export async function watchStages(deps: Deps): Promise<void> {
  const now = deps.now()
  const watchingSince = await claimTick(deps.db, now, subtractMs(now, rules.WATCH_GAP_MS))
  if (!watchingSince) return
  await watchStores(deps.db, STAGES, now)
  await countCaptures(deps.db, now)
  await refreshRates(deps, now)
  if (now.getTime() - watchingSince.getTime() >= rules.SETTLE_MS) await evaluateStores({ deps, now, watchingSince })
  await closeOrphanedAlarms(deps.db, now)
  await forgetHours(deps.db, subtractMs(now, KEEP_HOURS_MS))
  const open = await openAlarms(deps.db)
  await ping(deps, rules.isOperatorsConcern(open, await countWatched(deps.db)) ? 'fail' : 'well')
}

/** For `/readyz`: stopped stages with their times, and whether the watch itself runs. Names no store. */
export async function listAlarms(deps: Pick<Deps, 'db' | 'now'>): Promise<{ stage: string; since: string }[]> {
  const open = await openAlarms(deps.db)
  const looked = await readLastTick(deps.db)
  const isBlind = looked !== null && Math.abs(deps.now().getTime() - looked.getTime()) > rules.WATCH_GAP_MS
  return [
    ...open.map(({ stage, since }) => ({ stage, since: since.toISOString() })),
    ...(isBlind ? [{ stage: 'watch', since: looked.toISOString() }] : []),
  ]
}

const subtractMs = (instant: Date, ms: number) => new Date(instant.getTime() - ms)

function limitsAt(now: Date): Limits {
  return {
    now,
    sync: subtractMs(now, rules.SYNC_LIMIT_MS),
    detection: subtractMs(now, rules.DETECTION_LIMIT_MS),
    sending: subtractMs(now, rules.SENDING_LIMIT_MS),
    reports: subtractMs(now, rules.REPORT_LIMIT_MS),
    history: subtractMs(now, rules.HISTORY_DAYS * 86_400_000),
  }
}

async function refreshRates(deps: Pick<Deps, 'db'>, now: Date): Promise<void> {
  const fresh: [Date, Date] = [subtractMs(now, RATES_EVERY_MS), new Date(now.getTime() + RATES_EVERY_MS)]
  for (const each of await staleRates(deps.db, fresh, RATES_PER_TICK)) {
    const store = { storeId: each.store_id, db: deps.db }
    const hours = await readHours(store, 'capture', subtractMs(now, rules.HISTORY_DAYS * 86_400_000))
    const past = { since: each.watched_since, until: now, zone: each.time_zone }
    await saveRates(store, 'capture', rules.computeExpectedRates(hours, past), now)
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
  const checks = await listStoresToCheck(db, limitsAt(watch.now))
  const known = await readHeartbeats(
    db,
    checks.map((check) => check.store_id),
  )
  const byStore = Map.groupBy(known, (each) => each.store_id)
  const marks: Mark[] = []
  for (const check of checks) {
    const heartbeats = new Map((byStore.get(check.store_id) ?? []).map((each) => [each.stage, each]))
    for (const finding of await findings(watch, check, heartbeats)) {
      const heartbeat = heartbeats.get(finding.stage)
      const mark = heartbeat && (await settle(watch, heartbeat, finding))
      if (mark) marks.push(mark)
    }
  }
  if (marks.length > 0) await saveMarks(db, marks)
}

async function findings(watch: Watch, check: StoreCheck, heartbeats: Map<Stage, Heartbeat>) {
  return [
    syncFinding(watch, check),
    detectionFinding(watch, check),
    sendingFinding(watch, check, heartbeats.get('sending')),
    await captureFinding(watch, check, heartbeats.get('capture')),
    await reportsFinding(watch, check),
  ]
}

function syncFinding({ now }: Watch, check: StoreCheck): Finding {
  const evidence = {
    connectedAt: check.connected_at,
    completedAt: check.sync_completed_at,
    startedAt: check.sync_started_at,
    leaseUntil: check.sync_lease_until,
  }
  return {
    stage: 'sync',
    cause: rules.isSyncStopped(evidence, now) ? (check.sync_error_code ?? SYNC_NOT_BEGUN) : null,
    since: check.sync_completed_at ?? check.connected_at,
    waiting: 0,
    detail: check.sync_error_detail,
  }
}

function detectionFinding({ now }: Watch, { late_carts: waiting }: StoreCheck): Finding {
  return { stage: 'detection', cause: waiting > 0 ? 'late' : null, since: now, waiting, detail: null }
}

function sendingFinding({ now }: Watch, check: StoreCheck, heartbeat: Heartbeat | undefined): Finding {
  const cause = rules.findSendingCause({
    overdue: check.overdue,
    overdueBefore: heartbeat?.overdue ?? 0,
    claimed: check.claimed,
    retrying: check.retrying,
    lastTriedAt: check.last_tried_at,
    lastResponse: check.last_response,
    lastAcceptedAt: check.last_accepted_at,
  })
  return {
    stage: 'sending',
    cause,
    since: cause === 'rows' ? subtractMs(now, rules.SENDING_LIMIT_MS) : (heartbeat?.suspect_since ?? now),
    waiting: cause === 'mail_server' ? check.retrying : check.overdue,
    detail: cause === 'mail_server' ? check.last_response : null,
  }
}

async function captureFinding(watch: Watch, check: StoreCheck, heartbeat: Heartbeat | undefined): Promise<Finding> {
  const { now } = watch
  const alive = { stage: 'capture', cause: null, since: now, waiting: 0, detail: null } as const
  // An offline shop has no shoppers; the sync stage reports it.
  if (check.sync_error_code && isShopDown(check.sync_error_code)) return { ...alive, excusedUntil: now }
  const { capture_seen_at: seenAt } = check
  if (!heartbeat?.rates || !seenAt) return alive
  const from = pickNewest([seenAt, watch.watchingSince, heartbeat.excused_until])
  const offsetMs = rules.getZoneOffsetMs(check.time_zone, now)
  const quietUntil = rules.findQuietEnd({ rates: heartbeat.rates, from, now, offsetMs })
  if (quietUntil > now) return { ...alive, quietUntil }
  const store = { storeId: check.store_id, db: watch.deps.db }
  const recent = await readHours(store, 'capture', subtractMs(from, (rules.LEVEL_REACH_H + 1) * rules.HOUR_MS))
  const surprise = rules.captureSurprise({ rates: heartbeat.rates, from, now, offsetMs, recent })
  return surprise < rules.SURPRISE_LIMIT ? alive : { ...alive, cause: 'silence', since: from }
}

async function reportsFinding({ deps, now }: Watch, check: StoreCheck): Promise<Finding> {
  if (!check.lacks_reports) return { stage: 'reports', cause: null, since: now, waiting: 0, detail: null }
  const evidence = await countReports({ storeId: check.store_id, db: deps.db }, limitsAt(now))
  const isStopped = rules.areReportsStopped(evidence)
  const since = evidence.newestAt ?? now
  return { stage: 'reports', cause: isStopped ? 'silence' : null, since, waiting: evidence.awaited, detail: null }
}

const pickNewest = (instants: readonly (Date | null)[]) =>
  new Date(Math.max(...instants.map((each) => each?.getTime() ?? 0)))

/** Applies a finding to a stage. Returns the row to write, or null if nothing changed. */
async function settle(watch: Watch, heartbeat: Heartbeat, finding: Finding): Promise<Mark | null> {
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

async function raise(
  deps: Pick<Deps, 'log'>,
  store: StoreDb,
  finding: Finding & { cause: string },
  now: Date,
): Promise<void> {
  const { stage, cause, since, waiting, detail } = finding
  const alarm = { id: createId(), stage, cause, now }
  const isNew = await transact(store, async (tx) => {
    if (!(await insertAlarm(tx, alarm))) return false
    const data = { stage, cause, since: since.toISOString(), waiting, detail, alarmId: alarm.id }
    await notify(tx, { type: 'stage_failed', data, at: now })
    return true
  })
  if (isNew) deps.log.error({ storeId: store.storeId, stage, cause, since }, 'alarm.raised')
}

async function resolve(deps: Pick<Deps, 'log'>, store: StoreDb, heartbeat: Heartbeat, now: Date): Promise<void> {
  const { stage, alarm_id: alarmId, raised_at: raisedAt } = heartbeat
  const isOurs = await transact(store, async (tx) => {
    if (!(await resolveAlarm(tx, alarmId!, now))) return false
    const data = { stage, lastedMs: now.getTime() - raisedAt!.getTime(), alarmId: alarmId! }
    await notify(tx, { type: 'stage_resumed', data, at: now })
    return true
  })
  if (isOurs) deps.log.warn({ storeId: store.storeId, stage }, 'alarm.resolved')
}

// Pings an external monitor (dead man's switch), which raises the alarm if pings stop. Sends no store data.

const LIMIT_MS = 10_000

/** Never throws: an unreachable monitor notices the missing ping itself. */
async function ping(deps: Pick<Deps, 'config' | 'log'>, state: 'well' | 'fail'): Promise<void> {
  const { alarmPingUrl } = deps.config
  if (!alarmPingUrl) return
  const url = pingUrl(alarmPingUrl, state)
  // The URL is the operator's setting, so a private address is allowed.
  const http = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: LIMIT_MS, maxBytes: 100_000 })
  try {
    const { status } = await http.fetch(url, { timeoutMs: LIMIT_MS })
    if (status >= 400) deps.log.warn({ status }, 'alarm.ping_refused')
  } catch (error) {
    deps.log.warn({ problem: String(error) }, 'alarm.ping_failed')
  } finally {
    await http.close()
  }
}

/** Appends `/fail` to the path and keeps the query. */
function pingUrl(setting: string, state: 'well' | 'fail'): string {
  const url = new URL(setting)
  if (state === 'fail') url.pathname = `${url.pathname.replace(/\/$/, '')}/fail`
  return url.href
}

// SQL of the silent-stop alarm. Checks read all stores; writes are per store.

/** Takes the check of this minute; null: another process has it. A gap or a clock set back (T4) restarts the watch. */
async function claimTick(db: Db, now: Date, gap: Date): Promise<Date | null> {
  const rows = await sql<{ watching_since: Date }>`
    insert into alarm_watch as w (ticked_at, watching_since) values (${now}, ${now})
    on conflict (is_only) do update set ticked_at = excluded.ticked_at,
      watching_since = case when w.ticked_at between ${gap} and ${now} then w.watching_since else ${now}::timestamptz end
    where w.ticked_at <= ${now}::timestamptz - interval '30 seconds' or w.ticked_at > ${now}
    returning watching_since`.execute(db)
  return rows.rows[0]?.watching_since ?? null
}

interface Limits {
  now: Date
  sync: Date
  detection: Date
  sending: Date
  reports: Date
  history: Date
}

interface StoreCheck {
  store_id: string
  time_zone: string
  connected_at: Date
  capture_seen_at: Date | null
  sync_completed_at: Date | null
  sync_started_at: Date | null
  sync_lease_until: Date | null
  sync_error_code: string | null
  sync_error_detail: string | null
  late_carts: number
  overdue: number
  claimed: number
  retrying: number
  last_tried_at: Date | null
  last_response: string | null
  last_accepted_at: Date | null
  /** None of the newest messages on channels with delivery reports has a report. */
  lacks_reports: boolean
}

/** LONGEST_QUIET_MS of rules.ts plus a minute. A time further ahead was written before the clock was set back. */
const LONGEST_QUIET = sql`interval '61 minutes'`

/**
 * Lists connected stores with a stage that looks stopped now or did at the last check. Carts and rows just created (an
 * import brings old ones) do not count as late.
 */
export async function listStoresToCheck(db: Db, limits: Limits): Promise<StoreCheck[]> {
  const { now, sync, detection, sending, reports, history } = limits
  const rows = await sql<StoreCheck>`
    with late as (
      select store_id, count(*)::int as carts from carts
      where status = 'active' and abandon_at <= ${detection} and created_at <= ${detection} group by store_id),
    suspects as (
      select store_id from heartbeats where suspect_since is not null or overdue > 0
        or (stage = 'capture' and rates is not null and coalesce(quiet_until not between ${now} and ${now}::timestamptz + ${LONGEST_QUIET}, true))
      union select store_id from alarms where resolved_at is null)
    select s.id as store_id, s.time_zone, s.connected_at, s.capture_seen_at,
      y.completed_at as sync_completed_at, y.started_at as sync_started_at, y.lease_until as sync_lease_until,
      y.error_code as sync_error_code, y.error_detail as sync_error_detail, coalesce(late.carts, 0) as late_carts,
      due.overdue, due.claimed, put_off.retrying, put_off.last_tried_at, put_off.last_response, last_send.last_accepted_at,
      coalesce(awaited.lacks_reports, false) as lacks_reports
    from stores s
    left join sync_state y on y.store_id = s.id and y.stream = 'sweep'
    left join late on late.store_id = s.id
    cross join lateral (
      select count(*) filter (where m.wake_at <= ${sending} and m.created_at <= ${sending})::int as overdue,
        count(*) filter (where ${isClaimed('m')} and m.wake_at > ${now})::int as claimed
      from messages m where m.store_id = s.id and ${isOpen('m')}
        and m.wake_at <= ${now}::timestamptz + interval '2 minutes') due
    cross join lateral (
      select count(*)::int as retrying, max(m.decided_at) as last_tried_at,
        (array_agg(m.provider_response order by m.decided_at desc))[1] as last_response
      from messages m where m.store_id = s.id and m.provider_response is not null
        and ((${isHeld('m')} and m.reason = 'retry') or ${isClaimed('m')} or ${isSending('m')})) put_off
    left join lateral (
      select m.sending_at as last_accepted_at from messages m
      where m.store_id = s.id and m.sending_at is not null and not ${isSending('m')}
      order by m.sending_at desc limit 1) last_send on true
    cross join lateral (
      select count(*) = ${MIN_AWAITED} and not bool_or(newest.is_reported) as lacks_reports from (
        select ${isDelivered('m')} as is_reported from messages m
        where m.store_id = s.id and m.channel <> 'email' and m.sending_at between ${history} and ${reports} and ${isAccepted('m')}
        order by m.sending_at desc limit ${MIN_AWAITED}) newest) awaited
    where s.is_active and (s.id in (select store_id from suspects) or late.carts > 0 or due.overdue > 0 or put_off.retrying > 0
      or awaited.lacks_reports or y.error_code is not null
      or not (s.connected_at between ${sync} and ${now} or coalesce(y.completed_at between ${sync} and ${now}, false)))`.execute(
    db,
  )
  return rows.rows
}

async function countWatched(db: Db): Promise<number> {
  const rows = await sql<{ stores: number }>`select count(*)::int as stores from stores where is_active`.execute(db)
  return rows.rows[0]!.stores
}

interface Heartbeat {
  store_id: string
  stage: Stage
  suspect_since: Date | null
  overdue: number
  excused_until: Date | null
  rates: number[] | null
  quiet_until: Date | null
  /** Id of the open incident. */
  alarm_id: string | null
  cause: string | null
  raised_at: Date | null
}

async function readHeartbeats(db: Db, storeIds: readonly string[]): Promise<Heartbeat[]> {
  const rows = await sql<Heartbeat>`
    select h.store_id, h.stage, h.suspect_since, h.overdue, h.excused_until, h.rates, h.quiet_until,
      a.id as alarm_id, a.cause, a.raised_at
    from heartbeats h
    left join alarms a on a.store_id = h.store_id and a.stage = h.stage and a.resolved_at is null
    where h.store_id = any(${[...storeIds]}::uuid[])`.execute(db)
  return rows.rows
}

interface StaleRates {
  store_id: string
  time_zone: string
  watched_since: Date
}

/** Lists stores with an active script whose rates were not computed between these two times. */
async function staleRates(db: Db, [since, until]: [Date, Date], limit: number): Promise<StaleRates[]> {
  const rows = await sql<StaleRates>`
    select h.store_id, s.time_zone, h.watched_since from heartbeats h join stores s on s.id = h.store_id and s.is_active
    where h.stage = 'capture' and h.seen_at is not null and coalesce(h.rated_at not between ${since} and ${until}, true)
    limit ${limit}`.execute(db)
  return rows.rows
}

/** Inserts the rows of stores that are new to the watch. */
async function watchStores(db: Db, stages: readonly Stage[], now: Date): Promise<void> {
  await sql`insert into heartbeats (store_id, stage, watched_since)
    select s.id, stage, ${now} from stores s cross join unnest(${[...stages]}::text[]) as stage where s.is_active
    on conflict do nothing`.execute(db)
}

interface Mark {
  store_id: string
  stage: Stage
  suspect_since: Date | null
  overdue: number
  excused_until: Date | null
  quiet_until: Date | null
}

/** Writes all changed rows of a check. */
async function saveMarks(db: Db, marks: readonly Mark[]): Promise<void> {
  await sql`update heartbeats h set suspect_since = m.suspect_since, overdue = m.overdue, excused_until = m.excused_until,
      quiet_until = m.quiet_until
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb)
      as m(store_id uuid, stage text, suspect_since timestamptz, overdue int, excused_until timestamptz, quiet_until timestamptz)
    where h.store_id = m.store_id and h.stage = m.stage`.execute(db)
}

/** Counts an active minute for every store whose script reported since the last check. */
async function countCaptures(db: Db, now: Date): Promise<void> {
  await sql`
    with heard as (
      update heartbeats h set seen_at = s.capture_seen_at from stores s
      where h.stage = 'capture' and s.id = h.store_id and s.capture_seen_at is not null
        and h.seen_at is distinct from s.capture_seen_at and s.capture_seen_at <= ${now}
      returning h.store_id, h.seen_at)
    insert into heartbeat_hours as k (store_id, stage, hour, minutes)
    select store_id, 'capture', date_trunc('hour', seen_at, 'UTC'), 1 from heard
    on conflict (store_id, stage, hour) do update set minutes = least(k.minutes + 1, 60)`.execute(db)
}

async function readHours({ db, storeId }: StoreDb, stage: Stage, since: Date): Promise<HourCount[]> {
  return db
    .selectFrom('heartbeat_hours')
    .select(['hour', 'minutes'])
    .where('store_id', '=', storeId)
    .where('stage', '=', stage)
    .where('hour', '>=', since)
    .execute()
}

async function saveRates({ db, storeId }: StoreDb, stage: Stage, rates: number[] | null, now: Date) {
  await sql`update heartbeats set rates = ${rates}::real[], rated_at = ${now}, quiet_until = null
    where store_id = ${storeId} and stage = ${stage}`.execute(db)
}

async function forgetHours(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('heartbeat_hours').where('hour', '<', before).execute()
}

/** Counts messages of channels with delivery reports; SMTP has none. */
async function countReports({ db, storeId }: StoreDb, { reports, history }: Limits) {
  const rows = await sql<{ sent: number; reported: number; awaited: number; newest_at: Date | null }>`
    with told as (
      select m.sending_at, ${isDelivered('m')} as is_reported from messages m
      where m.store_id = ${storeId} and m.sending_at between ${history} and ${reports} and m.channel <> 'email'
        and ${isAccepted('m')}),
    newest as (select max(sending_at) filter (where is_reported) as at from told)
    select count(*)::int as sent, count(*) filter (where is_reported)::int as reported,
      count(*) filter (where not is_reported and sending_at > newest.at)::int as awaited,
      min(newest.at) as newest_at
    from told cross join newest`.execute(db)
  const { sent, reported, awaited, newest_at: newestAt } = rows.rows[0]!
  return { sent, reported, awaited, newestAt }
}

/** Returns false if the incident is already open. */
async function insertAlarm(
  { db, storeId }: StoreTx,
  alarm: { id: string; stage: Stage; cause: string; now: Date },
): Promise<boolean> {
  const rows = await sql`insert into alarms (store_id, id, stage, cause, raised_at)
    values (${storeId}, ${alarm.id}, ${alarm.stage}, ${alarm.cause}, ${alarm.now})
    on conflict (store_id, stage) where resolved_at is null do nothing returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Returns false if it was already resolved. */
async function resolveAlarm({ db, storeId }: StoreTx, id: string, now: Date): Promise<boolean> {
  const rows = await sql`update alarms set resolved_at = ${now}
    where store_id = ${storeId} and id = ${id} and resolved_at is null returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Closes the incidents of disconnected stores. */
async function closeOrphanedAlarms(db: Db, now: Date): Promise<void> {
  await sql`update alarms a set resolved_at = ${now} from stores s
    where a.resolved_at is null and s.id = a.store_id and not s.is_active`.execute(db)
}

/** Open incidents by stage, for `/readyz` and the ping. Names no store. */
async function openAlarms(db: Db): Promise<{ stage: Stage; since: Date; stores: number }[]> {
  const rows = await sql<{ stage: Stage; since: Date; stores: number }>`
    select a.stage, min(a.raised_at) as since, count(*)::int as stores from alarms a
    where a.resolved_at is null group by a.stage order by a.stage`.execute(db)
  return rows.rows
}

async function readLastTick(db: Db): Promise<Date | null> {
  const row = await db.selectFrom('alarm_watch').select('ticked_at').executeTakeFirst()
  return row?.ticked_at ?? null
}
