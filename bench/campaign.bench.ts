import { setTimeout as sleep } from 'node:timers/promises'
import { auditCampaign } from './campaign-audit.ts'
import { measurePlanning } from './campaign-planning.ts'
import { CampaignScene, POOL } from './campaign-scene.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { computeMedian, computePercentile, readResidentMb } from './measure.ts'
import { sendBare } from './send.bench.ts'

// Method: a started product with a store of 100,000 abandoned carts runs two campaigns to all of them. The first is
// scheduled and cancelled after planning. The second starts by Send Now and runs to the last email: its process is
// killed during planning and again at 60 %, and restarted each time; at 30 % the campaign is paused and resumed.
// Meanwhile single reminders of other stores become due. A mail server records recipients and times, which are compared
// with the rows at the end. The ceiling of planning is one bare INSERT … SELECT of as many rows; that of sending is
// nodemailer's pool with as many connections and the same emails.

const KILLS = 2
const PAUSED_MS = 12_000
/** Maximum time after pausing or cancelling in which emails may still arrive (D5). */
const STOPS_WITHIN_S = 1
const WATCHED_MS = 5_000

export const bench: Bench = { name: 'campaign', run }

async function run(lab: Lab): Promise<Figure[]> {
  const alone = await measurePlanning(lab)
  const scene = await CampaignScene.open(lab)
  try {
    const atItsTime = await runScheduled(scene)
    return [...alone, ...atItsTime, ...(await runWithKills(scene))]
  } finally {
    await scene.close()
  }
}

/** Runs a scheduled campaign without disturbances and cancels it when all rows are planned. */
async function runScheduled(scene: CampaignScene): Promise<Figure[]> {
  const instant = nextMinute()
  const id = await scene.create('At its time', ...toStoreTime(instant))
  scene.lab.say('waiting for the next full minute, at which it runs')
  await sleep(instant - Date.now())
  const resident: number[] = []
  await scene.until('planning', async () => {
    const { cursor, isPlanned } = await scene.progressOf(id)
    if (cursor) resident.push(readResidentMb(scene.worker.pid))
    return isPlanned || cursor
  })
  const firstAt = await firstArrival(scene)
  const { plannedAt } = await scene.progressOf(id)
  const early = resident[Math.floor(resident.length / 10)]!
  const cancelled = await measureStop(scene, 'Cancel', () => scene.ask('PUT', `/${id}`, { status: 'cancelled' }))
  await scene.until('the closing of its rows', async () => {
    const { counts } = await scene.countedUp(id)
    return counts.waiting + counts.held + counts.inFlight === 0 || counts.waiting
  })
  return [
    buildFirstMailFigure('a run’s instant', instant, firstAt),
    {
      name: 'all rows planned, mail leaving meanwhile',
      value: (plannedAt! - instant) / 1_000,
      unit: 's',
      goal: { below: 60 },
      note: `the process’s resident memory ${early.toFixed(0)} MB at a tenth, ${resident.at(-1)!.toFixed(0)} at the end`,
    },
    cancelled,
  ]
}

/** Runs a campaign by Send Now to the last email, with kills. */
async function runWithKills(scene: CampaignScene): Promise<Figure[]> {
  const { lab, total } = scene
  await scene.arrivals({ forget: true })
  const id = await scene.create('Now', ...toStoreTime(Date.now() + 86_400_000))
  const begunAt = Date.now()
  await scene.ask('POST', `/${id}/send-now`)
  const firstAt = await killWhilePlanning(scene, id)
  await scene.remind()
  await scene.until('planning', async () => {
    const { isPlanned, cursor } = await scene.progressOf(id)
    return isPlanned || cursor
  })
  const { plannedAt } = await scene.progressOf(id)
  for (const share of [0.1, 0.2]) {
    await waitForShare(scene, share)
    await scene.remind()
  }
  await waitForShare(scene, 0.3)
  await scene.countedUp(id)
  const paused = await pauseAndResume(scene, id)
  const rate = await rateBetween(scene, 0.35, 0.6)
  lab.say(`killing the process at ${await countArrived(scene)} mails`)
  await scene.worker.kill()
  await scene.startWorker()
  await scene.remind()
  await waitForShare(scene, 0.8)
  await scene.remind()
  await scene.until('the end', async () => {
    const { status, counts } = await scene.countedUp(id)
    return status === 'sent' || counts.waiting + counts.held + counts.inFlight
  })
  const { lastAt } = await scene.arrivals()
  const minutes = (lastAt! - begunAt) / 60_000
  const audit = await auditCampaign(scene, id, KILLS)
  return [
    ...(firstAt === null ? [] : [buildFirstMailFigure('Send Now', begunAt, firstAt)]),
    {
      name: 'all rows planned, the process killed meanwhile',
      value: (plannedAt! - begunAt) / 1_000,
      unit: 's',
      goal: { below: 60 },
    },
    ...paused,
    buildLatenessFigure(await scene.lateness()),
    ...audit,
    {
      name: `mails of a campaign, pool of ${POOL}`,
      value: rate,
      unit: '/s',
      ceiling: { name: 'bare pooled nodemailer', value: await measureCeiling(scene) },
      note: `${total.toLocaleString('en-US')} in ${minutes.toFixed(1)} minutes with pause and kills`,
    },
  ]
}

