import { createTransport } from 'nodemailer'
import { createSmtpChannel } from '../server/delivery/email/smtp.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import type { Bench, Figure } from './figures.ts'
import { type Helper, type SinkTally, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computeMedian, measureCpuMs, measureMs } from './measure.ts'

// Method: a store has thousands of due emails; `sendDue` sends them through the SMTP channel to a sink in a separate
// process: order check, claim, decision, rendering, send, outcome, next steps, each committed with fsync. The ceiling
// is nodemailer's pool with as many connections and the same subjects, texts, recipients and headers, encoded the same
// way, to the same sink, without a database. Five alternating rounds; medians. At most the pool size may be in flight
// (D10), so it limits how many emails share a commit. The default is five.

const POOLS = [5, 10, 20]
/** Share of the ceiling, by pool size. */
const GOALS: Record<number, number> = { 5: 0.65, 10: 0.85, 20: 0.8 }
const ROUNDS = 5

export const bench: Bench = { name: 'send', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const sink = await startSink()
  try {
    await sendThroughEngine(instance, sink, { count: 200, pool: POOLS[0]! })
    const figures: Figure[] = []
    for (const pool of POOLS) figures.push(...(await comparePool(lab, instance, sink, pool)))
    return figures
  } finally {
    await sink.stop()
    await instance.close()
  }
}

async function comparePool(lab: Lab, instance: AppInstance, sink: Helper, pool: number): Promise<Figure[]> {
  const ours: number[] = []
  const bare: number[] = []
  const costs: Cost[] = []
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { storeId, rate, bytesPerMail, cost } = await sendThroughEngine(instance, sink, {
      count: lab.sized(2_000),
      pool,
    })
    ours.push(rate)
    bytes = bytesPerMail
    costs.push(cost)
    bare.push(await sendBare(instance, sink, { storeId, pool, most: lab.sized(2_000) }))
  }
  const measureCost = (part: keyof Cost) => computeMedian(costs.map((cost) => cost[part]))
  return [
    {
      name: `messages through the whole of Way C, pool of ${pool}`,
      value: computeMedian(ours),
      unit: '/s',
      ceiling: { name: 'bare pooled nodemailer', value: computeMedian(bare) },
      goal: { atLeast: GOALS[pool]!, of: 'ceiling' },
      note: `${Math.round(bytes / 1000)} KB each, rounds ${ours.map(Math.round).join(', ')}`,
    },
    { name: `CPU of Node for a mail, pool of ${pool}`, value: measureCost('node'), unit: 'µs', goal: { below: 450 } },
    {
      name: `CPU of PostgreSQL for a mail, pool of ${pool}`,
      value: measureCost('postgres'),
      unit: 'µs',
      goal: { below: 600 },
    },
    { name: `WAL for a mail, pool of ${pool}`, value: measureCost('wal') / 1_000, unit: 'KB', goal: { below: 5 } },
  ]
}

/** Cost per email: CPU microseconds and WAL bytes. */
interface Cost {
  node: number
  postgres: number
  wal: number
}

async function sendThroughEngine(
  instance: AppInstance,
  sink: Helper,
  { count, pool }: { count: number; pool: number },
) {
  const store = await instance.store()
  await instance.carts(store, { count, ready: count })
  const email = createSmtpChannel({ url: `smtp://127.0.0.1:${sink.port}`, poolSize: pool })
  const before = await sink.ask<SinkTally>({})
  const deps = { ...instance.deps, channels: { ...instance.deps.channels, email } }
  const from = await readWalPosition(instance)
  let ms = 0
  const { node, postgres } = await measureCpuMs(instance, async () => {
    ms = await measureMs(() => sendDue(deps, { storeId: store.storeId }))
  })
  const wal = (await readWalPosition(instance)) - from
  const after = await sink.ask<SinkTally>({})
  await email.close()
  const mails = after.mails - before.mails
  if (mails !== count) throw new Error(`${mails} of ${count} mails arrived`)
  const cost: Cost = { node: (node * 1_000) / count, postgres: (postgres * 1_000) / count, wal: wal / count }
  return {
    storeId: store.storeId,
    rate: (count / ms) * 1_000,
    bytesPerMail: (after.bytes - before.bytes) / mails,
    cost,
  }
}

async function readWalPosition({ pool }: AppInstance): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes",
  )
  return Number(rows[0]!.bytes)
}

/** Emails per second when sending up to `most` of this store's sent emails again. */
export async function sendBare(
  instance: AppInstance,
  sink: Helper,
  { storeId, pool, most }: { storeId: string; pool: number; most: number },
): Promise<number> {
  const rows = await instance.db
    .selectFrom('messages')
    .select(['id', 'to_address', 'subject', 'body_html', 'body_text'])
    .where('store_id', '=', storeId)
    .where('state', '=', 'sent')
    .limit(most)
    .execute()
  const transport = createTransport({
    host: '127.0.0.1',
    port: sink.port,
    pool: true,
    maxConnections: pool,
    maxMessages: 100,
    ignoreTLS: true,
  })
  const unsubscribe = `<https://recoup.example.com/u/${'t'.repeat(43)}>`
  const ms = await measureMs(() =>
    Promise.all(
      rows.map((row) =>
        transport.sendMail({
          from: { name: 'Tea & Co', address: 'recoup@localhost' },
          to: row.to_address!,
          subject: row.subject!,
          html: row.body_html!,
          text: row.body_text!,
          messageId: `<${row.id}@localhost>`,
          textEncoding: 'base64',
          headers: [
            { key: 'List-Unsubscribe', value: unsubscribe },
            { key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
          ],
        }),
      ),
    ),
  )
  transport.close()
  return (rows.length / ms) * 1_000
}
