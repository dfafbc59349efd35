import { setTimeout as sleep } from 'node:timers/promises'
import { audited } from './campaign-audit.ts'
import { planningAlone } from './campaign-planning.ts'
import { CampaignScene, POOL } from './campaign-scene.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { median, percentile, residentMb } from './measure.ts'
import { sendBare } from './send.bench.ts'

// Method: a store of 100,000 left carts in a started product, which goes through a campaign to all of them twice. First at a run's instant, to
// the end of planning; it is cancelled then. Then by Send Now, to the last mail: the sending process is killed while it plans and again at
// 60 %, and started anew each time; at 30 % the campaign is paused and resumed. Meanwhile single reminders of other stores fall due. A mail
// server of our own keeps who got how many mails and when, and in the end it is compared with the rows. Planning has one bare
// INSERT … SELECT of as many rows as its ceiling, sending nodemailer's own pool of as many connections with the very mails that were sent.

const KILLS = 2
const PAUSED_MS = 12_000
/** Nothing of a campaign may arrive later than this after it was paused or cancelled (D5). */
const STOPS_WITHIN_S = 1
const WATCHED_MS = 5_000

export const bench: Bench = { name: 'campaign', run }

async function run(lab: Lab): Promise<Figure[]> {
  const alone = await planningAlone(lab)
  const scene = await CampaignScene.open(lab)
  try {
    const atItsTime = await runAtItsTime(scene)
    return [...alone, ...atItsTime, ...(await runWithKills(scene))]
  } finally {
    await scene.close()
  }
}

/** By schedule and undisturbed; cancelled when all its rows are made. */
async function runAtItsTime(scene: CampaignScene): Promise<Figure[]> {
  const instant = nextMinute()
  const id = await scene.create('At its time', ...inStore(instant))
  scene.lab.say('waiting for the next full minute, at which it runs')
  await sleep(instant - Date.now())
  const resident: number[] = []
  await scene.until('planning', async () => {
    const { cursor, isPlanned } = await scene.progressOf(id)
    if (cursor) resident.push(residentMb(scene.worker.pid))
    return isPlanned || cursor
  })
  const firstAt = await firstArrival(scene)
  const { plannedAt } = await scene.progressOf(id)
  const early = resident[Math.floor(resident.length / 10)]!
  const cancelled = await stopped(scene, 'Cancel', () => scene.ask('PUT', `/${id}`, { status: 'cancelled' }))
  await scene.until('the closing of its rows', async () => {
    const { counts } = await scene.countedUp(id)
    return counts.waiting + counts.held + counts.inFlight === 0 || counts.waiting
  })
  return [
    firstMail('a run’s instant', instant, firstAt),
    {
      ...{ name: 'all rows planned, mail leaving meanwhile', value: (plannedAt! - instant) / 1_000, unit: 's' },
      goal: { below: 60 },
      note: `the process’s resident memory ${early.toFixed(0)} MB at a tenth, ${resident.at(-1)!.toFixed(0)} at the end`,
    },
    cancelled,
  ]
}

/** By Send Now, to the last mail. */
async function runWithKills(scene: CampaignScene): Promise<Figure[]> {
  const { lab, total } = scene
  await scene.arrivals({ forget: true })
  const id = await scene.create('Now', ...inStore(Date.now() + 86_400_000))
  const begunAt = Date.now()
  await scene.ask('POST', `/${id}/send-now`)
  const firstAt = await killedWhilePlanning(scene, id)
  await scene.remind()
  await scene.until('planning', async () => {
    const { isPlanned, cursor } = await scene.progressOf(id)
    return isPlanned || cursor
  })
  const { plannedAt } = await scene.progressOf(id)
  for (const share of [0.1, 0.2]) {
    await sent(scene, share)
    await scene.remind()
  }
  await sent(scene, 0.3)
  await scene.countedUp(id)
  const paused = await pausedAndResumed(scene, id)
  const rate = await rateBetween(scene, 0.35, 0.6)
  lab.say(`killing the process at ${await arrivedOf(scene)} mails`)
  await scene.worker.kill()
  await scene.startWorker()
  await scene.remind()
  await sent(scene, 0.8)
  await scene.remind()
  await scene.until('the end', async () => {
    const { status, counts } = await scene.countedUp(id)
    return status === 'sent' || counts.waiting + counts.held + counts.inFlight
  })
  const { lastAt } = await scene.arrivals()
  const minutes = (lastAt! - begunAt) / 60_000
  const audit = await audited(scene, id, KILLS)
  return [
    ...(firstAt === null ? [] : [firstMail('Send Now', begunAt, firstAt)]),
    {
      ...{ name: 'all rows planned, the process killed meanwhile', value: (plannedAt! - begunAt) / 1_000, unit: 's' },
      goal: { below: 60 },
    },
    ...paused,
    lateness(await scene.lateness()),
    ...audit,
    {
      ...{ name: `mails of a campaign, pool of ${POOL}`, value: rate, unit: '/s' },
      ceiling: { name: 'bare pooled nodemailer', value: await bareRate(scene) },
      note: `${total.toLocaleString('en-US')} in ${minutes.toFixed(1)} minutes with pause and kills`,
    },
  ]
}

