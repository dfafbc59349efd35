import { createTransport } from 'nodemailer'
import { createSmtpChannel } from '../server/delivery/email/smtp.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import type { Bench, Figure } from './figures.ts'
import { type Helper, type SinkTally, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { median, processorMs, timed } from './measure.ts'

// Method: a store has thousands of mails due; `sendDue` sends them all through the SMTP channel into a sink in a process of its
// own: order check, claim, decision, rendering, send, outcome, next steps, each committed with fsync. The ceiling is nodemailer's
// own pool of as many connections, given the very subjects, texts, recipients and headers that the first had kept, composing
// them with the same encoding into the same sink, without a database. Five rounds of both in turn; medians. At most the pool may be in flight (D10), so it bounds how many mails share
// a commit: five is the default.

const POOLS = [5, 10, 20]
/** Of the ceiling, by pool. */
const GOALS: Record<number, number> = { 5: 0.65, 10: 0.85, 20: 0.8 }
const ROUNDS = 5

export const bench: Bench = { name: 'send', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const sink = await startSink()
  try {
    await sendThroughWayC(instance, sink, { count: 200, pool: POOLS[0]! })
    const figures: Figure[] = []
    for (const pool of POOLS) figures.push(...(await compared(lab, instance, sink, pool)))
    return figures
  } finally {
    await sink.stop()
    await instance.close()
  }
}

async function compared(lab: Lab, instance: AppInstance, sink: Helper, pool: number): Promise<Figure[]> {
  const ours: number[] = []
  const bare: number[] = []
  const costs: Cost[] = []
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { storeId, rate, bytesPerMail, cost } = await sendThroughWayC(instance, sink, {
      count: lab.sized(2_000),
      pool,
    })
    ours.push(rate)
    bytes = bytesPerMail
    costs.push(cost)
    bare.push(await sendBare(instance, sink, { storeId, pool, most: lab.sized(2_000) }))
  }
  const costOf = (part: keyof Cost) => median(costs.map((cost) => cost[part]))
  return [
    {
      name: `messages through the whole of Way C, pool of ${pool}`,
      value: median(ours),
      unit: '/s',
      ceiling: { name: 'bare pooled nodemailer', value: median(bare) },
      goal: { atLeast: GOALS[pool]!, of: 'ceiling' },
      note: `${Math.round(bytes / 1000)} KB each, rounds ${ours.map(Math.round).join(', ')}`,
    },
    { name: `CPU of Node for a mail, pool of ${pool}`, value: costOf('node'), unit: 'µs', goal: { below: 450 } },
    {
      name: `CPU of PostgreSQL for a mail, pool of ${pool}`,
      value: costOf('postgres'),
      unit: 'µs',
      goal: { below: 600 },
    },
    { name: `WAL for a mail, pool of ${pool}`, value: costOf('wal') / 1_000, unit: 'KB', goal: { below: 5 } },
  ]
}

/** Of one mail: microseconds of CPU and bytes written ahead. */
interface Cost {
  node: number
  postgres: number
  wal: number
}

async function sendThroughWayC(instance: AppInstance, sink: Helper, { count, pool }: { count: number; pool: number }) {
  const store = await instance.store()
  await instance.carts(store, { count, ready: count })
  const email = createSmtpChannel({ url: `smtp://127.0.0.1:${sink.port}`, poolSize: pool })
  const before = await sink.ask<SinkTally>({})
  const deps = { ...instance.deps, channels: { ...instance.deps.channels, email } }
  const from = await walPosition(instance)
  let ms = 0
  const { node, postgres } = await processorMs(instance, async () => {
    ms = await timed(() => sendDue(deps, { storeId: store.storeId }))
  })
  const wal = (await walPosition(instance)) - from
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

async function walPosition({ pool }: AppInstance): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes",
  )
  return Number(rows[0]!.bytes)
}

/** Mails a second of what was sent of this store, as far as `most`. */
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
  const ms = await timed(() =>
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