/**
 * Kills after a fifth of the rows and the first email, or after three fifths. Returns the first email's time; null:
 * none before the kill.
 */
async function killWhilePlanning(scene: CampaignScene, id: string): Promise<number | null> {
  const pages = Math.max(1, scene.total / 1_000)
  const progress = new Set<string>()
  let firstAt: number | null = null
  await scene.until(
    'the first pages',
    async () => {
      const { cursor, isPlanned } = await scene.progressOf(id)
      if (isPlanned) throw new Error('planning was over before the process could be killed: run it at a larger scale')
      if (cursor) progress.add(cursor)
      firstAt ??= (await scene.arrivals()).firstAt
      return (progress.size >= pages * 0.2 && firstAt !== null) || progress.size >= pages * 0.6 || progress.size
    },
    { everyMs: 2 },
  )
  await scene.worker.kill()
  const { campaign } = await scene.ask('GET', `/${id}`)
  const { isPlanned } = await scene.progressOf(id)
  if (isPlanned) throw new Error('planning was over before the process was killed: run it at a larger scale')
  scene.lab.say(`killed the process while it planned, at ${campaign.counts.planned} of ${scene.total} rows`)
  await scene.startWorker()
  return firstAt
}

/** Other stores' reminders continue during the pause. */
async function pauseAndResume(scene: CampaignScene, id: string): Promise<Figure[]> {
  const before = performance.now()
  const pause = measureStop(scene, 'Pause', () => scene.ask('PATCH', `/${id}/pause`))
  await scene.remind()
  const figure = await pause
  await sleep(Math.max(0, PAUSED_MS - (performance.now() - before)))
  const { held } = (await scene.countedUp(id)).counts
  const atStart = await countArrived(scene)
  const begunAt = Date.now()
  await scene.ask('PATCH', `/${id}/play`)
  const answeredMs = Date.now() - begunAt
  await scene.remind()
  await scene.until('going on', async () => (await countArrived(scene)) > atStart)
  const goesOnMs = Date.now() - begunAt
  const note = `the call took ${(answeredMs / 1_000).toFixed(2)} s with ${held.toLocaleString('en-US')} held`
  return [figure, { name: 'first mail after Resume', value: goesOnMs / 1_000, unit: 's', goal: { below: 5 }, note }]
}

/** Time from the response to the last email. */
async function measureStop(scene: CampaignScene, what: string, work: () => Promise<unknown>): Promise<Figure> {
  const begunAt = Date.now()
  await work()
  const answeredAt = Date.now()
  const { mails: before } = await scene.arrivals()
  await sleep(WATCHED_MS)
  const { mails, lastAt } = await scene.arrivals()
  return {
    name: `last mail after ${what} was answered`,
    value: Math.max(0, (lastAt ?? 0) - answeredAt) / 1_000,
    unit: 's',
    goal: { below: STOPS_WITHIN_S },
    note: `${mails - before} of ${mails} came after it; the call took ${((answeredAt - begunAt) / 1_000).toFixed(2)} s`,
  }
}

const buildFirstMailFigure = (what: string, from: number, at: number): Figure => ({
  name: `first mail after ${what}`,
  value: (at - from) / 1_000,
  unit: 's',
  goal: { below: 5 },
})

const buildLatenessFigure = (late: readonly number[]): Figure => ({
  name: 'lateness of other stores’ single reminders (D8), longest',
  value: Math.max(...late),
  unit: 's',
  goal: { below: 5 },
  note: `${late.length} of them, p50 ${computePercentile(late, 0.5).toFixed(2)} s`,
})

const countArrived = async (scene: CampaignScene): Promise<number> => (await scene.arrivals()).mails

async function firstArrival(scene: CampaignScene): Promise<number> {
  await scene.until('the first mail', async () => (await scene.arrivals()).firstAt !== null)
  return (await scene.arrivals()).firstAt!
}

const waitForShare = (scene: CampaignScene, share: number) =>
  scene.until(`sending ${share}`, async () => {
    const mails = await countArrived(scene)
    return mails >= scene.total * share || mails
  })

/** Emails per second. */
async function rateBetween(scene: CampaignScene, from: number, to: number): Promise<number> {
  await waitForShare(scene, from)
  const [first, at] = [await countArrived(scene), performance.now()]
  await waitForShare(scene, (from + to) / 2)
  await scene.remind()
  await waitForShare(scene, to)
  return ((await countArrived(scene)) - first) / ((performance.now() - at) / 1_000)
}

/** Measured without other load. */
async function measureCeiling({ lab, instance, sink, store, worker }: CampaignScene): Promise<number> {
  await worker.stop()
  const rates: number[] = []
  for (let round = 0; round < 3; round++) {
    rates.push(await sendBare(instance, sink, { storeId: store.storeId, pool: POOL, most: lab.sized(2_000) }))
  }
  return computeMedian(rates)
}

/** The next full minute with enough time for planning. */
const nextMinute = (): number => Math.ceil((Date.now() + 3_000) / 60_000) * 60_000

/** Day and time in the store's time zone. */
function toStoreTime(at: number): [startDate: string, timeOfDay: string] {
  const { year, month, day, hour, minute } =
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('America/New_York')
  const padTwo = (part: number) => String(part).padStart(2, '0')
  return [`${year}-${padTwo(month)}-${padTwo(day)}`, `${padTwo(hour)}:${padTwo(minute)}`]
}