/** After a fifth of the rows and the first mail, or after three fifths. Answers when the first mail arrived; null: not before the kill. */
async function killedWhilePlanning(scene: CampaignScene, id: string): Promise<number | null> {
  const pages = Math.max(1, scene.total / 1_000)
  const seen = new Set<string>()
  let firstAt: number | null = null
  await scene.until(
    'the first pages',
    async () => {
      const { cursor, isPlanned } = await scene.progressOf(id)
      if (isPlanned) throw new Error('planning was over before the process could be killed: run it at a larger scale')
      if (cursor) seen.add(cursor)
      firstAt ??= (await scene.arrivals()).firstAt
      return (seen.size >= pages * 0.2 && firstAt !== null) || seen.size >= pages * 0.6 || seen.size
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

/** Other stores' reminders go on while it rests. */
async function pausedAndResumed(scene: CampaignScene, id: string): Promise<Figure[]> {
  const before = performance.now()
  const pause = stopped(scene, 'Pause', () => scene.ask('PATCH', `/${id}/pause`))
  await scene.remind()
  const figure = await pause
  await sleep(Math.max(0, PAUSED_MS - (performance.now() - before)))
  const { held } = (await scene.countedUp(id)).counts
  const there = await arrivedOf(scene)
  const begunAt = Date.now()
  await scene.ask('PATCH', `/${id}/play`)
  const answeredMs = Date.now() - begunAt
  await scene.remind()
  await scene.until('going on', async () => (await arrivedOf(scene)) > there)
  const goesOnMs = Date.now() - begunAt
  const note = `the call took ${(answeredMs / 1_000).toFixed(2)} s with ${held.toLocaleString('en-US')} held`
  return [figure, { name: 'first mail after Resume', value: goesOnMs / 1_000, unit: 's', goal: { below: 5 }, note }]
}

/** How long after the answer the last mail came. */
async function stopped(scene: CampaignScene, what: string, work: () => Promise<unknown>): Promise<Figure> {
  const begunAt = Date.now()
  await work()
  const answeredAt = Date.now()
  const { mails: before } = await scene.arrivals()
  await sleep(WATCHED_MS)
  const { mails, lastAt } = await scene.arrivals()
  return {
    ...{
      name: `last mail after ${what} was answered`,
      value: Math.max(0, (lastAt ?? 0) - answeredAt) / 1_000,
      unit: 's',
    },
    goal: { below: STOPS_WITHIN_S },
    note: `${mails - before} of ${mails} came after it; the call took ${((answeredAt - begunAt) / 1_000).toFixed(2)} s`,
  }
}

const firstMail = (what: string, from: number, at: number): Figure => ({
  ...{ name: `first mail after ${what}`, value: (at - from) / 1_000, unit: 's' },
  goal: { below: 5 },
})

const lateness = (late: readonly number[]): Figure => ({
  ...{ name: 'lateness of other stores’ single reminders (D8), longest', value: Math.max(...late), unit: 's' },
  goal: { below: 5 },
  note: `${late.length} of them, p50 ${percentile(late, 0.5).toFixed(2)} s`,
})

const arrivedOf = async (scene: CampaignScene): Promise<number> => (await scene.arrivals()).mails

async function firstArrival(scene: CampaignScene): Promise<number> {
  await scene.until('the first mail', async () => (await scene.arrivals()).firstAt !== null)
  return (await scene.arrivals()).firstAt!
}

const sent = (scene: CampaignScene, share: number) =>
  scene.until(`sending ${share}`, async () => {
    const mails = await arrivedOf(scene)
    return mails >= scene.total * share || mails
  })

/** Mails a second. */
async function rateBetween(scene: CampaignScene, from: number, to: number): Promise<number> {
  await sent(scene, from)
  const [first, at] = [await arrivedOf(scene), performance.now()]
  await sent(scene, (from + to) / 2)
  await scene.remind()
  await sent(scene, to)
  return ((await arrivedOf(scene)) - first) / ((performance.now() - at) / 1_000)
}

/** With nothing else at work. */
async function bareRate({ lab, instance, sink, store, worker }: CampaignScene): Promise<number> {
  await worker.stop()
  const rates: number[] = []
  for (let round = 0; round < 3; round++) {
    rates.push(await sendBare(instance, sink, { storeId: store.storeId, pool: POOL, most: lab.sized(2_000) }))
  }
  return median(rates)
}

/** The next full minute that leaves time to plan for it. */
const nextMinute = (): number => Math.ceil((Date.now() + 3_000) / 60_000) * 60_000

/** The day and the time of the store's clocks. */
function inStore(at: number): [startDate: string, timeOfDay: string] {
  const { year, month, day, hour, minute } =
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('America/New_York')
  const two = (part: number) => String(part).padStart(2, '0')
  return [`${year}-${two(month)}-${two(day)}`, `${two(hour)}:${two(minute)}`]
}
